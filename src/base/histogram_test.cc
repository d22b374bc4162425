#include "base/histogram.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

// The bucket, found by comparing with every bound.
std::size_t PlainBucketOf(std::int64_t micros) {
  std::size_t bucket = 0;
  while (bucket < Histogram::kBoundsUs.size() && Histogram::kBoundsUs[bucket] < micros) ++bucket;
  return bucket;
}

TEST(Histogram, CountsEachDurationInTheFirstBucketWhoseBoundIsNotBelow) {
  for (std::int64_t micros = -2; micros < 3000; ++micros) {
    ASSERT_EQ(Histogram::BucketOf(micros), PlainBucketOf(micros)) << micros;
  }
  for (const std::int64_t bound : Histogram::kBoundsUs) {
    for (const std::int64_t micros : {bound - 1, bound, bound + 1}) {
      EXPECT_EQ(Histogram::BucketOf(micros), PlainBucketOf(micros)) << micros;
    }
  }
  for (std::uint64_t power = 1; power < std::uint64_t{1} << 62; power *= 2) {
    for (const std::uint64_t value : {power - 1, power, power + 1}) {
      const auto micros = static_cast<std::int64_t>(value);
      EXPECT_EQ(Histogram::BucketOf(micros), PlainBucketOf(micros)) << micros;
    }
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Histogram::BucketOf(kMost), Histogram::kBuckets - 1);
  EXPECT_EQ(Histogram::BucketOf(-kMost), 0U);
}

TEST(Histogram, BoundsRiseByOneTwoAndFiveFromAMicrosecondToTenSeconds) {
  EXPECT_EQ(Histogram::kBoundsUs.front(), 1);
  EXPECT_EQ(Histogram::kBoundsUs.back(), 10'000'000);
  for (std::size_t i = 0; i + 3 < Histogram::kBoundsUs.size(); ++i) {
    EXPECT_EQ(Histogram::kBoundsUs[i + 3], 10 * Histogram::kBoundsUs[i]);
    EXPECT_LT(Histogram::kBoundsUs[i], Histogram::kBoundsUs[i + 1]);
  }
}

TEST(Histogram, AddsCountsAndTimes) {
  Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  histogram.Record(3);
  histogram.Record(4, 10);
  histogram.Record(20'000'000);
  EXPECT_EQ(histogram.count(), 12U);
  EXPECT_EQ(histogram.total_us(), 20'000'043);
  EXPECT_EQ(histogram.counts()[2], 11U);
  EXPECT_EQ(histogram.counts().back(), 1U);
  const Histogram earlier = histogram;
  histogram.Record(7, 2);
  Histogram twice = histogram;
  twice.Add(earlier);
  EXPECT_EQ(twice.count(), 26U);
  EXPECT_EQ(twice.total_us(), 40'000'100);
  histogram.Subtract(earlier);
  EXPECT_EQ(histogram.count(), 2U);
  EXPECT_EQ(histogram.total_us(), 14);
  EXPECT_EQ(histogram.counts()[3], 2U);
}

TEST(Histogram, BoundsAShareOfTheDurations) {
  Histogram histogram;
  EXPECT_EQ(histogram.BoundAt(500), 0);
  histogram.Record(3, 990);
  histogram.Record(150, 9);
  EXPECT_EQ(histogram.BoundAt(500), 5);
  EXPECT_EQ(histogram.BoundAt(990), 5);
  EXPECT_EQ(histogram.BoundAt(999), 200);
  EXPECT_EQ(histogram.BoundAt(1000), 200);
  histogram.Record(11'000'000);
  EXPECT_EQ(histogram.BoundAt(999), 200);
  EXPECT_EQ(histogram.BoundAt(1000), INT64_MAX);
}

}  // namespace
}  // namespace laurel::base
