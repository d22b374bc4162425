// A leaderboard and its mirror: what a replica is to a primary.
//
// The effects of each operation are applied to a second leaderboard as bytes, and both must have
// the same digest after every step. From time to time the mirror is thrown away and made again from
// a walk over the first one, with operations between the slices of the walk.
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
  // Small nodes and short lists, so that what is rare becomes common.
  static core::Shape SmallShape();

  Mirror(std::string name, const Spec& spec);

  [[nodiscard]] const Leaderboard& board() const { return *board_; }
  [[nodiscard]] const Leaderboard& mirrored() const { return *mirrored_; }
  void SetTime(Stamp now) { now_ = now; }
  [[nodiscard]] Stamp now() const { return now_; }

  void Read(const ReadOperation& operation, Answer* answer) const;
  Summary Write(const WriteOperation& operation, Answer* answer);
  Summary Advance(std::size_t budget);

  // Makes the mirror anew, from a walk in slices of `slice`; `between` is called between slices and
  // may write to the board.
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

  // Goes on with the mirror, and with the stamps that it knows of: what a restart does.
  void Swap();

  // An empty string, or how the two differ or what is broken.
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
