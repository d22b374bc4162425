// Scores: exact numbers in, exact numbers out.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/limits.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"

namespace laurel {

__extension__ using Int128 = __int128;

// The tuple of an entry's values, one per field, each an int64 in the field's smallest unit. The
// one value of a sorted set is a double: read it with AsDouble().
class Score {
 public:
  Score() = default;
  // REQUIRES: at most kMaxFields values.
  Score(std::initializer_list<std::int64_t> values);  // NOLINT(google-explicit-constructor)
  explicit Score(std::span<const std::int64_t> values);
  static Score Double(double value) { return Score{std::bit_cast<std::int64_t>(value)}; }

  [[nodiscard]] std::size_t size() const { return size_; }
  std::int64_t operator[](std::size_t field) const { return values_[field]; }
  std::int64_t& operator[](std::size_t field) { return values_[field]; }
  [[nodiscard]] double AsDouble() const { return std::bit_cast<double>(values_[0]); }
  // REQUIRES: size() < kMaxFields.
  void push_back(std::int64_t value) { values_[size_++] = value; }

  bool operator==(const Score& other) const;

 private:
  std::array<std::int64_t, kMaxFields> values_{};
  std::uint8_t size_ = 0;
};

// Reads a number as Redis clients send it (optional sign, digits, optional fraction, optional
// exponent) as a count of 10^-decimals, exactly. BADSCORE if it is no finite decimal number or has
// a non-zero digit beyond `decimals`, OVERFLOW if it does not fit an int64.
Result<std::int64_t> ParseNumber(std::string_view text, int decimals);

// The value with exactly `decimals` digits behind the point; no point if there are none.
// REQUIRES: decimals is 0 … kMaxDecimals.
std::string FormatNumber(Int128 value, int decimals);
// The same without a string of its own: the text stands somewhere in `buffer`.
inline constexpr std::size_t kMaxNumberText = 48;
std::string_view FormatNumber(Int128 value, int decimals, std::span<char, kMaxNumberText> buffer);

// A sorted set's score as Redis reads it: the grammar of strtod in the C locale without blanks,
// infinities included, NaN and out-of-range values refused. -0 reads as 0.
Result<double> ParseDouble(std::string_view text);

// The fewest digits that read back as the same double, laid out as Redis 7.2 and later do; "inf"
// and
// "-inf".
std::string FormatDouble(double value);

// One text per field, in order. Too few or too many name the fields.
Result<Score> ParseScore(const Spec& spec, std::span<const std::string_view> texts);
std::vector<std::string> FormatScore(const Spec& spec, const Score& score);

// One end of a range over field 1, by number, low before high: "10", "(10", "-inf", "+inf", "10.5".
// `value` counts the field's smallest unit (or is a double's bits on a sorted set). A bound between
// two units, or beyond int64, is moved to the nearest one that lets exactly the same values in.
struct ScoreBound {
  enum class Reach : std::uint8_t { kInclusive, kExclusive, kLowest, kHighest };
  Reach reach = Reach::kInclusive;
  std::int64_t value = 0;

  static ScoreBound AtLeast(std::int64_t value) { return {Reach::kInclusive, value}; }
  static ScoreBound AtMost(std::int64_t value) { return {Reach::kInclusive, value}; }
  static ScoreBound Above(std::int64_t value) { return {Reach::kExclusive, value}; }
  static ScoreBound Below(std::int64_t value) { return {Reach::kExclusive, value}; }
  static ScoreBound Lowest() { return {Reach::kLowest, 0}; }
  static ScoreBound Highest() { return {Reach::kHighest, 0}; }
};

enum class BoundSide : std::uint8_t { kMin, kMax };

// ERR "min or max is not a float" for text that is no bound.
Result<ScoreBound> ParseBound(const Spec& spec, std::string_view text, BoundSide side);

}  // namespace laurel
