// The events of one board in a log batch, as followers see them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/effects.h"
#include "core/store/score_key.h"
#include "engine/journal/journal.h"
#include "engine/journal/log_effects.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::engine {

// The views point into the batch.
struct BoardEvent {
  enum class Cause : std::uint8_t {
    kPut,
    kRemoved,
    kEvicted,
    kRemovedRange,
    kEvictedRange,
    kHidden,
    kShown,
    kCleared,
    kClosed,
    kCreated,
    kAltered,
    kRenamed,
    kDropped,
    kExpired,
  };

  Cause cause = Cause::kPut;
  // Set if the event is about one instance of a board with periods.
  std::optional<leaderboard::InstanceRef> instance;
  std::string_view member;
  core::Words words{};          // kPut
  core::KeyRange range;         // kRemovedRange, kEvictedRange
  leaderboard::Closing closed;  // kClosed
  // kCreated, kAltered, kRenamed, kDropped, kExpired; not set if all boards were dropped at once.
  std::optional<Spec> spec;
  // kDropped, kExpired: the board's name; kRenamed: its name before. Empty if all boards were
  // dropped at once.
  std::string_view name;
  std::string_view new_name;  // kRenamed

  // Whether the event is about `member` alone. Other events may concern any member: a range names
  // only its ends.
  [[nodiscard]] bool IsAboutOneMember() const {
    return cause == Cause::kPut || cause == Cause::kRemoved || cause == Cause::kEvicted ||
           cause == Cause::kHidden || cause == Cause::kShown;
  }
  // Whether the event ends the time in which the board had the name `its_name`.
  [[nodiscard]] bool Ends(std::string_view its_name) const {
    const bool is_end =
        cause == Cause::kRenamed || cause == Cause::kDropped || cause == Cause::kExpired;
    return is_end && spec && name == its_name;
  }
};

// "put", "removed", …
std::string_view CauseName(BoardEvent::Cause cause);

// Calls visit(i, event) for the events of the board in `batch`, in order, with i from 0 on, until
// visit returns false. Events are not collected, because a batch may hold millions.
using EventVisitor = std::function<bool(std::size_t, const BoardEvent&)>;
Status VisitEvents(std::uint64_t board, std::string_view batch, const EventVisitor& visit);

// Appends the ids of the boards that a batch is about, possibly with duplicates; kEveryBoard for
// all boards. Tags are stored in index files on disk: a change of this function needs a new
// kTagScheme.
void TagBatch(std::string_view batch, std::vector<std::uint64_t>* boards);
inline constexpr std::uint64_t kTagScheme = 2;

}  // namespace laurel::engine
