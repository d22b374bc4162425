// The stamps of the entries of a draft: those that keep entries of equal score and time in the
// order of the source. draft.h has the rules.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/board.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"

namespace laurel::transfer {

// How many differences, ties and changes a report describes.
inline constexpr std::size_t kMaxShown = 10;

// The time of a row without one: later than every other.
inline constexpr Stamp kUntimed = INT64_MAX;

// The order in which the source shows rows that are equal in value and time.
enum class EqualRows : std::uint8_t {
  kAsAdded,           // as a file does
  kMemberDescending,  // as ZREVRANGE does; ZSCAN adds them in any order
  kMemberAscending,   // as ZRANGE does, for a board on which less is better
};

// The number of the row that each entry comes from: 16 bytes per entry. Entries are known by a hash
// of 64 bits with a random seed. Two members that share one, which one import of 5 million rows in
// a million has, and that are equal in score and time, may change places.
class RowNumbers {
 public:
  RowNumbers();
  // REQUIRES: `row` does not fall.
  void Note(std::uint16_t instance, std::string_view member, std::uint64_t row);
  // Forgets the earlier rows of entries that have several, if these take as much memory as the last
  // rows of `entries` entries.
  void Trim(std::uint64_t entries) {
    if (noted_.size() > 2 * entries + kSpareRows) Sort();
  }
  void Clear();

  // Numbers are found in three steps: Want for each entry, Find, then Of for each.
  void Want(std::uint16_t instance, std::string_view member);
  void Find();
  // REQUIRES: the entry was noted, and wanted before Find.
  [[nodiscard]] std::uint64_t Of(std::uint16_t instance, std::string_view member) const;

 private:
  struct Noted {
    std::uint64_t entry = 0;  // hash
    std::uint64_t row = 0;
    bool operator<(const Noted& other) const {
      return entry != other.entry ? entry < other.entry : row < other.row;
    }
  };
  static constexpr std::uint64_t kSpareRows = 1 << 16;
  // Sorting all takes longer than to look for this share of them.
  static constexpr std::uint64_t kFewShare = 64;

  [[nodiscard]] std::uint64_t HashOf(std::uint16_t instance, std::string_view member) const;
  // Sorts, and leaves the last row of each entry.
  void Sort();

  std::uint64_t seed_;
  std::deque<Noted> noted_;  // a vector would take twice the memory while it grows
  std::deque<Noted> found_;  // of few wanted entries, sorted
  std::vector<std::uint64_t> wanted_;
  bool sorted_ = true;
};

// What was found about entries of equal score and time.
struct EqualFigures {
  std::uint64_t ties = 0;  // entries whose score and time another entry has too
  // Ticks in which the stamp of an entry lies beyond the tick, because more entries of one score
  // share it than it has microseconds.
  std::uint64_t crowded_ticks = 0;
  // With a tick above 1 µs: groups of entries of equal score and time, of which the source does not
  // know which was first. Describes kMaxShown: "950: 'ann', 'bob' and 3 more".
  std::uint64_t lost_groups = 0;
  std::deque<std::string> lost_examples{};
};

struct StampRules {
  EqualRows equals = EqualRows::kAsAdded;
  std::int64_t tick_us = 1;
  Stamp now = 0;
};

// Finds the stamps of the entries of one board or instance, whose stamps are the times of their
// rows. Returns all entries in their new order, for Leaderboard::Restamp; none if all stamps stay
// as they are. Adds to *figures, and raises *last to the highest stamp.
std::vector<core::EntryStore::Restamped> StampsOf(const core::Board& board, std::uint16_t instance,
                                                  const StampRules& rules, RowNumbers* rows,
                                                  EqualFigures* figures, Stamp* last);

// "10 5": the values of a score.
std::string ScoreText(const Spec& spec, const Score& score);

}  // namespace laurel::transfer
