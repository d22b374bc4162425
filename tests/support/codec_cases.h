// Codecs with a countdown beside the formulas that services use, for tests: the expected score of a
// value and a time, computed with strtod and conversions to double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "laurel/codecs.h"
#include "laurel/score.h"
#include "laurel/stamp.h"

namespace laurel::testing {

inline constexpr std::int64_t kSecond = 1'000'000;
inline constexpr Stamp kCodecEnd = 1'800'000'000 * kSecond;  // in 2027

// A codec, and what its scores are made of.
struct CodecCase {
  std::string name;
  Codec codec;
  std::int64_t span = 1;
  std::int64_t unit_us = 1;
  Int128 end = 0;  // when `remaining` is 0
  bool is_fraction = false;

  // The double that a service stores.
  [[nodiscard]] double Score(std::int64_t value, std::int64_t remaining) const {
    if (!is_fraction) return static_cast<double>(Int128{value} * span + remaining);
    const std::string digits = std::to_string(span + remaining).substr(1);
    return std::strtod((std::to_string(value) + "." + digits).c_str(), nullptr);
  }
  [[nodiscard]] std::int64_t Remaining(Stamp at) const {
    const Int128 left = end - at + unit_us - 1;  // rounded up: `at` is cut to the unit
    return static_cast<std::int64_t>(left >= 0 ? left / unit_us
                                               : -((-left + unit_us - 1) / unit_us));
  }
  [[nodiscard]] Stamp Cut(Stamp at) const {
    return static_cast<Stamp>(end - Int128{Remaining(at)} * unit_us);
  }
};

inline std::int64_t PowerOfTen(int exponent) {
  return exponent == 0 ? 1 : 10 * PowerOfTen(exponent - 1);
}

inline CodecCase Make(const std::string& name, const CodecParameters& parameters) {
  return {name, Codec::Make(name, parameters).value()};
}

inline CodecCase DecimalCountdownCase(int width, CodecUnit unit) {
  CodecParameters parameters;
  parameters.end = kCodecEnd;
  parameters.width = width;
  parameters.unit = unit;
  CodecCase made = Make("decimal-countdown", parameters);
  made.name += " " + std::to_string(width);
  made.span = PowerOfTen(width);
  made.unit_us = unit == CodecUnit::kSecond ? kSecond : 1'000;
  made.end = kCodecEnd;
  made.is_fraction = true;
  return made;
}

inline CodecCase ScaledTimeCase(int digits, CodecUnit unit, Stamp epoch) {
  constexpr std::int64_t kMicros[] = {1'000, kSecond, 60 * kSecond, 3'600 * kSecond};
  CodecParameters parameters;
  parameters.digits = digits;
  parameters.unit = unit;
  parameters.epoch = epoch;
  CodecCase made = Make("scaled-time", parameters);
  made.name += " " + std::to_string(digits);
  made.span = PowerOfTen(digits);
  made.unit_us = kMicros[static_cast<int>(unit)];
  made.end = epoch + Int128{made.span - 1} * made.unit_us;
  return made;
}

inline CodecCase DecimalTimeCase() {
  CodecCase made = Make("decimal-time", {});
  made.span = PowerOfTen(10);
  made.unit_us = kSecond;
  made.end = Int128{9'999'999'999} * kSecond;
  made.is_fraction = true;
  return made;
}

inline CodecCase BitFieldsCase(int bits) {
  CodecParameters parameters;
  parameters.time_bits = bits;
  parameters.end = kCodecEnd;
  CodecCase made = Make("bit-fields", parameters);
  made.name += " " + std::to_string(bits);
  made.span = std::int64_t{1} << bits;
  made.unit_us = 1'000;
  made.end = kCodecEnd;
  return made;
}

inline const std::vector<CodecCase>& CountdownCases() {
  static const std::vector<CodecCase> cases = [] {
    std::vector<CodecCase> made = {DecimalTimeCase()};
    for (int digits = 1; digits <= 15; ++digits) {
      made.push_back(DecimalCountdownCase(
          digits, digits % 2 == 0 ? CodecUnit::kSecond : CodecUnit::kMillisecond));
      made.push_back(
          ScaledTimeCase(digits, static_cast<CodecUnit>(digits % 4), digits * 1'000 * kSecond));
    }
    made.push_back(ScaledTimeCase(10, CodecUnit::kSecond, 0));
    made.push_back(ScaledTimeCase(13, CodecUnit::kMillisecond, 0));
    for (int bits = 1; bits <= 52; ++bits) made.push_back(BitFieldsCase(bits));
    return made;
  }();
  return cases;
}

// A number in [least, greatest]: often at the ends, often small, else any.
inline std::int64_t Pick(base::Random& random, std::int64_t least, std::int64_t greatest) {
  const auto width = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
  const std::uint64_t near = std::min<std::uint64_t>(width, random.Below(4));
  if (random.OneIn(4)) return least + static_cast<std::int64_t>(near);
  if (random.OneIn(3)) return greatest - static_cast<std::int64_t>(near);
  const std::uint64_t any = width == UINT64_MAX ? random.Next() : random.Below(width + 1);
  const int shift = random.OneIn(2) ? static_cast<int>(random.Below(64)) : 0;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + (any >> shift));
}

// A value and a time for which the codec is exact.
inline std::pair<std::int64_t, Stamp> PickExact(base::Random& random, const CodecCase& c) {
  constexpr Int128 kMost = (Int128{1} << 53) - 1;
  const CodecRange range = c.codec.range();
  for (;;) {
    const std::int64_t value = Pick(random, range.least_value, range.greatest_value);
    const Stamp at = Pick(random, range.first_time, range.last_time);
    const Int128 n = Int128{value} * c.span + c.Remaining(at);
    if (c.is_fraction || (n >= -kMost && n <= kMost)) return {value, at};
  }
}

}  // namespace laurel::testing
