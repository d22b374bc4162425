#include "laurel/ranking.h"

#include <algorithm>

#include "core/reads.h"
#include "core/standings.h"

namespace laurel {

const Spec& Ranking::spec() const { return entries_->spec(); }
std::uint64_t Ranking::size() const { return entries_->entries().size(); }
bool Ranking::contains(std::string_view member) const {
  return entries_->entries().Find(core::MemberKey(member)) != core::kNowhere ||
         entries_->FindHidden(member) != nullptr;
}

std::optional<Entry> Ranking::Get(std::string_view member, RankKind kind) const {
  return core::Get(*entries_, member, kind);
}

void Ranking::Ranks(std::span<const std::string_view> members,
                    std::vector<std::optional<std::uint64_t>>* ranks) const {
  core::Ranks(*entries_, members, ranks);
}

std::optional<Entry> Ranking::At(std::uint64_t rank, RankKind kind) const {
  if (rank == 0 || rank > size()) return std::nullopt;
  return core::Page(*entries_, rank - 1, 1, kind)[0];
}

std::vector<Entry> Ranking::Top(std::uint64_t n, RankKind kind) const {
  return core::Page(*entries_, 0, n, kind);
}

Result<std::vector<Entry>> Ranking::Range(std::int64_t first, std::int64_t last,
                                          RankKind kind) const {
  const Result<core::IndexRange> range = core::BetweenRanks(*entries_, first, last);
  if (!range.ok()) return range.error();
  return core::Page(*entries_, range->first, range->count, kind);
}

std::optional<std::vector<Entry>> Ranking::Around(std::string_view member, std::uint64_t m,
                                                  RankKind kind) const {
  const core::Location location = entries_->entries().Find(core::MemberKey(member));
  if (location == core::kNowhere) return std::nullopt;
  const core::IndexRange range = core::Around(*entries_, entries_->entries().IndexOf(location), m);
  return core::Page(*entries_, range.first, range.count, kind);
}

std::vector<AmongEntry> Ranking::Among(std::span<const std::string_view> members,
                                       RankKind kind) const {
  return core::Among(*entries_, members, kind);
}

Result<std::optional<std::uint64_t>> Ranking::RankOf(const Score& score, RankKind kind) const {
  return core::RankOf(*entries_, score, kind);
}

std::uint64_t Ranking::Count(const ScoreBound& min, const ScoreBound& max) const {
  return core::Between(*entries_, min, max).count;
}

namespace {

// Returns the range after skipping `offset` entries, at most `limit` long.
core::IndexRange Limited(core::IndexRange range, std::uint64_t offset, std::uint64_t limit) {
  if (offset >= range.count) return {};
  return {range.first + offset, std::min(limit, range.count - offset)};
}

}  // namespace

std::vector<Entry> Ranking::Between(const ScoreBound& min, const ScoreBound& max,
                                    std::uint64_t offset, std::uint64_t limit,
                                    RankKind kind) const {
  const core::IndexRange range = Limited(core::Between(*entries_, min, max), offset, limit);
  return core::Page(*entries_, range.first, range.count, kind);
}

std::uint64_t Ranking::LexCount(const LexBound& min, const LexBound& max) const {
  return core::LexBetween(*entries_, min, max).count;
}

std::vector<Entry> Ranking::LexRange(const LexBound& min, const LexBound& max, std::uint64_t offset,
                                     std::uint64_t limit) const {
  const core::IndexRange range = Limited(core::LexBetween(*entries_, min, max), offset, limit);
  return core::Page(*entries_, range.first, range.count, RankKind::kOrdinal);
}

std::optional<Percentile> Ranking::PercentileOf(std::string_view member) const {
  return core::PercentileOf(*entries_, member);
}

Result<std::optional<Score>> Ranking::Quantile(std::int64_t percent) const {
  return core::Quantile(*entries_, percent);
}

Result<std::vector<HistogramBucket>> Ranking::Histogram(std::uint64_t buckets) const {
  return core::Histogram(*entries_, buckets);
}

std::vector<Entry> Ranking::RandomEntries(std::uint64_t count, bool distinct,
                                          std::uint64_t seed) const {
  return core::RandomEntries(*entries_, count, distinct, seed);
}

ScanPage Ranking::Scan(std::uint64_t cursor, std::uint64_t count) const {
  return core::Scan(*entries_, cursor, count);
}

void Ranking::ForEach(End from, const std::function<bool(const Entry&)>& visit) const {
  core::ForEach(*entries_, from == End::kWorst, visit);
}

}  // namespace laurel
