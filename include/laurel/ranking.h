// Ranking: every way to read entries in order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "laurel/entry.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel {

namespace core {
class Standings;
}  // namespace core

// A reference to the entries of a board, or of one instance of a board with periods. Cheap to copy.
//
// Entries are ordered best first by field 1, then field 2, …, each in its own direction; equal
// scores by the tie rule; entries that are still equal by member bytes. Ranks are 1-based. Reading
// one entry is O(log n), every list O(log n + entries returned). Any number of threads may read at
// once.
class Ranking {
 public:
  enum class End : std::uint8_t { kBest, kWorst };

  explicit Ranking(const core::Standings* entries) : entries_(entries) {}

  // For an instance: the spec without the options of the whole board, see InstanceSpec.
  [[nodiscard]] const Spec& spec() const;
  [[nodiscard]] std::uint64_t size() const;  // visible entries
  // Whether the member has an entry, visible or hidden.
  [[nodiscard]] bool contains(std::string_view member) const;

  // The member's entry. None if the member is absent; without rank if it is hidden.
  [[nodiscard]] std::optional<Entry> Get(std::string_view member,
                                         RankKind kind = RankKind::kOrdinal) const;
  // Sets *ranks to the ordinal rank of each member; none if absent or hidden. Faster than single
  // calls of Get: memory is prefetched for several members at a time.
  void Ranks(std::span<const std::string_view> members,
             std::vector<std::optional<std::uint64_t>>* ranks) const;
  // The entry at this ordinal rank; none if there is none.
  [[nodiscard]] std::optional<Entry> At(std::uint64_t rank,
                                        RankKind kind = RankKind::kOrdinal) const;
  // The n best entries, or all if there are fewer.
  [[nodiscard]] std::vector<Entry> Top(std::uint64_t n, RankKind kind = RankKind::kOrdinal) const;
  // The entries with ordinal ranks `first` to `last`, both inclusive. Negative ranks count from the
  // end: -1 is the last entry. The range is cut off at the ends. ERR if either rank is 0.
  [[nodiscard]] Result<std::vector<Entry>> Range(std::int64_t first, std::int64_t last,
                                                 RankKind kind = RankKind::kOrdinal) const;
  // The member's entry with up to m entries on each side, fewer at the ends; none if the member is
  // absent or hidden.
  [[nodiscard]] std::optional<std::vector<Entry>> Around(std::string_view member, std::uint64_t m,
                                                         RankKind kind = RankKind::kOrdinal) const;
  // One line for each of the members: best first, then absent and hidden members in the order
  // given. A member that is given twice gets one line.
  [[nodiscard]] std::vector<AmongEntry> Among(std::span<const std::string_view> members,
                                              RankKind kind = RankKind::kOrdinal) const;
  // The rank that a new member with this score would get now: after the entries with an equal
  // score, or before them under tie `last`. None if a full cap would keep it out. ERR for a wrong
  // number of values or, on a sorted set, NaN.
  [[nodiscard]] Result<std::optional<std::uint64_t>> RankOf(
      const Score& score, RankKind kind = RankKind::kOrdinal) const;

  // The number of entries between the bounds, which compare the number of field 1: `min` is the
  // lower number, whatever the field's direction.
  [[nodiscard]] std::uint64_t Count(const ScoreBound& min, const ScoreBound& max) const;
  // Returns the entries between the bounds in board order: skips `offset` of them, then returns at
  // most `limit`.
  [[nodiscard]] std::vector<Entry> Between(const ScoreBound& min, const ScoreBound& max,
                                           std::uint64_t offset = 0,
                                           std::uint64_t limit = UINT64_MAX,
                                           RankKind kind = RankKind::kOrdinal) const;

  // Counts or returns the entries between two members, by member bytes, on a sorted set whose
  // scores are all equal. If they are not, the result is unspecified, as in Redis.
  // O(log² n + entries returned).
  [[nodiscard]] std::uint64_t LexCount(const LexBound& min, const LexBound& max) const;
  [[nodiscard]] std::vector<Entry> LexRange(const LexBound& min, const LexBound& max,
                                            std::uint64_t offset = 0,
                                            std::uint64_t limit = UINT64_MAX) const;

  // The share of the other entries that the member beats; none if it is absent or hidden.
  [[nodiscard]] std::optional<Percentile> PercentileOf(std::string_view member) const;
  // The score of the ceil(percent / 100 × n)-th entry from the worst, at least the first; none if
  // there are no entries. `percent` has nine decimals (ParseNumber(text, 9)): 50 % is
  // 50'000'000'000. ERR outside 0..100.
  [[nodiscard]] Result<std::optional<Score>> Quantile(std::int64_t percent) const;
  // Counts of `buckets` equal slices of field 1, from the lowest value to the highest; an empty
  // list if there are no entries. ERR if `buckets` is outside 1..1000, WRONGTYPE on a sorted set.
  [[nodiscard]] Result<std::vector<HistogramBucket>> Histogram(std::uint64_t buckets) const;

  // `count` entries, chosen uniformly. `distinct`: no entry occurs twice, and at most size() are
  // returned. Otherwise each choice is independent. The same seed gives the same choice.
  [[nodiscard]] std::vector<Entry> RandomEntries(std::uint64_t count, bool distinct,
                                                 std::uint64_t seed) const;

  // One step of a scan of the visible entries: about `count` of them, in no particular order,
  // without ranks. Start with cursor 0 and continue with ScanPage::cursor until it is 0.
  [[nodiscard]] ScanPage Scan(std::uint64_t cursor, std::uint64_t count) const;

  // Calls `visit` for each visible entry, starting at the end `from`, until `visit` returns false.
  // REQUIRES: the board does not change meanwhile.
  void ForEach(End from, const std::function<bool(const Entry&)>& visit) const;

 private:
  const core::Standings* entries_;
};

}  // namespace laurel
