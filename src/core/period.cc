#include "laurel/period.h"

#include <array>
#include <cstddef>
#include <string>

#include "base/text.h"

namespace laurel {
namespace {

// In the order of Period.
constexpr std::array<std::string_view, kPeriods> kNames = {"hour", "day", "week", "month", "all"};
static_assert(static_cast<std::size_t>(Period::kAll) + 1 == kPeriods);

}  // namespace

std::string_view PeriodName(Period period) { return kNames[static_cast<std::size_t>(period)]; }

Result<Period> ParsePeriod(std::string_view text) {
  for (std::size_t i = 0; i < kPeriods; ++i) {
    if (base::IsWord(text, kNames[i])) return static_cast<Period>(i);
  }
  return Error{ErrorCode::kErr,
               "unknown period " + base::Quote(text) + ": hour, day, week, month, all"};
}

Result<int> ParseTurn(std::string_view text) {
  const auto digit = [&](std::size_t at) { return text[at] - '0'; };
  const auto is_digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  if (text.size() == 5 && is_digit(0) && is_digit(1) && text[2] == ':' && is_digit(3) &&
      is_digit(4)) {
    const int hours = digit(0) * 10 + digit(1);
    const int minutes = digit(3) * 10 + digit(4);
    if (hours < 24 && minutes < 60) return hours * 60 + minutes;
  }
  return Error{ErrorCode::kErr,
               base::Quote(text) + " is no time of day: expected hh:mm from 00:00 to 23:59"};
}

std::string FormatTurn(int turn_minutes) {
  const auto two_digits = [](int number) {
    return std::string{static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
  };
  return two_digits(turn_minutes / 60) + ":" + two_digits(turn_minutes % 60);
}

}  // namespace laurel
