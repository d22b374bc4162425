#include "transfer/report/load_progress.h"

#include <gtest/gtest.h>

namespace laurel::transfer {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
using Unit = ProgressUnit;

TEST(LoadProgress, TextHasShareRateAndTimeLeft) {
  EXPECT_EQ(DescribeProgress("loading", Unit::kBytes, {10 * kMiB, 20 * kMiB}, 2'000'000),
            "loading: 50 %, 10 of 20 MiB, 5 MiB/s, 2 s left");
  EXPECT_EQ(DescribeProgress("writing", Unit::kRows, {1'500'000, 6'000'000}, 3'000'000),
            "writing: 25 %, 1,500,000 of 6,000,000 rows, 500,000 rows/s, 9 s left");
}

TEST(LoadProgress, UnknownTotalShowsNoShareAndNoTimeLeft) {
  EXPECT_EQ(DescribeProgress("reading", Unit::kBytes, {30 * kMiB, 0}, 3'000'000),
            "reading: 30 MiB, 10 MiB/s");
}

TEST(LoadProgress, TextIsDefinedAtTheEdges) {
  EXPECT_EQ(DescribeProgress("w", Unit::kRows, {0, 5}, 0), "w: 0 %, 0 of 5 rows, 0 rows/s");
  EXPECT_EQ(DescribeProgress("w", Unit::kRows, {9, 5}, 1'000'000),
            "w: 100 %, 5 of 5 rows, 5 rows/s, 0 s left");
  EXPECT_EQ(DescribeProgress("w", Unit::kRows, {1, UINT64_MAX}, 1'000'000'000),
            "w: 0 %, 1 of 18,446,744,073,709,551,615 rows, 0 rows/s, 999,999 s left");
}

}  // namespace
}  // namespace laurel::transfer
