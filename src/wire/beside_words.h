// Parameters that the words of a request cannot express. In RESP the order of the words expresses
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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

// Describes a word that a client gave as a parameter, which errors then name.
struct WordNote {
  std::size_t word = 0;  // its index
  std::string field;     // the parameter: "limit", "entries.0.score"
  // The integers that the client's protocol takes; none: those of the grammar.
  struct Bounds {
    std::int64_t least;
    std::int64_t most;
  };
  std::optional<Bounds> bounds{};
};

struct BesideWords {
  std::span<const WordNote> notes{};     // by ascending index
  std::span<const ScoreWords> scores{};  // all scores of the request
  std::span<const std::string_view> field_names{};
  bool lists_sorted_sets = false;  // LB.LIST shows sorted sets instead of leaderboards
  bool takes_page = false;         // LB.RANGE has an offset and a size instead of two ranks

  // Returns the note of a word; null if it has none.
  [[nodiscard]] const WordNote* NoteOf(std::size_t word) const;
};

// An error calls the word by this name: its parameter, or `otherwise` without a note. `beside` may
// be null.
std::string_view LabelOf(const BesideWords* beside, std::size_t word, std::string_view otherwise);
// The error about a word, with its parameter before it: "at: 'x' is no time". `beside` may be null.
Error Labelled(const BesideWords* beside, std::size_t word, Error error);
// Reads `text`, the word of that index, as a whole number of at least `least`, or within the bounds
// of its note. `what` names it in the error if its note does not. `beside` may be null.
Status ReadWhole(const BesideWords* beside, std::size_t word, std::string_view text,
                 std::string_view what, std::int64_t least, std::int64_t* value);

// Parses a marked score. `board`: the name of its board, for errors. REQUIRES: no field is named
// twice.
Result<Score> ParseMarked(const ScoreWords& marked, const BesideWords& beside,
                          std::span<const std::string_view> words, const Spec& spec,
                          std::string_view board);

}  // namespace laurel::wire
