// Bounds of an engine beyond those of the library.
#pragma once

#include <cstddef>

namespace laurel::engine {

inline constexpr std::size_t kMaxTemplates = 1000;

}  // namespace laurel::engine
