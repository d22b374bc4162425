// Computes the stamps of a draft's entries so that entries of equal score and time keep the order
// of the source. draft.h has the rules.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/standings.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"

namespace laurel::transfer {

// The number of differences, ties and changes that a report describes.
inline constexpr std::size_t kMaxShown = 10;

// The time of a row without one: later than all others.
inline constexpr Stamp kUntimed = INT64_MAX;

// The order in which the source shows rows with equal value and time.
enum class EqualRows : std::uint8_t {
  kAsAdded,           // as a file does
  kMemberDescending,  // as ZREVRANGE does; ZSCAN adds them in any order
  kMemberAscending,   // as ZRANGE does, for a board on which less is better
};

// Maps entries to the numbers of their rows, with 16 bytes per entry. An entry is identified by a
// 64-bit hash with a random seed. Two members with the same hash, which occur in one of a million
// imports of 5 million rows, may change places if they are equal in score and time.
class RowNumbers {
 public:
  RowNumbers();
  // REQUIRES: `row` does not decrease.
  void Note(std::uint16_t instance, std::string_view member, std::uint64_t row);
  // Forgets all but the last row of each entry, if the earlier rows take as much memory as the last
  // rows of `entries` entries.
  void Trim(std::uint64_t entries) {
    if (noted_.size() > 2 * entries + kSpareRows) Sort();
  }
  void Clear();

  // Numbers are found in three steps: Want for each entry, then Find, then Of for each entry.
  void Want(std::uint16_t instance, std::string_view member);
  void Find();
  // Returns the row number. REQUIRES: the entry was noted, and wanted before Find.
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
  // Looking up at most 1/kFewShare of the entries is faster than sorting all.
  static constexpr std::uint64_t kFewShare = 64;

  [[nodiscard]] std::uint64_t HashOf(std::uint16_t instance, std::string_view member) const;
  // Sorts, and keeps only the last row of each entry.
  void Sort();

  std::uint64_t seed_;
  std::deque<Noted> noted_;  // a vector would take twice the memory while it grows
  std::deque<Noted> found_;  // the wanted entries, sorted, if they are few
  std::vector<std::uint64_t> wanted_;
  bool sorted_ = true;
};

// Figures about entries of equal score and time.
struct EqualFigures {
  std::uint64_t ties = 0;  // entries that share score and time with another entry
  // Ticks in which an entry's stamp lies beyond the tick, because more entries of one score share
  // the tick than it has microseconds.
  std::uint64_t crowded_ticks = 0;
  // With a tick above 1 µs: groups of entries of equal score and time, whose order the source does
  // not contain. Describes kMaxShown of them: "950: 'ann', 'bob' and 3 more".
  std::uint64_t lost_groups = 0;
  std::deque<std::string> lost_examples{};
};

struct StampRules {
  EqualRows equals = EqualRows::kAsAdded;
  std::int64_t tick_us = 1;
  Stamp now = 0;
};

// Computes the stamps of the entries of one board or instance, whose current stamps are the times
// of their rows. Returns all entries in their new order, for Leaderboard::Restamp; none if all
// stamps stay unchanged. Adds to *figures, and raises *last to the highest stamp.
std::vector<core::EntryStore::Restamped> StampsOf(const core::Standings& standings,
                                                  std::uint16_t instance, const StampRules& rules,
                                                  RowNumbers* rows, EqualFigures* figures,
                                                  Stamp* last);

// Returns the values of a score, such as "10 5".
std::string ScoreText(const Spec& spec, const Score& score);

}  // namespace laurel::transfer
