// Draft: the leaderboard that an import makes of its rows, in the importing process.
//
//   rows ──► Add ──► Leaderboard, without its cap ──► Finish: stamps, marks ──► walks as effects
//
// Each row is a write of the leaderboard with the row's time as its stamp, so the rules of
// policies, operators, periods and order are the leaderboard's own (WriteMode::kFold). A row
// without a time is the latest. So, of several rows of a member,
//   POLICY set         the row with the latest time stays; of several, the last one added
//   POLICY best        the best score; of several, the earliest time, then the first one added
//   POLICY sum         the sum of each field. Its time is that of the latest row, its meta that of
//                      the latest row that has one
//   operators          each field by its operator, `set` as the latest row has it; time and meta as
//                      for sum
// The entry is hidden if one of its rows is, of any instance. A hidden row without values is a mark
// on a member that may have no entry. On a board with periods each row becomes a write of each
// instance that it goes to (placement.h).
//
// Stamps. The entry of a row with a time gets that time as its stamp. Entries without a time, n of
// an instance, get now - n + 0, 1, 2 …, so that no stamp lies ahead of the clock. Entries that are
// equal in score and time keep the order in which the source shows them (EqualRows): one that is
// shown before another ranks ahead of it on the board. So under TIE first their stamps are time +
// 0, 1, 2 … µs in the order shown, and under TIE last the same numbers in the reverse order. Two
// exceptions:
//   1. With a tick of 1 µs a stamp that is exact in the source stays exact where it can: of two
//      neighbours the second gets the same stamp if its member is the greater one, since the board
//      then keeps the order by itself.
//   2. Under TIE member stamps take no part in the order. They are left as they are, and equal
//      scores are in the order of their members, whatever the source shows.
// A tick that has more entries of one score than microseconds (Report::crowded_ticks) pushes those
// of the next tick ahead of it. The order is kept even then. Finish finds the stamps in one walk
// (equal_stamps.h).
//
// Memory: that of the board, for files 16 bytes per entry until Finish, and in it 12 more.
// Add: O(log n). Finish: O(n). Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/board.h"
#include "core/store/environment.h"
#include "laurel/entry.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "leaderboard/leaderboard.h"
#include "transfer/equal_stamps.h"
#include "transfer/placement.h"
#include "transfer/row.h"

namespace laurel::transfer {

// How several rows of one member become one entry.
enum class Folding : std::uint8_t {
  kByPolicy,  // by the policy or the operators of the board
  kLatest,    // the last row replaces the others, whatever the board's policy: the source has one
              // row per member and may show it twice, as ZSCAN does
};

// An entry of a board. The views are valid as long as the board does not change.
struct BoardEntry {
  std::string_view member;
  Score score;
  Stamp stamp = 0;
  std::string_view meta;
  bool hidden = false;
  std::string_view instance;  // "day:2026-11-15", on a board with periods
};

class Draft {
 public:
  // What was added, and what Finish made of it.
  struct Report : EqualFigures {
    std::uint64_t rows = 0;          // added, without marks
    std::uint64_t entries = 0;       // one per member; with periods, per member and instance
    std::uint64_t folded = 0;        // rows that another row of the same member joined
    std::uint64_t without_time = 0;  // rows
    // Instances, counted for each row, that do not take it: KEEP does not cover them, or they have
    // not begun. 0 on a board without periods.
    std::uint64_t outside = 0;
    std::optional<Stamp> earliest;  // of the rows with a time
    std::optional<Stamp> latest;
    bool all_values_equal = false;  // there are several rows, and all have the same values
    bool all_times_equal = false;   // there are several rows with a time, and all have the same
  };

  // The board itself, or one of its instances.
  struct Part {
    const core::Board* board = nullptr;
    const Instance* span = nullptr;  // null: the board has no periods
    std::string instance{};          // "day:2026-11-15"; empty: the board has no periods
  };

  // `tick_us`: the resolution of the source's times; 1 if they are exact stamps. `period` and
  // `now`: of a board with periods, as in Placement::Make; without `now`, the system's clock.
  // REQUIRES: CheckSpec(spec) is ok; the spec is a leaderboard's; tick_us >= 1.
  Draft(const Spec& spec, EqualRows equals, std::int64_t tick_us,
        const std::optional<std::string>& period = std::nullopt,
        std::optional<Stamp> now = std::nullopt, Folding folding = Folding::kByPolicy);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // Adds a row. On an error the draft is as before:
  //   BADSCORE, OVERFLOW   a value is no number of its field, or a sum is out of range
  //   BADTIME              the time is not from 1970 to 9999
  //   LIMIT                member or meta is too long; more members than a board can hold
  //   ERR                  the number of values is wrong; the instance is none of the board's; a
  //                        refusal of Placement::Make
  // REQUIRES: Finish was not called.
  Status Add(const Row& row);

  // What the source knows of the board's times; nothing by default.
  void SetTimes(const BoardTimes& times) { times_ = times; }

  // Gives the entries their stamps, and hides those of hidden members. `now`: the clock. REQUIRES:
  // not called before.
  Report Finish(Stamp now);
  // Makes the draft what a new board is at `now`: instances that are over are closed, and the cap
  // evicts. Returns how many entries the cap has evicted so far. REQUIRES: Finish was called.
  std::uint64_t Settle(Stamp now);

  // The rest REQUIRES that Finish was called.
  [[nodiscard]] const Spec& spec() const { return spec_; }
  [[nodiscard]] const leaderboard::Leaderboard& board() const { return board_; }
  // The entries of all instances, hidden ones included.
  [[nodiscard]] std::size_t size() const { return board_.all_entries(); }
  // The highest stamp of an entry; INT64_MIN if there is none.
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }
  // The board itself or, with periods, its instances with an entry.
  [[nodiscard]] std::vector<Part> parts() const;
  // Calls visit(entry) for the entries of each instance until it returns false: the visible ones,
  // best first, then the hidden ones.
  void ForEach(const std::function<bool(const BoardEntry&)>& visit) const;
  // The entry of a member; none if there is none.
  [[nodiscard]] std::optional<BoardEntry> Find(std::string_view instance,
                                               std::string_view member) const;

 private:
  // A row on its way to one instance.
  struct Pending {
    std::uint16_t number = 0;  // of the instance; 0: the board itself
    Score score{};
    Stamp time = 0;
    std::uint64_t row = 0;
    std::size_t begin = 0;  // of the member in bytes_; the meta stands behind it
    std::size_t member_bytes = 0;
    std::size_t meta_bytes = 0;
  };

  // Sets numbers_ to those of the instances that the row goes to. Returns how many do not take it.
  Result<std::size_t> Place(const Row& row);
  void Queue(const Row& row, const Score& score);
  // Writes the rows that were queued, and returns with an empty queue.
  void Flush();
  void WriteQueued(std::span<const Pending> rows);
  // Adds a row that builds on those before it: to all of its instances, or to none.
  Status Sum(const Row& row, const Score& score);
  Status SumInto(std::uint16_t number, Write write, std::string_view meta);
  void NoteRow(const Row& row, const Score& score);

  // Creates the instance if it is not there yet.
  void Open(std::uint16_t number);
  // Null if there is no such instance yet.
  [[nodiscard]] const core::Board* BoardOf(std::uint16_t number) const;
  void Apply(const std::function<void(leaderboard::EffectWriter*)>& write);

  Spec spec_;
  EqualRows equals_;
  std::int64_t tick_us_;
  Folding folding_;
  bool builds_;  // the score builds on those of all rows: POLICY sum, or operators
  std::optional<Result<Placement>> placement_;  // of a board with periods
  core::Environment environment_;
  leaderboard::Leaderboard board_;
  std::vector<const core::Board*> opened_;  // by number - 1; null: not there yet
  std::set<std::string, std::less<>> marks_;
  BoardTimes times_;
  Stamp last_stamp_ = INT64_MIN;
  bool finished_ = false;
  std::uint64_t over_cap_ = 0;

  // Until Finish.
  std::vector<Pending> queue_;
  std::string bytes_;  // members and meta of the queue
  std::vector<const Placement::Place*> places_;
  std::vector<std::uint16_t> numbers_;  // of the present row
  bool full_ = false;
  RowNumbers row_numbers_;
  // By instance and member, where the meta of a sum is that of an earlier row than the latest: the
  // time of that row.
  std::map<std::pair<std::uint16_t, std::string>, Stamp> meta_times_;

  // Of the rows added.
  Report report_;
  std::uint64_t placed_ = 0;  // rows, counted for each instance
  std::optional<Score> first_score_;
};

}  // namespace laurel::transfer
