// The reference model of laurel::Board: a sorted vector, simple enough to verify by reading.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/board.h"
#include "laurel/entry.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::model {

// Has the methods and contracts of laurel::Board. Written from the specification alone, with linear
// scans; it shares no code with the library.
//
// If a command has several faults, a board may report any of them: the message of an error of the
// model lists the names of all codes that are right.
class NaiveBoard {
 public:
  using End = Board::End;

  explicit NaiveBoard(Spec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] const Spec& spec() const { return spec_; }
  [[nodiscard]] std::uint64_t size() const { return visible_.size(); }

  Result<Verdict> Apply(const Write& write, Moment moment);
  Result<std::vector<Verdict>> ApplyAll(std::span<const Write> writes, Moment moment);
  void ApplyBatch(std::span<const Write> writes, Moment moment,
                  std::vector<Result<Verdict>>* verdicts);
  Result<Verdict> Submit(std::string_view member, const Score& score, Moment moment);
  Result<Verdict> Set(std::string_view member, const Score& score, Moment moment);
  Result<Verdict> Increment(std::string_view member, const Score& score, Moment moment);

  Result<bool> SetMeta(std::string_view member, std::string_view meta);
  std::uint64_t Remove(std::span<const std::string_view> members);
  std::vector<Entry> Pop(std::uint64_t n, End end);
  std::uint64_t Trim(std::uint64_t n);
  std::uint64_t Clear();
  Result<std::uint64_t> Hide(std::span<const std::string_view> members);
  Result<std::uint64_t> Show(std::span<const std::string_view> members);
  Status AlterCap(std::uint64_t cap);
  // REQUIRES: fields and tie are those of spec(), and CheckSpec(spec) is ok.
  void Alter(const Spec& spec);
  Status Load(std::span<const Entry> sorted);

  [[nodiscard]] std::optional<Entry> Get(std::string_view member,
                                         RankKind kind = RankKind::kOrdinal) const;
  void Ranks(std::span<const std::string_view> members,
             std::vector<std::optional<std::uint64_t>>* ranks) const;
  [[nodiscard]] std::optional<Entry> At(std::uint64_t rank,
                                        RankKind kind = RankKind::kOrdinal) const;
  [[nodiscard]] std::vector<Entry> Top(std::uint64_t n, RankKind kind = RankKind::kOrdinal) const;
  [[nodiscard]] Result<std::vector<Entry>> Range(std::int64_t first, std::int64_t last,
                                                 RankKind kind = RankKind::kOrdinal) const;
  [[nodiscard]] std::optional<std::vector<Entry>> Around(std::string_view member, std::uint64_t m,
                                                         RankKind kind = RankKind::kOrdinal) const;
  [[nodiscard]] std::vector<AmongEntry> Among(std::span<const std::string_view> members,
                                              RankKind kind = RankKind::kOrdinal) const;
  [[nodiscard]] Result<std::optional<std::uint64_t>> RankOf(
      const Score& score, RankKind kind = RankKind::kOrdinal) const;
  [[nodiscard]] std::uint64_t Count(const ScoreBound& min, const ScoreBound& max) const;
  [[nodiscard]] std::vector<Entry> Between(const ScoreBound& min, const ScoreBound& max,
                                           std::uint64_t offset, std::uint64_t limit,
                                           RankKind kind = RankKind::kOrdinal) const;
  [[nodiscard]] std::uint64_t LexCount(const LexBound& min, const LexBound& max) const;
  [[nodiscard]] std::vector<Entry> LexRange(const LexBound& min, const LexBound& max,
                                            std::uint64_t offset, std::uint64_t limit) const;
  [[nodiscard]] std::optional<Percentile> PercentileOf(std::string_view member) const;
  [[nodiscard]] Result<std::optional<Score>> Quantile(std::int64_t percent) const;
  [[nodiscard]] Result<std::vector<HistogramBucket>> Histogram(std::uint64_t buckets) const;

  // The contents, for the test driver: the visible entries, best first and without ranks, and the
  // hidden members, each with its entry if it has one.
  [[nodiscard]] const std::vector<Entry>& visible() const { return visible_; }
  [[nodiscard]] const std::map<std::string, std::optional<Entry>>& hidden() const {
    return hidden_;
  }
  // True if a stands ahead of b: the rules of order.
  [[nodiscard]] bool Ahead(const Entry& a, const Entry& b) const;

 private:
  struct Decision {
    WriteStatus status = WriteStatus::kAccepted;
    std::optional<Entry> entry;  // the entry to store, if any
  };

  // Negative if a ranks ahead of b, positive if b ranks ahead, 0 if all fields are equal.
  [[nodiscard]] int CompareScores(const Score& a, const Score& b) const;
  // Compares field 1 as numbers, whatever its direction.
  [[nodiscard]] bool LessInField1(const Score& a, const Score& b) const;
  [[nodiscard]] bool sorted_set() const { return spec_.kind == BoardKind::kSortedSet; }
  [[nodiscard]] bool has_operators() const;
  [[nodiscard]] std::size_t max_member_bytes() const;

  // The 0-based index among the visible entries.
  [[nodiscard]] std::optional<std::size_t> IndexOf(std::string_view member) const;
  // The entry of the member, visible or hidden; null if absent.
  [[nodiscard]] const Entry* Find(std::string_view member) const;
  [[nodiscard]] std::optional<std::uint64_t> OrdinalRank(std::string_view member) const;
  [[nodiscard]] Entry WithRank(std::size_t index, RankKind kind) const;
  [[nodiscard]] std::vector<Entry> Slice(std::size_t begin, std::size_t end, RankKind kind) const;

  [[nodiscard]] bool Takes(const Write& write, Stamp now) const;
  [[nodiscard]] std::set<ErrorCode> ValidationFaults(const Write& write, Moment moment) const;
  [[nodiscard]] Result<Score> Combine(const Write& write, const Entry* old) const;
  // The outcome of a valid write for its member, before the cap applies.
  [[nodiscard]] Result<Decision> Decide(const Write& write, const Entry* old,
                                        Stamp own_stamp) const;
  Result<Verdict> Step(const Write& write, Stamp own_stamp);
  // Stores the entry at its place in the order, and removes the member's old entry.
  void Store(Entry entry);
  void InsertVisible(Entry entry);
  bool Erase(std::string_view member);
  std::set<std::string> EvictBeyondCap();
  // The least score with which `entry`, whose own is ignored, would stand ahead of the last one.
  [[nodiscard]] std::optional<Score> ScoreToEnter(Entry entry) const;

  Spec spec_;
  std::vector<Entry> visible_;  // best first, ranks not filled in
  std::map<std::string, std::optional<Entry>> hidden_;
};

}  // namespace laurel::model
