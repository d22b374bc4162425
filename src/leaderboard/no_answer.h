// An answer that discards everything: for operations that the host itself issues.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "leaderboard/answer.h"

namespace laurel::leaderboard {

class NoAnswer : public Answer {
 public:
  void Refused(const Error& /*error*/) override {}
  void Done() override {}
  void Absent(Missing /*what*/) override {}
  void Number(std::uint64_t /*number*/) override {}
  void Verdicts(const VerdictList& /*list*/) override {}
  void OneEntry(const EntryShape& /*shape*/, const EntryLine& /*entry*/) override {}
  void BeginEntries(const EntryShape& /*shape*/, std::uint64_t /*count*/) override {}
  void NextEntry(const EntryShape& /*shape*/, const EntryLine& /*entry*/,
                 std::optional<std::uint64_t> /*place*/) override {}
  void ShowPercentile(const Percentile& /*percentile*/) override {}
  void ShowScore(const Spec& /*spec*/, const Score& /*score*/) override {}
  void ShowHistogram(const Spec& /*spec*/, std::span<const HistogramBucket> /*buckets*/) override {}
  void ShowDescription(const Description& /*description*/) override {}
  void ShowPeriods(std::span<const PeriodLine> /*lines*/) override {}
};

}  // namespace laurel::leaderboard
