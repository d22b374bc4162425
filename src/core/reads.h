// Reads of standings. Contracts: the methods of the same names in laurel/ranking.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/standings.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// The ranks of a run of neighbouring entries. Only the first entry costs a search.
class RankCounter {
 public:
  RankCounter(const Standings& standings, RankKind kind) : standings_(standings), kind_(kind) {}

  // The rank of the entry at `index`. REQUIRES: called for rising indexes without gaps.
  std::uint64_t Next(std::uint64_t index, const Words& words);

 private:
  const Standings& standings_;
  RankKind kind_;
  bool started_ = false;
  std::uint64_t rank_ = 0;
  Words last_{};
};

std::optional<Entry> Get(const Standings& standings, std::string_view member, RankKind kind);
void Ranks(const Standings& standings, std::span<const std::string_view> members,
           std::vector<std::optional<std::uint64_t>>* ranks);
// The entries [first, first + count) in board order, cut off at the end.
std::vector<Entry> Page(const Standings& standings, std::uint64_t first, std::uint64_t count,
                        RankKind kind);
// One member of an Among read. FindAmong returns each requested member once: best first, then the
// members without a visible entry in the order requested.
struct AmongPlace {
  std::string_view member;
  std::uint64_t index = UINT64_MAX;
  Location location = kNowhere;
  const Standings::HiddenEntry* hidden = nullptr;
};
std::vector<AmongPlace> FindAmong(const Standings& standings,
                                  std::span<const std::string_view> members);
std::vector<AmongEntry> Among(const Standings& standings, std::span<const std::string_view> members,
                              RankKind kind);
Result<std::optional<std::uint64_t>> RankOf(const Standings& standings, const Score& score,
                                            RankKind kind);

// A run of entries in board order. It may reach beyond the end of the board; Page cuts it off
// there.
struct IndexRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
Result<IndexRange> BetweenRanks(const Standings& standings, std::int64_t first, std::int64_t last);
IndexRange Around(const Standings& standings, std::uint64_t index, std::uint64_t m);
IndexRange Between(const Standings& standings, const ScoreBound& min, const ScoreBound& max);
IndexRange LexBetween(const Standings& standings, const LexBound& min, const LexBound& max);

std::optional<Percentile> PercentileOf(const Standings& standings, std::string_view member);
Result<std::optional<Score>> Quantile(const Standings& standings, std::int64_t percent);
Result<std::vector<HistogramBucket>> Histogram(const Standings& standings, std::uint64_t buckets);

// Draws `count` random indexes below `size`; if `distinct`, all different and at most `size` of
// them. REQUIRES: size > 0.
std::vector<std::uint64_t> RandomIndexes(std::uint64_t size, std::uint64_t count, bool distinct,
                                         std::uint64_t seed);
std::vector<Entry> RandomEntries(const Standings& standings, std::uint64_t count, bool distinct,
                                 std::uint64_t seed);
ScanPage Scan(const Standings& standings, std::uint64_t cursor, std::uint64_t count);
void ForEach(const Standings& standings, bool backward,
             const std::function<bool(const Entry&)>& visit);

}  // namespace laurel::core
