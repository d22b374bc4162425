// Scores, and their exact conversion from and to text.
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

// The tuple of an entry's values, one per field, each an int64 in the field's smallest unit. A
// sorted set has one value, a double: make it with Double(), read it with AsDouble().
class Score {
 public:
  Score() = default;
  // REQUIRES: at most kMaxFields values.
  Score(std::initializer_list<std::int64_t> values);  // NOLINT(google-explicit-constructor)
  explicit Score(std::span<const std::int64_t> values);
  // The score of a sorted set.
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

// Parses a number as Redis clients send it (optional sign, digits, optional fraction, optional
// exponent) and returns it exactly, in units of 10^-decimals. BADSCORE if the text is not a finite
// decimal number or has a non-zero digit beyond `decimals`, OVERFLOW if it does not fit an int64.
Result<std::int64_t> ParseNumber(std::string_view text, int decimals);

// The text of value × 10^-decimals, with exactly `decimals` digits after the point; without a point
// if `decimals` is 0. REQUIRES: decimals is 0 … kMaxDecimals.
std::string FormatNumber(Int128 value, int decimals);
// Returns this text as a view into `buffer`. Allocates nothing.
inline constexpr std::size_t kMaxNumberText = 48;
std::string_view FormatNumber(Int128 value, int decimals, std::span<char, kMaxNumberText> buffer);

// Parses a score of a sorted set as Redis does: the grammar of strtod in the C locale, without
// leading blanks. Infinities are accepted; -0 becomes 0. BADSCORE for NaN, out-of-range values and
// anything else.
Result<double> ParseDouble(std::string_view text);

// The fewest digits that parse back to the same double, in the format of Redis 7.2 and later; "inf"
// and "-inf" for infinities.
std::string FormatDouble(double value);

// Parses one text per field, in order. ERR, naming the fields, if the number of texts is wrong;
// other errors as for ParseNumber and ParseDouble.
Result<Score> ParseScore(const Spec& spec, std::span<const std::string_view> texts);
// The text of each field, in order.
std::vector<std::string> FormatScore(const Spec& spec, const Score& score);

// One end of a range over the numbers of field 1. Texts: "10", "(10" (exclusive), "-inf", "+inf",
// "10.5". `value` is in the field's smallest unit; on a sorted set it holds the bits of a double.
// ParseBound moves a bound between two units, or beyond int64, to the nearest bound that admits
// exactly the same values.
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

// Parses the text of a bound. ERR "min or max is not a float" if it is not one.
Result<ScoreBound> ParseBound(const Spec& spec, std::string_view text, BoundSide side);

}  // namespace laurel
