// The judge of whole leaderboards: windows, periods, hidden members, request ids and caps, written
// from the rules of the product and right by reading.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/calendar.h"
#include "laurel/entry.h"
#include "laurel/period.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/answer.h"
#include "leaderboard/operation.h"
#include "model/naive_board.h"

namespace laurel::model {

// One leaderboard. Each instance is a NaiveBoard; a leaderboard without periods is one instance
// that lasts for ever. Linear scans only. The calendar, and the reading of numbers and bounds, are
// the product's own, which have tests of their own; nothing else is shared with it.
//
// Time passes by itself: before each operation, instances whose time is over close, and those that
// are not kept any more go. A host that does this when its Advance is called must have been called
// before its clock is set back, before an Alter, and before a ListPeriods: the rules do not say
// what a host has noticed of a time that has been taken back.
//
// Where an operation has several faults any of them may be reported: the message of a refusal made
// here lists the names of all codes that are right, apart by blanks.
class NaiveLeaderboard {
 public:
  // REQUIRES: CheckSpec(spec) is ok, and its zone is known.
  explicit NaiveLeaderboard(const Spec& spec);

  [[nodiscard]] const Spec& spec() const { return spec_; }
  // Lets time pass without an operation.
  void Pass(Stamp now);
  // Whether the board is gone, by its own EXPIRE.
  [[nodiscard]] bool HasEnded(Stamp now) const;
  // Whether the rules leave the answer open: the id was over once, and is not by a clock that went
  // back.
  [[nodiscard]] bool IsOpen(const leaderboard::WriteOperation& operation, Stamp now) const;

  // Does it and answers. A write without AT is stamped `stamp`, the next one of the same operation
  // `stamp + 1`, and so on. REQUIRES: !HasEnded(now).
  void Ask(const leaderboard::Operation& operation, Stamp now, Stamp stamp,
           leaderboard::Answer* answer);

  // One instance that was written to.
  struct StoredInstance {
    Instance span;
    NaiveBoard board;
    bool closed = false;
  };
  [[nodiscard]] const std::vector<StoredInstance>& instances() const { return instances_; }

 private:
  class Writing;
  class Reading;

  // What a request asked for, and what it was answered.
  struct OwnedWrite {
    std::string member;
    Score score;
    WriteMode mode;
    Write::If condition;
    Write::Only only;
    std::optional<Stamp> at;
    std::optional<std::string> meta;
    bool operator==(const OwnedWrite&) const = default;
  };
  struct Request {
    std::string id;
    bool many = false;
    std::uint64_t beside = 0;
    std::vector<OwnedWrite> writes;
    std::vector<Verdict> verdicts;
    Stamp at = 0;
    [[nodiscard]] bool AsksTheSameAs(const Request& other) const {
      return many == other.many && beside == other.beside && writes == other.writes;
    }
  };

  [[nodiscard]] bool has_periods() const { return !spec_.periods.empty(); }
  // The clock, but never before the last turn.
  [[nodiscard]] Stamp CalendarTime(Stamp now) const { return std::max(now, last_turn_); }
  [[nodiscard]] Stamp OldestKept(Period period, Stamp now) const;
  // The instance a selector means; none if there is no such one, or it is not kept.
  [[nodiscard]] std::optional<Instance> Select(const leaderboard::InstanceSelector& selector,
                                               Stamp now) const;
  [[nodiscard]] StoredInstance* Find(const Instance& span);
  [[nodiscard]] NaiveBoard EmptyBoard() const;
  template <typename Operation>
  void Read(const Operation& operation, Stamp now, leaderboard::Answer* answer);
  void ListPeriods(Stamp now, leaderboard::Answer* answer);
  [[nodiscard]] const Request* Remembered(std::string_view id, Stamp now) const;
  void ForgetBeyondDedup();

  Spec spec_;
  std::shared_ptr<const Calendar> calendar_;
  std::vector<StoredInstance> instances_;
  std::set<std::string, std::less<>> marks_;
  std::deque<Request> requests_;  // the oldest first
  Stamp last_turn_ = INT64_MIN;
  std::array<Stamp, kPeriods> closed_through_;  // by period: no write goes to what ended by then
  Stamp last_write_ = 0;                        // when the last write was accepted; 0: never
  Stamp latest_ = INT64_MIN;                    // the latest clock seen
};

}  // namespace laurel::model
