// "Did you mean …": finds the known name closest to a mistyped one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace laurel::base {

// The least number of steps from `a` to `b`, where a step inserts, deletes or replaces a byte or
// swaps two neighbouring bytes. O(a.size() × b.size()).
std::size_t EditDistance(std::string_view a, std::string_view b);

// The name with the least distance to `text`, the first of several. None if every name is further
// away than a third of its length (but at least 1). Case-insensitive.
std::optional<std::string_view> Nearest(std::string_view text,
                                        std::span<const std::string_view> names);

}  // namespace laurel::base
