// Histogram: counts durations in fixed buckets of 1, 2 and 5 times a power of ten, from 1 µs to
// 10 s. 200 bytes, no allocation, not thread-safe.
//
// Rejected: powers of two. They are found a little faster, but an operator reads "1 ms, 2 ms, 5 ms"
// more easily than "1.024 ms, 2.048 ms".
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"

namespace laurel::base {

class Histogram {
 public:
  // Upper bounds of the buckets, inclusive. One more bucket has all longer durations.
  static constexpr std::array<std::int64_t, 22> kBoundsUs = {
      1,       2,       5,         10,        20,        50,        100,    200,
      500,     1'000,   2'000,     5'000,     10'000,    20'000,    50'000, 100'000,
      200'000, 500'000, 1'000'000, 2'000'000, 5'000'000, 10'000'000};
  static constexpr std::size_t kBuckets = kBoundsUs.size() + 1;
  static_assert(std::is_sorted(kBoundsUs.begin(), kBoundsUs.end()));

  // The bucket of a duration. A negative one counts as 0.
  [[nodiscard]] static std::size_t BucketOf(std::int64_t micros) {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(micros, 0));
    std::size_t bucket = kFirstBuckets[std::min<std::size_t>(std::bit_width(value), kWidths - 1)];
    while (bucket < kBoundsUs.size() && kBoundsUs[bucket] < micros) ++bucket;  // at most twice
    return bucket;
  }

  // Counts `count` durations of `micros` each.
  void Record(std::int64_t micros, std::uint64_t count = 1) {
    Add(BucketOf(micros), count, micros * static_cast<std::int64_t>(count));
  }
  // Counts `count` durations in a bucket, of `total_us` together.
  void Add(std::size_t bucket, std::uint64_t count, std::int64_t total_us) {
    LAUREL_ASSERT(bucket < kBuckets);
    counts_[bucket] += count;
    total_us_ += total_us;
  }
  void Add(const Histogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    total_us_ += other.total_us_;
  }
  // Removes what an earlier state of the same histogram had counted.
  void Subtract(const Histogram& earlier) {
    for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] -= earlier.counts_[i];
    total_us_ -= earlier.total_us_;
  }

  [[nodiscard]] const std::array<std::uint64_t, kBuckets>& counts() const { return counts_; }
  [[nodiscard]] std::int64_t total_us() const { return total_us_; }
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) sum += count;
    return sum;
  }
  // An upper bound of the time within which `permille` thousandths of the durations were over: the
  // bound of a bucket, or INT64_MAX beyond the last bound. 0 if nothing is counted.
  [[nodiscard]] std::int64_t BoundAt(unsigned permille) const {
    LAUREL_ASSERT(permille <= 1000);
    const std::uint64_t all = count();
    if (all == 0) return 0;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kBoundsUs.size(); ++i) {
      sum += counts_[i];
      if (sum * 1000 >= all * permille) return kBoundsUs[i];
    }
    return INT64_MAX;
  }

 private:
  // By the number of bits of a duration: the first bucket that it may be in.
  static constexpr std::size_t kWidths = 25;  // 2^24 µs and more are beyond the last bound
  static_assert(std::int64_t{1} << (kWidths - 1) > kBoundsUs.back());
  static constexpr std::array<std::uint8_t, kWidths> kFirstBuckets = [] {
    std::array<std::uint8_t, kWidths> first{};
    for (std::size_t width = 1; width < kWidths; ++width) {
      const std::int64_t least = std::int64_t{1} << (width - 1);
      std::uint8_t bucket = 0;
      while (bucket < kBoundsUs.size() && kBoundsUs[bucket] < least) ++bucket;
      first[width] = bucket;
    }
    return first;
  }();

  std::array<std::uint64_t, kBuckets> counts_{};
  std::int64_t total_us_ = 0;
};
static_assert(sizeof(Histogram) <= 200);

}  // namespace laurel::base
