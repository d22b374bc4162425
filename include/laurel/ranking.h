// Entries in order, and every way to read them.
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
class Board;
}  // namespace core

// The entries of a board, or of one instance of a board with periods. Cheap to copy.
//
// Entries stand best first by field 1, then field 2, …, each in its own direction; equal scores by
// the tie rule; what is still equal by member bytes. Ranks are 1-based. Reading one entry is
// O(log n), every list O(log n + what is returned). Any number of threads may read at once.
class Ranking {
 public:
  enum class End : std::uint8_t { kBest, kWorst };

  explicit Ranking(const core::Board* entries) : entries_(entries) {}

  // Of an instance: without what concerns the board as a whole, see InstanceSpec.
  [[nodiscard]] const Spec& spec() const;
  [[nodiscard]] std::uint64_t size() const;  // visible entries
  // Visible or hidden.
  [[nodiscard]] bool contains(std::string_view member) const;

  // Absent: none. Hidden: an entry without rank.
  [[nodiscard]] std::optional<Entry> Get(std::string_view member,
                                         RankKind kind = RankKind::kOrdinal) const;
  // The 1-based ranks of many members at once, with memory fetched ahead; none where absent or
  // hidden.
  void Ranks(std::span<const std::string_view> members,
             std::vector<std::optional<std::uint64_t>>* ranks) const;
  [[nodiscard]] std::optional<Entry> At(std::uint64_t rank,
                                        RankKind kind = RankKind::kOrdinal) const;
  [[nodiscard]] std::vector<Entry> Top(std::uint64_t n, RankKind kind = RankKind::kOrdinal) const;
  // Ranks first to last, both inclusive; negative ones count from the end; cut off at the ends.
  // ERR if either is 0.
  [[nodiscard]] Result<std::vector<Entry>> Range(std::int64_t first, std::int64_t last,
                                                 RankKind kind = RankKind::kOrdinal) const;
  // Up to m entries on each side, the member between them; none for absent or hidden.
  [[nodiscard]] std::optional<std::vector<Entry>> Around(std::string_view member, std::uint64_t m,
                                                         RankKind kind = RankKind::kOrdinal) const;
  // Best first; absent and hidden members last, in the order asked. A member asked for twice
  // counts once.
  [[nodiscard]] std::vector<AmongEntry> Among(std::span<const std::string_view> members,
                                              RankKind kind = RankKind::kOrdinal) const;
  // The rank a new member with this score would get now: behind its equals, under tie `last` before
  // them; none where a full cap would keep it out. ERR for a wrong number of values.
  [[nodiscard]] Result<std::optional<std::uint64_t>> RankOf(
      const Score& score, RankKind kind = RankKind::kOrdinal) const;

  // By field 1's number, low before high, whatever the direction.
  [[nodiscard]] std::uint64_t Count(const ScoreBound& min, const ScoreBound& max) const;
  // Entries between the bounds in board order, at most `limit` of them after skipping `offset`.
  [[nodiscard]] std::vector<Entry> Between(const ScoreBound& min, const ScoreBound& max,
                                           std::uint64_t offset = 0,
                                           std::uint64_t limit = UINT64_MAX,
                                           RankKind kind = RankKind::kOrdinal) const;

  // By member bytes, on a sorted set whose scores are all equal (the answer is unspecified if they
  // are not, as in Redis). O(log² n + what is returned).
  [[nodiscard]] std::uint64_t LexCount(const LexBound& min, const LexBound& max) const;
  [[nodiscard]] std::vector<Entry> LexRange(const LexBound& min, const LexBound& max,
                                            std::uint64_t offset = 0,
                                            std::uint64_t limit = UINT64_MAX) const;

  // None for absent or hidden.
  [[nodiscard]] std::optional<Percentile> PercentileOf(std::string_view member) const;
  // The score of the ceil(p / 100 × n)-th entry from the worst, at least the first; none if empty.
  // `percent` has nine decimals (ParseNumber(text, 9)): 50 is 50'000'000'000. ERR outside 0..100.
  [[nodiscard]] Result<std::optional<Score>> Quantile(std::int64_t percent) const;
  // `buckets` equal slices of field 1 from the lowest value to the highest; none if the board is
  // empty. ERR outside 1..1000, WRONGTYPE on a sorted set.
  [[nodiscard]] Result<std::vector<HistogramBucket>> Histogram(std::uint64_t buckets) const;

  // `count` entries, uniformly chosen: all different (and then at most size()) or each on its own.
  [[nodiscard]] std::vector<Entry> RandomEntries(std::uint64_t count, bool distinct,
                                                 std::uint64_t seed) const;

  // About `count` entries per step, in no order, without ranks, visible ones only. Start and end
  // with cursor 0.
  [[nodiscard]] ScanPage Scan(std::uint64_t cursor, std::uint64_t count) const;

  // Calls `visit` for each visible entry from one end to the other until it returns false. The
  // board must not change meanwhile.
  void ForEach(End from, const std::function<bool(const Entry&)>& visit) const;

 private:
  const core::Board* entries_;
};

}  // namespace laurel
