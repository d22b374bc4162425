// What a batch of the log says about one board: the log as those see it who follow it.
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
  std::optional<leaderboard::InstanceRef>
      instance;             // of a board with periods, where it is about one of them
  std::string_view member;  // as everything here, of the batch
  core::Words words{};      // kPut
  core::KeyRange range;     // kRemovedRange, kEvictedRange
  leaderboard::Closing closed;
  std::optional<Spec> spec;  // kCreated, kAltered, and what ends the board's time under a name
  std::string_view name;     // the last two: the board's; kRenamed: the one it had before
                             // (neither if everything was dropped at once)
  std::string_view new_name;

  // The board is not there any more, or not under this name, which it had.
  [[nodiscard]] bool Ends(std::string_view its_name) const {
    const bool is_end =
        cause == Cause::kRenamed || cause == Cause::kDropped || cause == Cause::kExpired;
    return is_end && spec && name == its_name;
  }
};

// "put", "removed", …
std::string_view CauseName(BoardEvent::Cause cause);

// Calls visit(i, event) for the events of the board in order, counted from 0, until it returns
// false. One at a time: a batch may hold millions. `batch` is what the log holds.
using EventVisitor = std::function<bool(std::size_t, const BoardEvent&)>;
Status VisitEvents(std::uint64_t board, std::string_view batch, const EventVisitor& visit);

// The boards that a batch is about, some perhaps more than once; 0 for all of them. Part of what is
// kept on disk: see kTagScheme.
void TagBatch(std::string_view batch, std::vector<std::uint64_t>* boards);
inline constexpr std::uint64_t kTagScheme = 2;

}  // namespace laurel::engine
