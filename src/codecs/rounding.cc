#include "codecs/rounding.h"

#include <cmath>

namespace laurel::codecs {
namespace {

constexpr int kMantissaBits = 53;

// floor(n / 2^bits) and ceil(n / 2^bits); a negative number of bits multiplies. REQUIRES: n >= 0.
Int128 ShiftDown(Int128 n, int bits) {
  if (bits <= 0) return n << -bits;
  return bits < 127 ? n >> bits : 0;
}

Int128 ShiftUp(Int128 n, int bits) {
  if (bits <= 0) return n << -bits;
  if (bits >= 127) return n > 0 ? 1 : 0;
  const Int128 down = n >> bits;
  return (down << bits) == n ? down : down + 1;
}

}  // namespace

Origins OriginsOf(double score, std::int64_t scale, Rounding rounding) {
  if (score == 0) return {};
  if (score < 0) {
    const Origins mirrored = OriginsOf(-score, scale, rounding);
    return {-mirrored.greatest, -mirrored.least, -mirrored.nearest};
  }
  // score = mantissa × 2^exponent, and 2^exponent is the distance to the next greater double. The
  // distance to the next smaller one is half of it if the score is a power of two. Distances are
  // counted in eighths, of which all are whole. A subnormal score gets too small a distance, and no
  // origin, as it should: the smallest score of a codec is 10^-15.
  int exponent = 0;
  const auto mantissa =
      static_cast<std::int64_t>(std::ldexp(std::frexp(score, &exponent), kMantissaBits));
  exponent -= kMantissaBits;
  const int above = rounding == Rounding::kOnce ? 4 : 6;
  const bool is_power = mantissa == std::int64_t{1} << (kMantissaBits - 1);
  const int below = is_power ? above / 2 : above;
  // At most 2^56 × 10^15, which is less than 2^106.
  const Int128 eighths = Int128{8} * mantissa * scale;
  const int shift = 3 - exponent;
  return {ShiftUp(eighths - Int128{below} * scale, shift),
          ShiftDown(eighths + Int128{above} * scale, shift),
          ShiftDown(ShiftDown(eighths, shift - 1) + 1, 1)};
}

}  // namespace laurel::codecs
