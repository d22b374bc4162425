// The reference model of whole leaderboards with windows, periods, hidden members, request ids and
// caps: written from the rules of the product, simple enough to verify by reading.
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

// One leaderboard. Each instance is a NaiveBoard; a leaderboard without periods has one instance
// that never ends. Uses linear scans. Shares only the calendar and the parsing of numbers and
// bounds with the product; these have their own tests.
//
// Before each operation the model closes the instances whose time is over, drops those that are no
// longer kept, and notes that the present ones have begun. A host that does this in Advance must be
// advanced before its clock is set back, before an Alter and before a ListPeriods: the rules do not
// say how much of the time before a step back a host has noticed.
//
// If an operation has several faults, a host may report any of them: the message of a refusal of
// the model lists the names of all codes that are right, separated by blanks.
class NaiveLeaderboard {
 public:
  // REQUIRES: CheckSpec(spec) is ok, and its zone is known.
  explicit NaiveLeaderboard(const Spec& spec);

  [[nodiscard]] const Spec& spec() const { return spec_; }
  // Closes and drops instances as due at `now`, and notes that the present ones have begun, without
  // an operation.
  void Pass(Stamp now);
  // Whether the board's own EXPIRE has passed.
  [[nodiscard]] bool HasExpired(Stamp now) const;
  // Whether the rules leave the answer open: the operation's id has expired at an earlier reading
  // of the clock, but not at `now`, because the clock was set back.
  [[nodiscard]] bool IsOpen(const leaderboard::WriteOperation& operation, Stamp now) const;

  // Executes the operation and answers. The first write without AT gets the stamp `stamp`, the next
  // of the same operation `stamp + 1`, and so on. REQUIRES: !HasExpired(now).
  void Ask(const leaderboard::Operation& operation, Stamp now, Stamp stamp,
           leaderboard::Answer* answer);

  // An instance that was written to.
  struct StoredInstance {
    Instance span;
    NaiveBoard board;
    bool closed = false;
  };
  [[nodiscard]] const std::vector<StoredInstance>& instances() const { return instances_; }

 private:
  class Writing;
  class Reading;

  // A remembered request: its writes and its verdicts.
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
    std::uint64_t other_boards_hash = 0;
    std::vector<OwnedWrite> writes;
    std::vector<Verdict> verdicts;
    Stamp at = 0;
    [[nodiscard]] bool AsksTheSameAs(const Request& other) const {
      return many == other.many && other_boards_hash == other.other_boards_hash &&
             writes == other.writes;
    }
  };

  [[nodiscard]] bool has_periods() const { return !spec_.periods.empty(); }
  // The clock, but never before the board's last turn.
  [[nodiscard]] Stamp CalendarTime(Stamp now) const { return std::max(now, last_turn_); }
  [[nodiscard]] Stamp OldestKept(Period period, Stamp now) const;
  // The instance that a selector means; none if there is no such instance, or it is not kept.
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
  std::array<Stamp, kPeriods> closed_through_;  // by period: instances that end by then are closed
  Stamp last_write_ = 0;                        // time of the last accepted write; 0: none
  Stamp latest_ = INT64_MIN;                    // the latest clock seen
};

}  // namespace laurel::model
