// The JSON of answers over HTTP, and its translation into the form of ConformanceAnswer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_reader.h"

namespace laurel::conformance {

// A JSON object that was received. Throws std::runtime_error if the text is not one.
class HttpAnswer {
 public:
  explicit HttpAnswer(std::string text);

  [[nodiscard]] base::JsonValue json() const { return json_; }
  // The code of a refusal; none if the answer is a success.
  [[nodiscard]] std::optional<std::string> code() const;
  // An element of the array `name`, as an answer of its own.
  [[nodiscard]] HttpAnswer Part(std::string_view name, std::size_t index) const;

 private:
  struct Parsed {
    std::string text;
    base::JsonDocument document;
  };

  std::unique_ptr<Parsed> parsed_;  // values refer to it
  base::JsonValue json_;
};

// A member of an object, or none. Named throws std::runtime_error if there is none.
std::optional<base::JsonValue> Find(base::JsonValue object, std::string_view name);
base::JsonValue Named(base::JsonValue object, std::string_view name);

// A number or a string; "-" for null.
std::string TextOf(base::JsonValue value);
// The fields of a score with '/' between them; "-" for null.
std::string ScoreText(base::JsonValue score);
// A verdict with those of the other periods.
std::string VerdictText(base::JsonValue verdict);
// The verdicts of several members.
std::string VerdictsText(base::JsonValue verdicts);
std::string EntryText(base::JsonValue entry);
std::string PercentileText(base::JsonValue percentile);
std::string BucketsText(base::JsonValue buckets);
std::string DescriptionText(base::JsonValue description);
// The instances of the board `board`.
std::string PeriodsText(base::JsonValue periods, std::string_view board);

}  // namespace laurel::conformance
