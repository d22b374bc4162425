#include "codecs/countdown.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "base/time_text.h"
#include "codecs/codec_text.h"

namespace laurel::codecs {
namespace {

constexpr std::string_view kValueIsLost =
    "it is beyond the exact range and may stand for two different values";

Int128 FloorDivide(Int128 n, Int128 divisor) {
  const Int128 quotient = n / divisor;
  return quotient * divisor > n ? quotient - 1 : quotient;
}

Int128 CeilDivide(Int128 n, Int128 divisor) { return -FloorDivide(-n, divisor); }

// Without the `remaining` of times before 1970 and after 9999.
Countdown WithinTimes(Countdown countdown) {
  if (!countdown.end) return countdown;
  const auto least = std::max(Int128{countdown.least_remaining},
                              CeilDivide(*countdown.end - base::kMaxTime, countdown.unit_us));
  const auto greatest = std::min(Int128{countdown.greatest_remaining},
                                 FloorDivide(*countdown.end, countdown.unit_us));
  LAUREL_ASSERT(least <= greatest);
  countdown.least_remaining = static_cast<std::int64_t>(least);
  countdown.greatest_remaining = static_cast<std::int64_t>(greatest);
  return countdown;
}

// REQUIRES: countdown.end.
Stamp TimeOf(const Countdown& countdown, std::int64_t remaining) {
  return static_cast<Stamp>(*countdown.end - Int128{remaining} * countdown.unit_us);
}

CodecRange RangeOf(const Countdown& countdown) {
  CodecRange range;
  const Int128 span = countdown.span;
  if (countdown.is_fraction) {
    std::int64_t power = 1;
    while (power * 2 * span <= kMaxExact) power *= 2;
    range.greatest_value = power - 1;
    const bool sums_lose_a_bit = countdown.is_summed && 3 * power * span >= Int128{1} << 54;
    range.greatest_sum = sums_lose_a_bit ? power / 2 - 1 : range.greatest_value;
  } else {
    range.least_value = static_cast<std::int64_t>(
        CeilDivide(-Int128{kMaxExact} - countdown.greatest_remaining, span));
    range.greatest_value =
        static_cast<std::int64_t>(FloorDivide(kMaxExact - countdown.least_remaining, span));
    range.greatest_sum = range.greatest_value;
  }
  if (countdown.end) {
    range.holds_time = true;
    range.first_time = TimeOf(countdown, countdown.greatest_remaining);
    range.last_time = std::min(TimeOf(countdown, countdown.least_remaining) + countdown.unit_us - 1,
                               base::kMaxTime);
    range.resolution_us = countdown.unit_us;
  }
  return range;
}

// The double nearest to the number written "value.remaining", `remaining` with as many digits as
// span has zeros. REQUIRES: value >= 0.
double ReadFraction(std::int64_t value, std::int64_t remaining, std::int64_t span) {
  std::array<char, 48> text;  // two int64 and a point
  char* end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  // span + remaining has one digit more than `remaining` is to have, a 1, which the point replaces.
  char* const point = end;
  end = std::to_chars(point, text.data() + text.size(), span + remaining).ptr;
  *point = '.';
  double score = 0;
  std::from_chars(text.data(), end, score);
  return score;
}

}  // namespace

CountdownRules::CountdownRules(const CodecInfo& info, const Countdown& countdown)
    : Rules(info, RangeOf(WithinTimes(countdown))), countdown_(WithinTimes(countdown)) {}

Result<EncodedEntry> CountdownRules::Encode(std::int64_t value, Stamp at,
                                            std::string_view member) const {
  if (!countdown_.end) {
    return Error{ErrorCode::kErr, std::string(info().name) + " encodes no times without --end"};
  }
  if (at < range().first_time || at > range().last_time) return TimeOutside(at, info(), range());
  const auto remaining =
      static_cast<std::int64_t>(CeilDivide(*countdown_.end - at, countdown_.unit_us));
  const Int128 span = countdown_.span;
  EncodedEntry entry;
  if (countdown_.is_fraction) {
    if (value < 0 || value > range().greatest_value) {
      return ValueOutside(value, info(), 0, range().greatest_value);
    }
    entry.score = ReadFraction(value, remaining, countdown_.span);
  } else {
    const Int128 n = value * span + remaining;
    if (n < -Int128{kMaxExact} || n > kMaxExact) {
      return ValueOutside(
          value, info(),
          static_cast<std::int64_t>(CeilDivide(-Int128{kMaxExact} - remaining, span)),
          static_cast<std::int64_t>(FloorDivide(kMaxExact - remaining, span)));
    }
    entry.score = static_cast<double>(static_cast<std::int64_t>(n));
  }
  entry.member = member;
  entry.at = TimeOf(countdown_, remaining);
  return entry;
}

Rounding CountdownRules::RoundingOf(double score) const {
  if (std::fabs(score) >= countdown_.inexact_product) return Rounding::kProductAndSum;
  return countdown_.is_summed ? Rounding::kSum : Rounding::kOnce;
}

Result<CountdownRules::Reading> CountdownRules::Read(double score) const {
  const Int128 span = countdown_.span;
  const Origins origins =
      OriginsOf(score, countdown_.is_fraction ? countdown_.span : 1, RoundingOf(score));
  if (origins.empty()) {
    return NotAScore(score, info(),
                     countdown_.is_fraction ? "it has more decimals" : "it is not a whole number");
  }
  const Int128 least_value = FloorDivide(origins.least, span);
  const Int128 greatest_value = FloorDivide(origins.greatest, span);
  if (least_value < INT64_MIN || greatest_value > INT64_MAX) return ValueTooLarge(score, info());
  // A value between the two occurs with every `remaining`, so this ends at the second one found.
  std::optional<Reading> found;
  for (Int128 value = least_value; value <= greatest_value; ++value) {
    const Int128 least = std::max(origins.least - value * span, Int128{countdown_.least_remaining});
    const Int128 greatest =
        std::min(origins.greatest - value * span, Int128{countdown_.greatest_remaining});
    if (least > greatest) continue;
    if (found) return NotAScore(score, info(), kValueIsLost);
    const Int128 nearest = std::clamp(origins.nearest - value * span, least, greatest);
    found = {static_cast<std::int64_t>(value), static_cast<std::int64_t>(least),
             static_cast<std::int64_t>(greatest), static_cast<std::int64_t>(nearest)};
  }
  if (!found) return NotAScore(score, info(), "it has no time of this codec");
  return *found;
}

Result<DecodedEntry> CountdownRules::Decode(double score, std::string_view member) const {
  if (!std::isfinite(score)) return NotAScore(score, info(), "it is not finite");
  // Read then computes with at most 2^63 × 2^52.
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const double most =
      countdown_.is_fraction ? kTwoTo63 : kTwoTo63 * static_cast<double>(countdown_.span);
  if (std::fabs(score) > most) return ValueTooLarge(score, info());
  const bool is_negative_text = countdown_.is_fraction && score < 0;
  if (is_negative_text && (!countdown_.is_sign_of_text || score > -1)) {
    return NotAScore(score, info(), "it is negative");
  }
  const Result<Reading> reading = Read(is_negative_text ? -score : score);
  if (!reading) return reading.error();
  DecodedEntry entry;
  entry.value = is_negative_text ? -reading->value : reading->value;
  entry.member = member;
  entry.exact = reading->least == reading->greatest;
  if (countdown_.end) {
    entry.at = TimeOf(countdown_, reading->nearest);
    entry.at_error_us =
        std::max(reading->nearest - reading->least, reading->greatest - reading->nearest) *
        countdown_.unit_us;
  }
  return entry;
}

}  // namespace laurel::codecs
