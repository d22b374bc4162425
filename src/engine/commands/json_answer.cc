#include "engine/commands/json_answer.h"

#include <algorithm>

#include "base/text.h"
#include "core/store/spec_checks.h"
#include "laurel/limits.h"

namespace laurel::engine {

std::size_t JsonAnswer::EntryBytes(const leaderboard::EntryShape& shape) const {
  constexpr std::size_t kFixed = 128;  // keys, punctuation, rank, place, count and time
  constexpr std::size_t kNumber = 24;  // a value in quotes, with its comma
  return kFixed + shape.spec->fields.size() * kNumber;
}

void JsonAnswer::BeginEntries(const leaderboard::EntryShape& shape, std::uint64_t count) {
  json_.Map(page_.version.empty() ? 3 : 4);
  json_.Bulk("board");
  json_.Bulk(page_.board);
  if (!page_.version.empty()) {
    json_.Bulk("version");
    json_.Bulk(page_.version);
  }
  json_.Bulk("count");
  json_.Integer(static_cast<std::int64_t>(page_.count));
  json_.Bulk("entries");
  ShapedAnswer::BeginEntries(shape, count);
}

JsonAnswer::Page PageOf(Context& context, std::string_view name) {
  const Keyspace::View view = context.keys.Look(name);
  JsonAnswer::Page page;
  if (!view) return page;
  page.board = view.Name();
  page.count = view.board->entries().size();
  // Another board may come to have the name, so the id is part of the version. Each instance counts
  // its own changes, so its number is too; one that is not written yet has the number 0.
  page.version = std::string(context.version_tag) + "-" + std::to_string(view.named->id) + "-" +
                 std::to_string(view.number) + "-" + std::to_string(view.changes);
  if (view.span) page.version += "-" + std::to_string(view.span->begin / 1'000'000);
  return page;
}

namespace {

Status WrongFields(const Spec& spec, std::string_view board, std::string_view what) {
  std::string fields;
  for (const Field& field : spec.fields) fields += (fields.empty() ? "" : ", ") + field.name;
  return Error{ErrorCode::kErr,
               base::Quote(board) + " has the fields " + fields + ": " + std::string(what)};
}

// Puts the values of one score, given with the names of their fields, in the order of the fields.
// If it succeeds, there are as many values as fields. REQUIRES: no name occurs twice.
Status OrderByName(const Spec& spec, std::string_view board,
                   std::span<const std::string_view> names,
                   std::span<const std::string_view> values, std::span<std::string_view> ordered) {
  std::vector<bool> given(spec.fields.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::find_if(spec.fields.begin(), spec.fields.end(),
                                    [&](const Field& field) { return field.name == names[i]; });
    if (found == spec.fields.end()) {
      return WrongFields(spec, board, "there is no " + base::Quote(names[i]));
    }
    const auto index = static_cast<std::size_t>(found - spec.fields.begin());
    given[index] = true;
    ordered[index] = values[i];
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) {
      return WrongFields(spec, board, base::Quote(spec.fields[i].name) + " is missing");
    }
  }
  return Ok{};
}

}  // namespace

Result<std::span<const std::string_view>> OrderScores(std::span<const std::string_view> words,
                                                      JsonCall* call, const Spec& spec,
                                                      std::string_view board,
                                                      std::vector<std::string_view>* ordered) {
  const bool any_named = std::any_of(call->scores.begin(), call->scores.end(),
                                     [](const auto& score) { return score.is_named; });
  if (any_named) {
    ordered->assign(words.begin(), words.end());
  }
  for (std::size_t i = 0; i < call->scores.size(); ++i) {
    const wire::ScoreWords& score = call->scores[i];
    std::span<const std::string_view> values = words.subspan(score.first, score.count);
    std::vector<std::string_view> by_name;
    Status status = Ok{};
    if (score.is_named) {
      by_name.resize(spec.fields.size());
      status = OrderByName(spec, board, call->field_names.subspan(score.names, score.count), values,
                           by_name);
      values = by_name;
    } else if (score.count != spec.fields.size()) {
      status = Error{ErrorCode::kErr,
                     base::Quote(board) + " " + core::WrongValueCount(spec, score.count).message};
    }
    // A value that is an option word must not be read as an option.
    if (status.ok()) {
      if (const Result<Score> parsed = ParseScore(spec, values); !parsed.ok()) {
        status = parsed.error();
      }
    }
    if (!status.ok()) {
      call->failed_score = i;
      return status.error();
    }
    if (score.is_named) {
      std::copy(values.begin(), values.end(),
                ordered->begin() + static_cast<std::ptrdiff_t>(score.first));
    }
  }
  if (any_named) return std::span<const std::string_view>(*ordered);
  return words;
}

void WriteSpec(wire::JsonWriter* writer, std::string_view name, const Spec& spec) {
  leaderboard::ShapedAnswer<wire::JsonWriter>(writer, name).ShowSpec(spec);
}

}  // namespace laurel::engine
