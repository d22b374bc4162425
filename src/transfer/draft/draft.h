// Draft: the leaderboard that an import builds from its rows, in the importing process.
//
//   rows ──► Add ──► Leaderboard, without its cap ──► Finish: stamps, marks ──► walks as effects
//
// Each row is a write of the leaderboard with the row's time as its stamp, so the leaderboard's own
// rules of policies, operators, periods and order apply (WriteMode::kFold). A row without a time
// counts as the latest. Several rows of one member become one entry:
//   POLICY set         the row with the latest time; of several, the last one added
//   POLICY best        the best score; of several, the earliest time, then the first one added
//   POLICY sum         the sum of each field, with the time of the latest row, and the meta of the
//                      latest row that has one
//   operators          each field by its operator, `set` as the latest row has it; time and meta as
//                      for sum
// The entry of a member is hidden if any of its rows, in any instance, is hidden. A hidden row
// without values is a mark on a member that may have no entry. On a board with periods each row
// becomes one write per instance that it belongs to (placement.h).
//
// Stamps. An entry's stamp is the time of its row. The n entries of an instance without a time get
// now - n + 0, 1, 2 …, so that no stamp lies ahead of the clock. Entries that are equal in score
// and time keep the order in which the source shows them (EqualRows): the one shown first ranks
// first on the board. Their stamps are therefore time + 0, 1, 2 … µs in the order shown, or under
// TIE last the same numbers in reverse order. Two exceptions:
//   1. With a tick of 1 µs a stamp that is exact in the source stays exact where possible: of two
//      neighbours the second gets the same stamp if its member is the greater one, because the
//      board then keeps the order by itself.
//   2. Under TIE member stamps do not affect the order. They stay unchanged, and equal scores are
//      in the order of their members, whatever the source shows.
// If a tick has more entries of one score than microseconds (Report::crowded_ticks), its stamps
// push those of the next tick ahead. The order is kept even then. Finish finds the stamps in one
// walk (equal_stamps.h).
//
// Memory: that of the board; for files also 16 bytes per entry until Finish, and 12 more during it.
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

#include "core/standings.h"
#include "core/store/environment.h"
#include "laurel/entry.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "leaderboard/leaderboard.h"
#include "transfer/draft/equal_stamps.h"
#include "transfer/draft/placement.h"
#include "transfer/text/row.h"

namespace laurel::transfer {

// Says how several rows of one member become one entry.
enum class Folding : std::uint8_t {
  kByPolicy,  // by the policy or the operators of the board
  kLatest,    // the last row replaces the others, whatever the policy: the source has one row per
              // member, which ZSCAN may repeat
};

class Draft {
 public:
  // Figures of Add and Finish.
  struct Report : EqualFigures {
    std::uint64_t rows = 0;          // rows added, without marks
    std::uint64_t entries = 0;       // one per member; with periods, per member and instance
    std::uint64_t folded = 0;        // rows that were merged with another row of the member
    std::uint64_t without_time = 0;  // rows without a time
    // Instances, counted per row, that do not take the row: KEEP does not cover them, or they have
    // not begun. 0 on a board without periods.
    std::uint64_t outside = 0;
    std::optional<Stamp> earliest;  // over the rows with a time
    std::optional<Stamp> latest;
    bool all_values_equal = false;  // there are several rows, and all have equal values
    bool all_times_equal = false;   // several rows have a time, and all times are equal
  };

  // `tick_us`: the resolution of the source's times; 1 if they are exact stamps. `period` and
  // `now`: as in Placement::Make, for a board with periods; without `now`, the system's clock.
  // REQUIRES: CheckSpec(spec) is ok; the spec is a leaderboard's; tick_us >= 1.
  Draft(const Spec& spec, EqualRows equals, std::int64_t tick_us,
        const std::optional<std::string>& period = std::nullopt,
        std::optional<Stamp> now = std::nullopt, Folding folding = Folding::kByPolicy);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // Adds a row. An error leaves the draft unchanged:
  //   BADSCORE, OVERFLOW   a value is no number of its field, or a sum is out of range
  //   BADTIME              the time is not from 1970 to 9999
  //   LIMIT                member or meta is too long; more members than a board can hold
  //   ERR                  the number of values is wrong; the board has no such instance; a refusal
  //                        of Placement::Make
  // REQUIRES: Finish was not called.
  Status Add(const Row& row);

  // Sets the board's times that the source describes; none by default.
  void SetTimes(const BoardTimes& times) { times_ = times; }

  // Gives the entries their stamps, and hides the entries of hidden members. `now`: the clock.
  // REQUIRES: not called before.
  Report Finish(Stamp now);
  // Brings the draft into the state of a new board at `now`: closes instances that are over, and
  // lets the cap evict. Returns how many entries the cap has evicted so far. REQUIRES: Finish was
  // called.
  std::uint64_t Settle(Stamp now);

  // The methods below REQUIRE that Finish was called.
  [[nodiscard]] const Spec& spec() const { return spec_; }
  [[nodiscard]] const leaderboard::Leaderboard& board() const { return board_; }
  // The number of entries of all instances, including hidden ones.
  [[nodiscard]] std::size_t size() const { return board_.all_entries(); }
  // The highest stamp of an entry; INT64_MIN if there is none.
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }

 private:
  // A row that waits to be written to one instance.
  struct Pending {
    std::uint16_t number = 0;  // number of the instance; 0: the board itself
    Score score{};
    Stamp time = 0;
    std::uint64_t row = 0;
    std::size_t begin = 0;  // begin of the member in bytes_; the meta follows it
    std::size_t member_bytes = 0;
    std::size_t meta_bytes = 0;
  };

  // Sets numbers_ to the instances that the row belongs to. Returns how many of its instances do
  // not take it.
  Result<std::size_t> Place(const Row& row);
  void Queue(const Row& row, const Score& score);
  // Writes the queued rows, and empties the queue.
  void Flush();
  void WriteQueued(std::span<const Pending> rows);
  // Adds a row whose result depends on earlier rows, to all of its instances or to none.
  Status Sum(const Row& row, const Score& score);
  Status SumInto(std::uint16_t number, Write write, std::string_view meta);
  void NoteRow(const Row& row, const Score& score);

  // Creates the instance if it does not exist yet.
  void Open(std::uint16_t number);
  // Null if there is no such instance yet.
  [[nodiscard]] const core::Standings* StandingsOf(std::uint16_t number) const;
  void Apply(const std::function<void(leaderboard::EffectWriter*)>& write);

  Spec spec_;
  EqualRows equals_;
  std::int64_t tick_us_;
  Folding folding_;
  bool builds_;  // the score depends on all rows: POLICY sum, or operators
  std::optional<Result<Placement>> placement_;  // set for a board with periods
  core::Environment environment_;
  leaderboard::Leaderboard board_;
  std::vector<const core::Standings*> opened_;  // by number - 1; null: does not exist yet
  std::set<std::string, std::less<>> marks_;
  BoardTimes times_;
  Stamp last_stamp_ = INT64_MIN;
  bool finished_ = false;
  std::uint64_t over_cap_ = 0;

  // Used until Finish.
  std::vector<Pending> queue_;
  std::string bytes_;  // members and meta of the queue
  std::vector<const Placement::PlacedInstance*> places_;
  std::vector<std::uint16_t> numbers_;  // instances of the current row
  bool full_ = false;
  RowNumbers row_numbers_;
  // By instance and member, if the meta of a sum is from an earlier row than the latest: the time
  // of that earlier row.
  std::map<std::pair<std::uint16_t, std::string>, Stamp> meta_times_;

  // Figures of the added rows.
  Report report_;
  std::uint64_t placed_ = 0;  // rows, counted per instance
  std::optional<Score> first_score_;
};

}  // namespace laurel::transfer
