// The judge: laurel::Board once more, as a sorted vector that is right by reading.
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

// The methods of laurel::Board with their contracts. Written from the specification alone, with
// linear scans only: nothing here is shared with the library, and nothing here is fast.
//
// Where a command has several faults any of them may be reported: the message of an error made
// here lists the names of all codes that are right.
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
  // REQUIRES: fields and tie as they are, and CheckSpec(spec) is ok.
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

  // For the driver, which has no other way to see what a board holds: the visible entries, best
  // first and without ranks, and the marked members, each with its entry if it has one.
  [[nodiscard]] const std::vector<Entry>& visible() const { return visible_; }
  [[nodiscard]] const std::map<std::string, std::optional<Entry>>& hidden() const {
    return hidden_;
  }
  // True if a stands ahead of b: the rules of order.
  [[nodiscard]] bool Ahead(const Entry& a, const Entry& b) const;

 private:
  struct Decision {
    WriteStatus status = WriteStatus::kAccepted;
    std::optional<Entry> entry;  // what is stored, if anything
  };

  // Negative if a ranks ahead of b, positive if behind, 0 if all fields are equal.
  [[nodiscard]] int CompareScores(const Score& a, const Score& b) const;
  // By number, whatever the direction.
  [[nodiscard]] bool LessInField1(const Score& a, const Score& b) const;
  [[nodiscard]] bool sorted_set() const { return spec_.kind == BoardKind::kSortedSet; }
  [[nodiscard]] bool has_operators() const;
  [[nodiscard]] std::size_t max_member_bytes() const;

  // 0-based place among the visible entries.
  [[nodiscard]] std::optional<std::size_t> IndexOf(std::string_view member) const;
  // Visible or hidden; null if absent.
  [[nodiscard]] const Entry* Find(std::string_view member) const;
  [[nodiscard]] std::optional<std::uint64_t> OrdinalRank(std::string_view member) const;
  [[nodiscard]] Entry WithRank(std::size_t index, RankKind kind) const;
  [[nodiscard]] std::vector<Entry> Slice(std::size_t begin, std::size_t end, RankKind kind) const;

  [[nodiscard]] bool Takes(const Write& write, Stamp now) const;
  [[nodiscard]] std::set<ErrorCode> ValidationFaults(const Write& write, Moment moment) const;
  [[nodiscard]] Result<Score> Combine(const Write& write, const Entry* old) const;
  // What a write that is valid does to its member, nothing else looked at.
  [[nodiscard]] Result<Decision> Decide(const Write& write, const Entry* old,
                                        Stamp own_stamp) const;
  Result<Verdict> Step(const Write& write, Stamp own_stamp);
  // Puts the entry where it belongs, in the place of the one the member had.
  void Store(Entry entry);
  void InsertVisible(Entry entry);
  bool Erase(std::string_view member);
  std::set<std::string> EvictBeyondCap();
  // The least score with which the entry, which has none, would stand ahead of the last one.
  [[nodiscard]] std::optional<Score> ScoreToEnter(Entry entry) const;

  Spec spec_;
  std::vector<Entry> visible_;  // best first, ranks not filled in
  std::map<std::string, std::optional<Entry>> hidden_;
};

}  // namespace laurel::model
