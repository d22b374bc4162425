// Parameters that the words of a request cannot express. In RESP the order of the words expresses
// them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::wire {

// Marks a score among the words. Its words are values, even if they look like options.
struct ScoreWords {
  std::size_t first = 0;  // index of its first value in the request's words
  std::size_t count = 0;
  std::size_t names = 0;  // index of its first name in the request's list of field names
  bool is_named = false;  // the values are in the order of those names, not of the fields
};

struct BesideWords {
  std::span<const ScoreWords> scores{};  // all scores of the request
  std::span<const std::string_view> field_names{};
  bool lists_sorted_sets = false;  // LB.LIST shows sorted sets instead of leaderboards
};

// Parses a marked score. `board`: the name of its board, for errors. REQUIRES: no field is named
// twice.
Result<Score> ParseMarked(const ScoreWords& marked, const BesideWords& beside,
                          std::span<const std::string_view> words, const Spec& spec,
                          std::string_view board);

}  // namespace laurel::wire
