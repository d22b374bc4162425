#include "api/collector.h"

namespace laurel::api {

void Collector::Verdicts(const leaderboard::VerdictList& list) {
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

void Collector::OneEntry(const leaderboard::EntryShape& shape,
                         const leaderboard::EntryLine& entry) {
  NextEntry(shape, entry, std::nullopt);
}

void Collector::BeginEntries(const leaderboard::EntryShape& /*shape*/, std::uint64_t count) {
  entries_.reserve(count);
}

void Collector::NextEntry(const leaderboard::EntryShape& /*shape*/,
                          const leaderboard::EntryLine& entry,
                          std::optional<std::uint64_t> /*place*/) {
  Entry& copy = entries_.emplace_back();
  copy.rank = entry.rank;
  copy.member = entry.member;
  copy.score = *entry.score;
  copy.stamp = entry.stamp;
  copy.meta = entry.meta;
}

void Collector::ShowPeriods(std::span<const leaderboard::PeriodLine> lines) {
  for (const leaderboard::PeriodLine& line : lines) {
    periods_.push_back({line.span, line.present, line.closed, line.size});
  }
}

}  // namespace laurel::api
