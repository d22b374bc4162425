// An answer as one line of text, for comparisons and failure messages.
#pragma once

#include <string>
#include <utility>

#include "leaderboard/answer.h"

namespace laurel::leaderboard {

class TextAnswer : public Answer {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }

  void Refused(const Error& error) override { text_ = error.ToString(); }
  void Done() override { text_ = "OK"; }
  void Absent(Missing /*what*/) override { text_ = "nil"; }
  void Number(std::uint64_t number) override { text_ = std::to_string(number); }
  void Verdicts(const VerdictList& list) override;
  void OneEntry(const EntryShape& shape, const EntryLine& entry) override;
  void BeginEntries(const EntryShape& shape, std::uint64_t count) override;
  void NextEntry(const EntryShape& shape, const EntryLine& entry,
                 std::optional<std::uint64_t> place) override;
  void ShowPercentile(const Percentile& percentile) override;
  void ShowScore(const Spec& spec, const Score& score) override;
  void ShowHistogram(const Spec& spec, std::span<const HistogramBucket> buckets) override;
  void ShowDescription(const Description& description) override;
  void ShowPeriods(std::span<const PeriodLine> lines) override;

 protected:
  void Set(std::string text) { text_ = std::move(text); }

 private:
  void AddEntry(const EntryShape& shape, const EntryLine& entry);

  std::string text_;
};

}  // namespace laurel::leaderboard
