// Board and BoardInstance: reading and writing one board of this process.
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
struct BoardSlot;
}  // namespace api

class BoardInstance;

// A reference to one board of a Boards collection. Cheap to copy. It is valid until the board is
// dropped: by Boards::Drop, by Boards::Rename of another board to this name, by Boards::Advance
// after the board's EXPIRE, or by Boards::Create or Boards::Restore under the name of a board whose
// EXPIRE has passed.
//
// Reading. A board without periods is a Ranking: read it directly. A board with periods keeps its
// entries in instances, one for each hour, day, … that was written to. Which instance to read
// depends on the time, so Present and InPeriod take the time. The board itself reads as empty.
//
//   board.Top(10)                               a board without periods
//   board.Present(now)->Top(10)                 any board
//   board.InPeriod("day:-1", now)->Top(10)      yesterday's
//
// Writing. A write names the board, never an instance: it goes to one instance of every period at
// once, the current one or, with AT, the one at that time. Each instance applies policy and cap for
// itself. A write that returns an error changes nothing.
//
// Time. A board reads no clock. A write takes a Moment; every other call that depends on the time
// takes the caller's clock as `now`. That clock may step back. A board's calendar never goes back
// before the board's last turn.
//
// Threads: any number of threads may read at once. A write needs exclusive access to the whole
// collection.
class Board : public Ranking {
 public:
  explicit Board(api::BoardSlot* held);

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::size_t MemoryUsage() const;  // bytes, all structures included
  // The highest stamp of a write without AT; 0 on a sorted set. After Boards::Restore start the
  // StampClock from here (StampClock(last)), so that stamps keep rising.
  [[nodiscard]] Stamp last_stamp() const;

  // Writes ------------------------------------------------------------------------------------

  // Writes one member. Errors:
  //   CLOSED     the time is outside the window, or the instance at AT takes no more writes
  //   BADTIME    AT lies more than a second ahead of the clock
  //   OVERFLOW   a value would leave the range of int64
  //   LIMIT      member, meta or id too long, empty id, or the board is full
  //   REUSED     the id came with another write before
  //   NOBOARD    the board's EXPIRE has passed
  //   WRONGTYPE  id, AT or meta on a sorted set
  //   ERR        wrong number of values, increment of a capped board, an id where DEDUP is 0, NaN
  Result<WriteVerdict> Apply(const Write& write, Moment moment, const WriteOptions& options = {});
  // Executes all writes or, if one of them fails, none. Write i gets the stamp moment.stamp + i, so
  // the caller takes writes.size() stamps. A member that occurs twice is written twice, in order.
  // The cap is applied after the last write. The id covers the whole call. Errors as for Apply;
  // also, on a leaderboard, LIMIT beyond 100,000 writes (with an id: writes × periods) and, with
  // periods, ERR if the writes do not all have the same AT.
  Result<std::vector<WriteVerdict>> ApplyAll(std::span<const Write> writes, Moment moment,
                                             const WriteOptions& options = {});
  // Executes each write like a separate call of Apply without an id, and sets *verdicts to one
  // result per write. Write i gets the stamp moment.stamp + i. Verdicts hold no ranks; on a board
  // with periods they are the first period's. Faster than single calls on a board without periods,
  // because memory is prefetched for several writes at a time.
  void ApplyBatch(std::span<const Write> writes, Moment moment,
                  std::vector<Result<Verdict>>* verdicts);

  // Shorthands for Apply.
  Result<WriteVerdict> Submit(std::string_view member, const Score& score, Moment moment,
                              const WriteOptions& options = {});
  Result<WriteVerdict> Set(std::string_view member, const Score& score, Moment moment,
                           const WriteOptions& options = {});
  Result<WriteVerdict> Increment(std::string_view member, const Score& score, Moment moment,
                                 const WriteOptions& options = {});

  // Replaces the meta of a member; an empty meta removes it. Returns false if the member is absent.
  // With periods: in every instance. LIMIT if the meta is too long or the board is full, NOBOARD if
  // the board's EXPIRE has passed, WRONGTYPE on a sorted set.
  Result<bool> SetMeta(std::string_view member, std::string_view meta, Stamp now);

  // Removes members; returns how many of them had an entry. Hidden marks stay. With periods: from
  // every instance, including those that are no longer kept but that Boards::Advance has not
  // dropped yet; a member counts once.
  std::uint64_t Remove(std::span<const std::string_view> members);
  // Removes up to n visible entries from one end and returns them, the one nearest that end first.
  // ERR with periods: use BoardInstance::Pop.
  Result<std::vector<Entry>> Pop(std::uint64_t n, End end);
  // Removes all visible entries but the n best; returns how many it removed. ERR with periods: use
  // BoardInstance::Trim.
  Result<std::uint64_t> Trim(std::uint64_t n);
  // Removes all entries, those of hidden members included; returns how many there were. Hidden
  // marks stay. With periods: from every instance, as Remove does.
  std::uint64_t Clear();

  // Marks members as hidden, whether or not they have an entry; returns how many were not hidden
  // before. Writes to a hidden member still apply, but every rank, page and count leaves it out and
  // it takes no place under a cap. With periods: in every instance, also in later ones. LIMIT if a
  // member is too long, WRONGTYPE on a sorted set.
  Result<std::uint64_t> Hide(std::span<const std::string_view> members);
  // Removes the hidden marks; returns how many members had one. Their entries come back at the
  // place of their score and stamp; a cap then evicts the worst entries. LIMIT if the board is
  // full, WRONGTYPE on a sorted set.
  Result<std::uint64_t> Show(std::span<const std::string_view> members);

  // Replaces the board's spec. Only policy, cap, window (start, end, grace), expire, dedup and keep
  // may change: ERR otherwise. A lower cap evicts at once. Bad specs are ERR or LIMIT, see
  // CheckSpec; NOBOARD if the board's EXPIRE has passed; WRONGTYPE on a sorted set.
  Status Alter(const Spec& spec, Stamp now);

  // Fills an empty board with entries that are already in board order and have distinct members.
  // Much faster than one write per entry. ERR if the board is not empty or has periods, if the
  // entries are not in order, repeat a member or exceed the cap; LIMIT if a member or meta is too
  // long, or if a board cannot hold that many. An error changes nothing. Does not change
  // last_stamp().
  Status Load(std::span<const Entry> sorted);

  // The whole board ---------------------------------------------------------------------------

  // The entries to read at `now`: those of the board or, with periods, of the current instance of
  // the first period. Use the result at once: the next write to the board invalidates it. NOBOARD
  // if the board's EXPIRE has passed.
  [[nodiscard]] Result<Ranking> Present(Stamp now) const;
  // One instance of a board with periods: "day" is the current one, "day:-1" the one before it;
  // others by label, as "day:2026-11-15", "week:2026-W46", "month:2026-11",
  // "hour:2026-11-15T13+0800"; "all" is the instance of period `all`. An instance that was never
  // written to is empty. NOBOARD if the board has no such period, if no instance has the label, if
  // the instance is no longer kept at `now` (Spec::keep; whether or not Advance has run), or if the
  // board's EXPIRE has passed.
  [[nodiscard]] Result<BoardInstance> InPeriod(std::string_view selector, Stamp now) const;
  // The current instance of each period and the kept instances that were written to. In the order
  // of Spec::periods, for each period the latest first. Empty without periods.
  [[nodiscard]] std::vector<PeriodInfo> Periods(Stamp now) const;
  [[nodiscard]] BoardInfo Describe(Stamp now) const;

  // The whole state of the board except its name, as bytes for Boards::Restore. O(n).
  [[nodiscard]] std::string Save() const;

  // Checks every invariant of every structure. Returns an empty string, or what is broken. O(n).
  [[nodiscard]] std::string Validate() const;

 private:
  api::BoardSlot* slot_;
};

// One instance of a board with periods, as Board::InPeriod found it. Use it at once: any write to
// the board other than through this object invalidates it. Scores are submitted to the board, not
// to an instance.
class BoardInstance : public Ranking {
 public:
  BoardInstance(api::BoardSlot* held, const core::Standings* entries, const Instance& instance,
                Stamp now);

  [[nodiscard]] const Instance& instance() const { return instance_; }

  // These do for this instance alone what the methods of Board with the same names do.
  Result<bool> SetMeta(std::string_view member, std::string_view meta);
  Result<std::uint64_t> Remove(std::span<const std::string_view> members);
  Result<std::vector<Entry>> Pop(std::uint64_t n, End end);
  Result<std::uint64_t> Trim(std::uint64_t n);
  Result<std::uint64_t> Clear();

 private:
  api::BoardSlot* slot_;
  Instance instance_;
  Stamp now_;
};

}  // namespace laurel
