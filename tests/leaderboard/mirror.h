// A leaderboard and its mirror, which relate as a primary and its replica.
//
// The encoded effects of each operation are applied to a second leaderboard, the mirror; both must
// have the same digest after every step. Now and then the mirror is discarded and rebuilt from a
// walk over the board, with operations between the slices of the walk.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "calendar/zone_calendar.h"
#include "core/store/environment.h"
#include "laurel/spec.h"
#include "laurel/stamp_clock.h"
#include "leaderboard/leaderboard.h"

namespace laurel::leaderboard {

class Mirror {
 public:
  // Small nodes and short lists, so that rare paths become common.
  static core::Shape SmallShape();

  Mirror(std::string name, const Spec& spec);

  [[nodiscard]] const Leaderboard& board() const { return *board_; }
  [[nodiscard]] const Leaderboard& mirrored() const { return *mirrored_; }
  void SetTime(Stamp now) { now_ = now; }
  [[nodiscard]] Stamp now() const { return now_; }

  void Read(const ReadOperation& operation, Answer* answer) const;
  Summary Write(const WriteOperation& operation, Answer* answer);
  Summary Advance(std::size_t budget);

  // Rebuilds the mirror from a walk in slices of `slice` entries. Calls `between` between slices,
  // which may write to the board; these effects are applied to the mirror after the walk.
  template <typename Between>
  void Rebuild(std::size_t slice, const Between& between) {
    const Spec spec = board_->spec();
    std::vector<std::string> slices;
    std::string behind;
    rebuilding_ = &behind;
    Leaderboard::WalkCursor cursor;
    for (bool more = true; more;) {
      EffectWriter writer(&slices.emplace_back());
      more = board_->Walk(&cursor, slice, &writer);
      if (more) between();
    }
    rebuilding_ = nullptr;
    Restore(spec, slices, behind);
  }

  // Makes the mirror the board and continues from its last stamp, as a restart does.
  void Swap();

  // An empty string, or how the two differ, or an inconsistency in one of them.
  [[nodiscard]] std::string Compare() const;

 private:
  std::unique_ptr<Leaderboard> Make(const Spec& spec, core::Environment* environment);
  void Follow(const std::string& effects);
  void Restore(const Spec& spec, const std::vector<std::string>& slices, const std::string& behind);

  std::string name_;
  core::Environment environment_;
  core::Environment mirrored_environment_;
  core::Environment* of_mirror_ = &mirrored_environment_;
  calendar::ZoneCalendars calendars_;
  StampClock stamps_;
  Stamp now_ = 0;
  std::unique_ptr<Leaderboard> board_;
  std::unique_ptr<Leaderboard> mirrored_;
  std::string* rebuilding_ = nullptr;
  std::string trouble_;
  Decision decision_;
};

}  // namespace laurel::leaderboard
