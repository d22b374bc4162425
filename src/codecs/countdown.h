// The four encodings that put a countdown beside the value: decimal-countdown, scaled-time,
// decimal-time and bit-fields. All of them make one whole number of the two,
//
//   n = value × span + remaining,    0 <= remaining < span,
//
// where `remaining` counts units of time down to 0, so that an earlier time has the greater n. They
// differ in what span and unit are, in when the countdown ends, and in how n becomes a double:
//
//                      span     countdown ends at           score
//   decimal-countdown  10^W     the event's end             the double nearest to n / span
//   decimal-time       10^10    9999999999 s after 1970     the double nearest to n / span
//   scaled-time        10^d     epoch + (10^d − 1) units    n
//   bit-fields         2^b      the event's end             n
//
// (value × span + remaining is value << b | remaining, for negative values too.)
//
// n is exact as a double up to 2^53 − 1. n / span is written as a decimal fraction, so a double
// identifies n as long as doubles lie closer together than 1 / span: for values below the greatest
// power of two 2^k with 2^k × span <= 2^53. After a sum (rounding.h) the double is off by up to 3/4
// of their distance rather than 1/2, and the nearest n is right if 3 × 2^k × span < 2^54; otherwise
// below 2^(k − 1).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "codecs/rounding.h"
#include "codecs/rules.h"
#include "laurel/codecs.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/stamp.h"

namespace laurel::codecs {

// One of the four, with its parameters.
struct Countdown {
  std::int64_t span = 1;
  bool is_fraction = false;  // the score is n / span rather than n
  bool is_summed = false;    // a script may have added a whole number to the score
  // From this magnitude on value × span is not a double, and a service that computes with doubles
  // rounds twice.
  double inexact_product = std::numeric_limits<double>::infinity();
  // The text of a negative value has its sign in front of both parts: "-5.8300000000".
  bool is_sign_of_text = false;
  // The values of `remaining` that occur.
  std::int64_t least_remaining = 0;
  std::int64_t greatest_remaining = 0;
  // When remaining is 0, and how long one unit is, in µs. Without an end times are not known.
  std::optional<Int128> end;
  std::int64_t unit_us = 0;
};

class CountdownRules : public Rules {
 public:
  // Times are limited to those of ParseTime, 1970 to 9999.
  // REQUIRES: 2 <= span <= 10^15 or 2^52; least_remaining <= greatest_remaining < span; some time
  // from 1970 to 9999 has such a remaining.
  CountdownRules(const CodecInfo& info, const Countdown& countdown);

  [[nodiscard]] Result<EncodedEntry> Encode(std::int64_t value, Stamp at,
                                            std::string_view member) const override;
  [[nodiscard]] Result<DecodedEntry> Decode(double score, std::string_view member) const override;

 private:
  // A score stands for one value and a range of `remaining`.
  struct Reading {
    std::int64_t value = 0;
    std::int64_t least = 0;
    std::int64_t greatest = 0;
    std::int64_t nearest = 0;
  };

  [[nodiscard]] Rounding RoundingOf(double score) const;
  // REQUIRES: score >= 0 if is_fraction.
  [[nodiscard]] Result<Reading> Read(double score) const;

  const Countdown countdown_;
};

}  // namespace laurel::codecs
