// A board in this process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/entry.h"
#include "laurel/period.h"
#include "laurel/ranking.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel {

namespace api {
struct Held;
}  // namespace api

class BoardInstance;

// A reference to a board of a Boards collection: cheap to copy, valid until the board is dropped,
// by Drop, by Create or Rename over it, or by Advance after its own EXPIRE.
//
// Reading. A board without periods is a Ranking: read it directly. A board with periods keeps its
// entries in instances, one for each hour, day, … that was written to, so what there is to read
// depends on the time: Present and InPeriod take it, and the board itself reads as empty.
//
//   board.Top(10)                               a board without periods
//   board.Present(now)->Top(10)                 any board
//   board.InPeriod("day:-1", now)->Top(10)      yesterday's
//
// Writing. Writes name the board, never an instance: one write goes to the present instance of
// every period at once, and each applies policy and cap for itself. An error changes nothing.
//
// Time. There is no clock inside. What depends on the time takes it: a write a Moment, the rest the
// caller's clock as `now`. It may step back; a board's calendar does not go back with it.
//
// Threads: any number may read at once; a write needs the collection to itself.
class Board : public Ranking {
 public:
  explicit Board(api::Held* held);

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::size_t MemoryUsage() const;  // bytes, all structures included
  // The highest stamp that a write without AT has got. A StampClock that goes on behind a restored
  // board starts from there.
  [[nodiscard]] Stamp last_stamp() const;

  // Writes ------------------------------------------------------------------------------------

  // One member. Errors: CLOSED (outside the window, or the instance at AT takes no more writes),
  // BADTIME (AT more than a second ahead of the clock), OVERFLOW, LIMIT (member, meta or id too
  // long), REUSED (the id came with another write before), NOBOARD (the board's EXPIRE has passed),
  // ERR (wrong number of values, increment of a capped board, an id where DEDUP is 0).
  Result<WriteVerdict> Apply(const Write& write, Moment moment, const WriteOptions& options = {});
  // All of them or, on the first error, none. Write i takes the stamp moment.stamp + i; a member
  // that occurs twice is written twice, in order. The cap is applied after the last one. At most
  // 100,000; with periods all have the same AT. An id is for the whole call.
  Result<std::vector<WriteVerdict>> ApplyAll(std::span<const Write> writes, Moment moment,
                                             const WriteOptions& options = {});
  // Executes each write as one call of Apply without an id would, but fetches memory for several
  // writes ahead. Made for pipelines. Verdicts hold no ranks; on a board with periods they are the
  // first period's. Fills verdicts[i]; stamps as in ApplyAll.
  void ApplyBatch(std::span<const Write> writes, Moment moment,
                  std::vector<Result<Verdict>>* verdicts);

  // Shorthands for Apply.
  Result<WriteVerdict> Submit(std::string_view member, const Score& score, Moment moment,
                              const WriteOptions& options = {});
  Result<WriteVerdict> Set(std::string_view member, const Score& score, Moment moment,
                           const WriteOptions& options = {});
  Result<WriteVerdict> Increment(std::string_view member, const Score& score, Moment moment,
                                 const WriteOptions& options = {});

  // Replaces the meta of a member, empty removes it; false if the member is absent. With periods:
  // in every instance.
  Result<bool> SetMeta(std::string_view member, std::string_view meta, Stamp now);

  // How many of them were there. Hidden marks stay. With periods: from every instance, also from
  // one that is not kept any more until Boards::Advance has dropped it.
  std::uint64_t Remove(std::span<const std::string_view> members);
  // Removes and returns up to n entries, the first to go first. ERR with periods: name an instance.
  Result<std::vector<Entry>> Pop(std::uint64_t n, End end);
  // Keeps the n best visible entries; how many went. ERR with periods: name an instance.
  Result<std::uint64_t> Trim(std::uint64_t n);
  // Removes all entries, those of hidden members too; how many there were. Hidden marks stay. With
  // periods: from every instance, as Remove.
  std::uint64_t Clear();

  // Marks members hidden, present or not; how many were not hidden before. Their writes apply, but
  // they are left out of every rank, page and count and take no place under a cap. With periods: in
  // every instance, present and to come.
  Result<std::uint64_t> Hide(std::span<const std::string_view> members);
  // Takes the marks off; how many had one. Entries come back by score and stamp; a cap then evicts
  // the worst.
  Result<std::uint64_t> Show(std::span<const std::string_view> members);

  // Makes the board's spec this one, which differs from the present one in policy, cap, window,
  // expire, dedup and keep at the most (ERR otherwise). A lower cap evicts at once.
  Status Alter(const Spec& spec, Stamp now);

  // Fills an empty board with entries that are already in order and have distinct members; ERR if
  // they are not, or if the board has periods. Much faster than one by one.
  Status Load(std::span<const Entry> sorted);

  // The whole ---------------------------------------------------------------------------------

  // What there is to read at that moment: the board, or the first period's present instance. For
  // use at once: it is valid until the board is written to. NOBOARD if the board's EXPIRE has
  // passed.
  [[nodiscard]] Result<Ranking> Present(Stamp now) const;
  // One instance of a board with periods: "day" is the present one, "day:-1" the one before,
  // "day:2026-11-15", "week:2026-W46", "month:2026-11", "hour:2026-11-15T13+0800", "all". An
  // instance without writes is empty. NOBOARD if the board has no such period, if there is no such
  // label, or if the instance is not kept any more (Spec::keep), whether or not Advance has run.
  [[nodiscard]] Result<BoardInstance> InPeriod(std::string_view selector, Stamp now) const;
  // The instances that are kept, for each period the latest first. Empty without periods.
  [[nodiscard]] std::vector<PeriodInfo> Periods(Stamp now) const;
  [[nodiscard]] BoardInfo Describe(Stamp now) const;

  // Everything about the board but its name, as bytes for Boards::Restore. O(n).
  [[nodiscard]] std::string Save() const;

  // Checks every invariant of every structure: an empty string, or what is broken. O(n).
  [[nodiscard]] std::string Validate() const;

 private:
  api::Held* held_;
};

// One instance of a board with periods, as it was found. For use at once: it is valid until the
// board is written to other than through it. Scores are submitted to the board, not to an instance.
class BoardInstance : public Ranking {
 public:
  BoardInstance(api::Held* held, const core::Board* entries, Instance instance, Stamp now);

  [[nodiscard]] const Instance& instance() const { return instance_; }

  // As those of Board, on this instance alone.
  Result<bool> SetMeta(std::string_view member, std::string_view meta);
  Result<std::uint64_t> Remove(std::span<const std::string_view> members);
  Result<std::vector<Entry>> Pop(std::uint64_t n, End end);
  Result<std::uint64_t> Trim(std::uint64_t n);
  Result<std::uint64_t> Clear();

 private:
  api::Held* held_;
  Instance instance_;
  Stamp now_;
};

}  // namespace laurel
