// The periods of a leaderboard.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel {

// A recurring window of a leaderboard. Each single hour, day, … is an instance.
enum class Period : std::uint8_t {
  kHour,
  kDay,
  kWeek,  // ISO 8601: from Monday
  kMonth,
  kAll,  // one instance, for ever
};

inline constexpr std::size_t kPeriods = 5;

// "hour", "day", "week", "month", "all", and back (case-insensitive); ERR lists the valid words.
std::string_view PeriodName(Period period);
Result<Period> ParsePeriod(std::string_view text);

// A turn in minutes from its text and back: "04:00" is 240. ERR unless the text is "hh:mm" from
// 00:00 to 23:59 with all four digits.
Result<int> ParseTurn(std::string_view text);
std::string FormatTurn(int turn_minutes);

// The label of an instance. The text is kept in place, so that copies of an instance allocate
// nothing.
class Label {
 public:
  static constexpr std::size_t kMaxBytes = 32;

  constexpr Label() = default;
  // Longer texts, which no instance has, are cut off after kMaxBytes.
  constexpr Label(std::string_view text)  // NOLINT(google-explicit-constructor): a kind of text
      : size_(static_cast<unsigned char>(text.size() < kMaxBytes ? text.size() : kMaxBytes)) {
    for (std::size_t i = 0; i < size_; ++i) bytes_[i] = text[i];
  }
  constexpr Label(const char* text) : Label(std::string_view(text)) {}  // NOLINT: the same
  Label(const std::string& text) : Label(std::string_view(text)) {}     // NOLINT: the same

  [[nodiscard]] constexpr std::string_view view() const { return {bytes_, size_}; }
  constexpr operator std::string_view() const { return view(); }  // NOLINT: the same
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  // NUL-terminated, for C.
  [[nodiscard]] constexpr const char* c_str() const { return bytes_; }

  template <std::convertible_to<std::string_view> Text>
  friend constexpr bool operator==(const Label& label, const Text& text) {
    return label.view() == std::string_view(text);
  }

 private:
  char bytes_[kMaxBytes + 1] = {};
  unsigned char size_ = 0;
};

// The span of one hour, day, week or month: [begin, end). By default that of period `all`.
struct Instance {
  Period period = Period::kAll;
  Stamp begin = INT64_MIN;
  Stamp end = INT64_MAX;
  Label label;  // "2026-11-15T13+0800", "2026-11-15", "2026-W46", "2026-11"; empty for kAll

  bool operator==(const Instance&) const = default;
};

}  // namespace laurel
