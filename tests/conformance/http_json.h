// The JSON of answers over HTTP, and its translation into the form of ConformanceAnswer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/json_reader.h"

namespace laurel::conformance {

// A JSON object that was received. Throws std::runtime_error if the text is not one.
class HttpAnswer {
 public:
  explicit HttpAnswer(std::string text);

  [[nodiscard]] http::JsonValue json() const { return json_; }
  // The code of a refusal; none if the answer is a success.
  [[nodiscard]] std::optional<std::string> code() const;
  // An element of the array `name`, as an answer of its own.
  [[nodiscard]] HttpAnswer Part(std::string_view name, std::size_t index) const;

 private:
  struct Parsed {
    std::string text;
    http::JsonDocument document;
  };

  std::unique_ptr<Parsed> parsed_;  // values refer to it
  http::JsonValue json_;
};

// A member of an object, or none. Named throws std::runtime_error if there is none.
std::optional<http::JsonValue> Find(http::JsonValue object, std::string_view name);
http::JsonValue Named(http::JsonValue object, std::string_view name);

// A number or a string; "-" for null.
std::string TextOf(http::JsonValue value);
// The fields of a score with '/' between them; "-" for null.
std::string ScoreText(http::JsonValue score);
// A verdict with those of the other periods.
std::string VerdictText(http::JsonValue verdict);
// The verdicts of several members.
std::string VerdictsText(http::JsonValue verdicts);
std::string EntryText(http::JsonValue entry);
std::string PercentileText(http::JsonValue percentile);
std::string BucketsText(http::JsonValue buckets);
std::string DescriptionText(http::JsonValue description);
// The instances of the board `board`.
std::string PeriodsText(http::JsonValue periods, std::string_view board);

}  // namespace laurel::conformance
