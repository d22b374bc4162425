// "Did you mean …": the known name that a mistyped one was probably meant to be.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace laurel::base {

// How many bytes must be inserted, deleted, replaced or swapped with their neighbour to make `b` of
// `a`. O(a.size() × b.size()).
std::size_t EditDistance(std::string_view a, std::string_view b);

// The name with the least distance to `text`, the first of several; none if even that differs in
// over a third of its bytes. Case does not count.
std::optional<std::string_view> Nearest(std::string_view text,
                                        std::span<const std::string_view> names);

}  // namespace laurel::base
