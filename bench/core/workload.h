// Members and scores for the core benchmarks, generated before the measurement starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "laurel/entry.h"

namespace laurel::bench {

enum class Distribution : std::uint8_t {
  kUniform,   // 63 bits, hardly any ties
  kPyramid,   // the lower the score, the more players share it (seed 001's pyramid)
  kTwenties,  // n / 20 distinct scores
  kEqual,     // one score for all
};
inline constexpr Distribution kDistributions[] = {Distribution::kUniform, Distribution::kPyramid,
                                                  Distribution::kTwenties, Distribution::kEqual};
const char* NameOf(Distribution distribution);

enum class MemberStyle : std::uint8_t {
  kText18,  // "player:00000012345"
  kInt64,   // ids of 19 digits
  kInt32,   // ids of up to 10 digits, below 2^31
};

class Workload {
 public:
  Workload(Distribution distribution, MemberStyle style, std::uint64_t entries, std::uint64_t seed)
      : distribution_(distribution), style_(style), entries_(entries), random_(seed) {}

  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  std::int64_t NextScore();
  [[nodiscard]] std::string Member(std::uint64_t number) const;

  // Writes, and one buffer with their members' text.
  struct Writes {
    std::vector<Write> list;
    std::string text;
  };
  // Returns one write for each member, in random order.
  Writes Inserts();
  // Returns writes for random members, with a new score or an increment each. On an all-equal board
  // a new score would change the distribution, so the stamp changes instead.
  Writes Updates(std::uint64_t count);
  Writes Increments(std::uint64_t count);
  // Returns random members, for reads.
  Writes Members(std::uint64_t count);

 private:
  Writes Make(std::uint64_t count, WriteMode mode, bool every_member);

  Distribution distribution_;
  MemberStyle style_;
  std::uint64_t entries_;
  std::uint64_t updates_ = 0;  // number so far, on an all-equal board
  base::Random random_;
};

// Stamps of the benchmarks start at a fixed time, a microsecond apart.
inline constexpr Stamp kFirstStamp = 1'700'000'000'000'000;

}  // namespace laurel::bench
