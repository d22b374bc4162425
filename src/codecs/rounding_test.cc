#include "codecs/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/seed.h"

namespace laurel::codecs {
namespace {

constexpr double kTwoTo53 = 9007199254740992.0;

void ExpectOrigins(double score, std::int64_t scale, Rounding rounding, std::int64_t least,
                   std::int64_t greatest) {
  const Origins origins = OriginsOf(score, scale, rounding);
  EXPECT_EQ(static_cast<std::int64_t>(origins.least), least) << score << " × " << scale;
  EXPECT_EQ(static_cast<std::int64_t>(origins.greatest), greatest) << score << " × " << scale;
}

TEST(Rounding, WholeNumbersBelowTwoTo53StandForThemselves) {
  for (const double score : {0.0, -0.0, 1.0, -1.0, 5.0, 4096.0, kTwoTo53 - 1, 1 - kTwoTo53}) {
    const auto n = static_cast<std::int64_t>(score);
    ExpectOrigins(score, 1, Rounding::kOnce, n, n);
  }
}

TEST(Rounding, WholeNumbersFromTwoTo53OnStandForTheirNeighboursToo) {
  const std::int64_t n = std::int64_t{1} << 53;
  ExpectOrigins(kTwoTo53, 1, Rounding::kOnce, n, n + 1);  // doubles below are closer together
  ExpectOrigins(-kTwoTo53, 1, Rounding::kOnce, -n - 1, -n);
  ExpectOrigins(kTwoTo53 + 2, 1, Rounding::kOnce, n + 1, n + 3);
  ExpectOrigins(2 * kTwoTo53, 1, Rounding::kOnce, 2 * n - 1, 2 * n + 2);
  ExpectOrigins(2 * kTwoTo53 + 4, 1, Rounding::kProductAndSum, 2 * n, 2 * n + 8);
}

TEST(Rounding, FractionsHaveNoWholeOrigin) {
  for (const double score : {0.5, -0.5, 1.5, 1e-300, 5e-324, kTwoTo53 / 4 + 0.5, 1 + 1e-15}) {
    EXPECT_TRUE(OriginsOf(score, 1, Rounding::kOnce).empty()) << score;
  }
}

TEST(Rounding, DecimalFractionsAreReadByTheirText) {
  ExpectOrigins(0.1, 10, Rounding::kOnce, 1, 1);
  ExpectOrigins(1000000.4, 1'000'000, Rounding::kOnce, 1'000'000'400'000, 1'000'000'400'000);
  ExpectOrigins(0.000000000000001, 1'000'000'000'000'000, Rounding::kOnce, 1, 1);
  EXPECT_TRUE(OriginsOf(0.15, 10, Rounding::kOnce).empty());
  EXPECT_TRUE(OriginsOf(0.1 + 0.2, 10, Rounding::kOnce).empty());  // 0.30000000000000004
}

// A fraction and a whole number, each a double, and their sum: rounded twice.
TEST(Rounding, SumsOfAFractionAndAWholeNumberAreFound) {
  int rounded_twice = 0;
  for (int f = 0; f < 1000; ++f) {
    const double fraction =
        std::strtod(("0." + std::to_string(1000 + f).substr(1)).c_str(), nullptr);
    for (const std::int64_t whole : {1, 3, 1000, 99'999, 1'000'000'000}) {
      const double sum = fraction + static_cast<double>(whole);
      const std::int64_t n = whole * 1000 + f;
      ExpectOrigins(sum, 1000, Rounding::kSum, n, n);
      rounded_twice += OriginsOf(sum, 1000, Rounding::kOnce).empty() ? 1 : 0;
      const double next = std::nextafter(std::nextafter(sum, HUGE_VAL), HUGE_VAL);
      EXPECT_TRUE(OriginsOf(next, 1000, Rounding::kSum).empty()) << next;
    }
  }
  EXPECT_GT(rounded_twice, 0);
}

// Which integers become this double, by trying those around it.
TEST(Rounding, RandomDoublesHaveTheOriginsThatRoundToThem) {
  base::Random random(TestSeed());
  std::uint64_t several = 0;
  for (int i = 0; i < 6'000; ++i) {
    std::int64_t scale = 1;
    for (std::uint64_t digits = random.Below(10); digits > 0; --digits) scale *= 10;
    // A double near a multiple of 1 / scale, with 40 to 57 bits before rounding.
    const auto n = static_cast<std::int64_t>(random.Next() >> (7 + random.Below(18)));
    double score = static_cast<double>(n) / static_cast<double>(scale);
    if (random.OneIn(3)) score = std::nextafter(score, random.OneIn(2) ? 0 : HUGE_VAL);
    const Origins origins = OriginsOf(score, scale, Rounding::kOnce);
    for (std::int64_t m = std::max<std::int64_t>(n - 25, 0); m <= n + 25; ++m) {
      std::string digits = std::to_string(m % scale + scale);  // a 1 in front
      digits[0] = '.';
      const std::string text = std::to_string(m / scale) + (scale == 1 ? "" : digits);
      const bool rounds_here = std::strtod(text.c_str(), nullptr) == score;
      const bool is_origin = m >= origins.least && m <= origins.greatest;
      // Of two integers exactly half way, one may round elsewhere.
      const bool is_end = m == origins.least || m == origins.greatest;
      ASSERT_TRUE(rounds_here == is_origin || (is_origin && is_end)) << text << " and " << score;
    }
    several += origins.greatest > origins.least ? 1 : 0;
  }
  EXPECT_GT(several, 200U);
}

}  // namespace
}  // namespace laurel::codecs
