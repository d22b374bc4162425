// Collector: the answer to an operation, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "laurel/entry.h"
#include "laurel/result.h"
#include "leaderboard/answer.h"

namespace laurel::api {

// Collects the answer to one operation. Each kind of operation fills only the values of its own
// answer.
class Collector final : public leaderboard::Answer {
 public:
  // The reason why the operation was refused; none if it was executed.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::vector<Entry>& entries() { return entries_; }
  [[nodiscard]] std::vector<PeriodInfo>& periods() { return periods_; }
  [[nodiscard]] const leaderboard::Description& description() const { return description_; }
  // One verdict per write.
  [[nodiscard]] std::vector<WriteVerdict>& verdicts() { return verdicts_; }

  void Refused(const Error& error) override { error_ = error; }
  void Done() override {}
  void Absent(leaderboard::Missing /*what*/) override {}
  void Number(std::uint64_t number) override { number_ = number; }
  void Verdicts(const leaderboard::VerdictList& list) override {
    const std::size_t boards = list.boards();
    const std::vector<Period>& periods = list.spec->periods;
    verdicts_.resize(list.verdicts.size() / boards);
    for (std::size_t i = 0; i < verdicts_.size(); ++i) {
      WriteVerdict& verdict = verdicts_[i];
      static_cast<Verdict&>(verdict) = list.verdicts[i * boards];
      verdict.duplicate = list.duplicate;
      for (std::size_t k = 0; k < periods.size(); ++k) {
        verdict.periods.push_back({periods[k], list.verdicts[i * boards + k]});
      }
    }
  }
  void OneEntry(const leaderboard::EntryShape& shape,
                const leaderboard::EntryLine& entry) override {
    NextEntry(shape, entry, std::nullopt);
  }
  void BeginEntries(const leaderboard::EntryShape& /*shape*/, std::uint64_t count) override {
    entries_.reserve(count);
  }
  void NextEntry(const leaderboard::EntryShape& /*shape*/, const leaderboard::EntryLine& entry,
                 std::optional<std::uint64_t> /*place*/) override {
    Entry& copy = entries_.emplace_back();
    copy.rank = entry.rank;
    copy.member = entry.member;
    copy.score = *entry.score;
    copy.stamp = entry.stamp;
    copy.meta = entry.meta;
  }
  // Never called: the library reads these from core, not through operations.
  void ShowPercentile(const Percentile& /*percentile*/) override {}
  void ShowScore(const Spec& /*spec*/, const Score& /*score*/) override {}
  void ShowHistogram(const Spec& /*spec*/, std::span<const HistogramBucket> /*buckets*/) override {}
  void ShowDescription(const leaderboard::Description& description) override {
    description_ = description;
  }
  void ShowPeriods(std::span<const leaderboard::PeriodLine> lines) override {
    for (const leaderboard::PeriodLine& line : lines) {
      periods_.push_back({line.span, line.present, line.closed, line.size});
    }
  }

 private:
  std::optional<Error> error_;
  std::uint64_t number_ = 0;
  std::vector<Entry> entries_;
  std::vector<PeriodInfo> periods_;
  std::vector<WriteVerdict> verdicts_;
  leaderboard::Description description_;
};

}  // namespace laurel::api
