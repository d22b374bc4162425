// RowTable: the rows of an import, folded to one entry per member and put in the board's order.
//
//   slots   ┌─────┬────────┐   one per entry, open addressing, at most 70 % full
//           │ tag │ handle ┼─┐   tag: 32 bits of the hash of instance and member
//           └─────┴────────┘ │
//   arena   ┌──────┬──────┬──▼───┬───────…   chunks of 2 MiB (the first: 64 KiB)
//           │ cell │ cell │ cell │                     a handle counts units of 8 bytes
//           └──────┴──────┴──────┴───────…
//   cell    ┌──────┬──────┬─────────────┬──────────┬────────┬──────┬─────┐
//           │ time │ info │ words       │ instance │ member │ meta │ pad │
//           │    8 │    8 │ 8 per field │   0 or 2 │        │      │ 0–7 │
//           └──────┴──────┴─────────────┴──────────┴────────┴──────┴─────┘
//   order   the handles, best first: made by Finish, which frees the slots
//
// info has the sequence number of the row that the entry comes from, the lengths of member and
// meta, and two flags. words are those of core::KeyLayout. The instance is there if the board has
// periods.
//
// Bytes per entry of one field with a member of 18 bytes: a cell of 48 and a slot of 11.4 to 22.9.
// Finish takes 32 more while it sorts, after it has freed the slots, and leaves 4. So 5 million
// rows take at most 400 MB.
// Add: O(1). Finish: O(n), and O(k log k) for k entries that are equal in value and time.
// operator[]: O(1).
// Threads: one at a time.
//
// Fold. Rows of one member become one entry as they are added, so the table
// takes the memory of its members, not of its rows. A row without a time is the latest.
//   POLICY set         the row with the latest time; of several, the last one added
//   POLICY best        the best score; of several, the earliest time, then the first one added
//   POLICY sum         the sum of each field. Its time is that of the latest row, its meta that of
//                      the latest row that has one
//   operators          each field by its operator, `set` as the latest row has it; time and meta as
//                      for sum
// The entry is hidden if one of its rows is, of any instance. A hidden row without values is a mark
// on a member that may have no entry.
//
// Periods. On a board with periods each row becomes one row of each instance that it goes to
// (placement.h); folding and order are those of each instance by itself.
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
// of the next tick ahead of it. The order is kept even then.
//
// Rejected: folding in Finish, which needs the memory of all rows; std::unordered_map, which takes
// three times the memory; sorting the handles by comparison alone, which takes four times as long,
// because each comparison misses the cache twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/score_key.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "transfer/placement.h"
#include "transfer/row.h"
#include "transfer/row_cells.h"
#include "transfer/row_order.h"

namespace laurel::transfer {

// How several rows of one member become one entry.
enum class Folding : std::uint8_t {
  kByPolicy,  // by the policy or the operators of the board
  kLatest,    // as POLICY set does, whatever the board's policy: the source has one row per member
              // and may show it twice, as ZSCAN does
};

// An entry of a finished table. The views are valid as long as the table.
struct TableEntry {
  std::string_view member;
  Score score;
  Stamp stamp = 0;
  std::string_view meta;
  bool hidden = false;
  // The instance, on a board with periods: "day:2026-11-15", and its span. Empty and null
  // otherwise.
  std::string_view instance;
  const Instance* span = nullptr;
};

class RowTable {
 public:
  // What was added, and what Finish made of it.
  struct Report {
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
    std::uint64_t ties = 0;         // entries whose score and time another entry has too
    // Ticks in which the stamp of an entry lies beyond the tick, because more entries of one score
    // share it than it has microseconds.
    std::uint64_t crowded_ticks = 0;
  };

  // `tick_us`: the resolution of the source's times; 1 if they are exact stamps. `period` and
  // `now`: of a board with periods, as in Placement::Make; without `now`, the system's clock.
  // REQUIRES: CheckSpec(spec) is ok; the spec is a leaderboard's; tick_us >= 1.
  RowTable(const Spec& spec, EqualRows equals, std::int64_t tick_us,
           const std::optional<std::string>& period = std::nullopt,
           std::optional<Stamp> now = std::nullopt, Folding folding = Folding::kByPolicy);
  RowTable(const RowTable&) = delete;
  RowTable& operator=(const RowTable&) = delete;

  // Adds a row. On an error the table is as before:
  //   BADSCORE, OVERFLOW   a value is no number of its field, or a sum is out of range
  //   BADTIME              the time is not from 1970 to 9999
  //   LIMIT                member or meta is too long; more rows or members than a table can hold
  //   ERR                  the number of values is wrong; the instance is none of the board's; a
  //                        refusal of Placement::Make
  // REQUIRES: Finish was not called.
  Status Add(const Row& row);

  // What the source knows of the board's times; nothing by default.
  void SetTimes(const BoardTimes& times) { times_ = times; }
  [[nodiscard]] const BoardTimes& times() const { return times_; }

  // Puts the entries in order and gives them their stamps. `now`: the clock. REQUIRES: not called
  // before.
  Report Finish(Stamp now);

  [[nodiscard]] const Spec& spec() const { return spec_; }
  // The entries so far; after Finish, all of them.
  [[nodiscard]] std::size_t size() const { return entries_; }
  // Whether one of the entries is hidden.
  [[nodiscard]] bool has_hidden() const { return has_hidden_; }
  // Members that are hidden. Those that have no entry are here; others may be.
  [[nodiscard]] const std::set<std::string, std::less<>>& marks() const { return marks_; }
  // The highest stamp of an entry; INT64_MIN if there is none. REQUIRES: Finish was called.
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }
  // The entries of one instance after those of another, in any order of instances; within an
  // instance best first, hidden ones among the others. REQUIRES: Finish was called, i < size().
  [[nodiscard]] TableEntry operator[](std::size_t i) const;

  [[nodiscard]] std::size_t MemoryUsage() const;

 private:
  struct Slot {
    std::uint32_t tag = 0;
    Handle handle = kNoCell;  // kNoCell: the slot is free
  };
  // A parsed row.
  struct Parsed {
    core::Words words{};
    Stamp time = 0;
  };

  Status AddMark(const Row& row);
  [[nodiscard]] Result<Parsed> Parse(const Row& row) const;
  // Sets instances_ to the numbers of those that the row goes to; 0 is a board without periods.
  // Returns how many do not take it.
  Result<std::size_t> Place(const Row& row);
  [[nodiscard]] std::uint32_t TagOf(std::uint16_t instance, std::string_view member) const;
  // OVERFLOW if a sum of an entry that the row goes to is out of range.
  Status CheckSums(const Row& row, const Parsed& parsed);
  Status AddTo(std::uint16_t instance, const Row& row, const Parsed& parsed);
  // The slot of the entry, or the free one where it belongs.
  [[nodiscard]] Slot* FindSlot(std::uint32_t tag, std::uint16_t instance, std::string_view member);
  void GrowSlots();
  void NoteRow(const Row& row, const Parsed& parsed);
  Status Insert(std::uint16_t instance, const Row& row, const Parsed& parsed, std::uint32_t tag,
                Slot* slot);
  // Fold: the row of a member that has an entry already.
  Status Fold(const Row& row, const Parsed& parsed, Slot* slot);
  // The words of the entry after a row that builds on it.
  [[nodiscard]] Result<core::Words> Combined(const Parsed& parsed, Handle entry) const;
  Status Combine(const Row& row, const Parsed& parsed, Slot* slot);
  // Gives the entry the row's score, time and meta.
  Status Replace(const Row& row, const Parsed& parsed, Slot* slot);
  // Stores the entry in another cell, with other meta.
  Status Rewrite(Slot* slot, std::string_view meta, Stamp meta_time);

  // Hides the entries of all marked members.
  void HideMarked();
  void Sort();
  // Gives the final stamps, in the order of rank or, under TIE last, in the reverse order.
  void GiveStamps(Stamp now, Report* report);

  Spec spec_;
  core::KeyLayout layout_;
  EqualRows equals_;
  std::int64_t tick_us_;
  Folding folding_;
  bool builds_;  // the score builds on those of all rows: POLICY sum, or operators
  std::uint64_t hash_seed_;

  RowCells cells_;
  std::vector<Slot> slots_;
  std::size_t entries_ = 0;
  bool finished_ = false;
  std::vector<Handle> order_;
  bool has_hidden_ = false;
  std::set<std::string, std::less<>> marks_;
  Stamp last_stamp_ = INT64_MIN;
  BoardTimes times_;

  // Of a board with periods.
  std::optional<Result<Placement>> placement_;
  std::vector<const Placement::Place*> places_;
  std::vector<std::uint16_t> instances_;  // of the present row

  // Of the rows added.
  std::uint64_t rows_ = 0;
  std::uint64_t placed_ = 0;   // counted for each instance
  std::uint64_t outside_ = 0;  // the same
  std::uint64_t without_time_ = 0;
  std::optional<Stamp> earliest_;
  std::optional<Stamp> latest_;
  core::Words first_words_{};
  bool all_values_equal_ = true;
};

}  // namespace laurel::transfer
