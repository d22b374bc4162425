#include "wire/beside_words.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/integer.h"
#include "base/text.h"

namespace laurel::wire {
namespace {

using Words = std::span<const std::string_view>;

// "n must be a whole number, got 'ten'", or "n is out of range, got '9…9'" for too many digits.
Error NotAnInteger(std::string_view what, std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) {
    return Err(std::string(what) + " is out of range, got " + base::Quote(text));
  }
  return Err(std::string(what) + " must be a whole number, got " + base::Quote(text));
}

// "n must be at least 1, got '0'".
Error BelowLeast(std::string_view what, std::int64_t least, std::string_view text) {
  return Err(std::string(what) + " must be at least " + std::to_string(least) + ", got " +
             base::Quote(text));
}

// "limit must be an integer from 0 to 1000, got 'ten'".
Error NotBetween(std::string_view what, std::int64_t least, std::int64_t most,
                 std::string_view text) {
  return Err(std::string(what) + " must be an integer from " + std::to_string(least) + " to " +
             std::to_string(most) + ", got " + base::Quote(text));
}

// Returns the values of a score in the order of the spec's fields.
Result<std::vector<std::string_view>> InFieldOrder(Words names, Words values, const Spec& spec,
                                                   std::string_view board) {
  const auto wrong = [&](const std::string& what) {
    std::string fields;
    for (const Field& field : spec.fields) fields += (fields.empty() ? "" : ", ") + field.name;
    return Error{ErrorCode::kErr, base::Quote(board) + " has the fields " + fields + ": " + what};
  };
  for (const std::string_view name : names) {
    const bool known = std::any_of(spec.fields.begin(), spec.fields.end(),
                                   [&](const Field& field) { return field.name == name; });
    if (!known) return wrong("there is no " + base::Quote(name));
  }
  std::vector<std::string_view> ordered;
  for (const Field& field : spec.fields) {
    const auto found = std::find(names.begin(), names.end(), field.name);
    if (found == names.end()) return wrong(base::Quote(field.name) + " is missing");
    ordered.push_back(values[static_cast<std::size_t>(found - names.begin())]);
  }
  return ordered;
}

}  // namespace

const WordNote* BesideWords::NoteOf(std::size_t word) const {
  const auto found =
      std::lower_bound(notes.begin(), notes.end(), word,
                       [](const WordNote& note, std::size_t wanted) { return note.word < wanted; });
  return found != notes.end() && found->word == word ? &*found : nullptr;
}

std::string_view LabelOf(const BesideWords* beside, std::size_t word, std::string_view otherwise) {
  const WordNote* note = beside != nullptr ? beside->NoteOf(word) : nullptr;
  return note != nullptr ? std::string_view(note->field) : otherwise;
}

Error Labelled(const BesideWords* beside, std::size_t word, Error error) {
  const std::string_view label = LabelOf(beside, word, {});
  if (!label.empty()) error.message = std::string(label) + ": " + error.message;
  return error;
}

Status ReadWhole(const BesideWords* beside, std::size_t word, std::string_view text,
                 std::string_view what, std::int64_t least, std::int64_t* value) {
  const bool is_number = base::ParseInteger(text, value);
  const WordNote* note = beside != nullptr ? beside->NoteOf(word) : nullptr;
  if (note != nullptr && note->bounds) {
    const auto [from, to] = *note->bounds;
    if (is_number && *value >= from && *value <= to) return Ok{};
    return NotBetween(LabelOf(beside, word, what), from, to, text);
  }
  if (!is_number) return NotAnInteger(what, text);
  if (*value < least) return BelowLeast(what, least, text);
  return Ok{};
}

Result<Score> ParseMarked(const ScoreWords& marked, const BesideWords& beside, Words words,
                          const Spec& spec, std::string_view board) {
  const Words values = words.subspan(marked.first, marked.count);
  if (marked.is_named) {
    const auto ordered =
        InFieldOrder(beside.field_names.subspan(marked.names, marked.count), values, spec, board);
    return ordered.ok() ? ParseScore(spec, *ordered) : ordered.error();
  }
  Result<Score> score = ParseScore(spec, values);
  if (score.ok() || values.size() == spec.fields.size()) return score;
  return Error{score.error().code, base::Quote(board) + " " + score.error().message};
}

}  // namespace laurel::wire
