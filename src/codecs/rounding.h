// Tells in exact integers which values a double may have had before it was rounded.
#pragma once

#include <cstdint>

#include "laurel/score.h"

namespace laurel::codecs {

// The integers n from least to greatest; none if least > greatest.
struct Origins {
  Int128 least = 0;
  Int128 greatest = 0;
  Int128 nearest = 0;  // round(score × scale), which may lie outside

  [[nodiscard]] bool empty() const { return least > greatest; }
};

// How a score was computed from n.
enum class Rounding : std::uint8_t {
  kOnce,  // the double nearest to n / scale
  // A double nearest to a fraction, plus a whole number, rounded again. The fraction has a smaller
  // exponent than the sum and so at most half its spacing, or else the sum is exact: the sum is off
  // by less than 1/4 + 1/2 of its own spacing.
  kSum,
  // The double nearest to a product, plus a whole number, rounded again: off by up to the spacing.
  kProductAndSum,
};

// The integers n for which n / scale, rounded so, may be `score`: those closer to score × scale
// than the rounding can move them, and those exactly as far, although half of them round elsewhere.
// REQUIRES: score is finite; scale is 1 to 10^15; |score × scale| < 2^120.
Origins OriginsOf(double score, std::int64_t scale, Rounding rounding);

}  // namespace laurel::codecs
