// The value of a key of type laurel-lb: a leaderboard, the events it keeps (FEED), and what the
// module notes about both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/store/environment.h"
#include "laurel/calendar.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/load.h"
#include "module/feed.h"

namespace laurel::module {

// A value that LB.LOAD fills. To other commands it is of another type.
struct Loading {
  std::string board;  // the key that it is for
  leaderboard::LoadProgress progress{};
};

struct Value {
  static constexpr Stamp kNotKnown = INT64_MIN;

  // Counts the value in `boards`.
  Value(const Spec& spec, core::Environment* environment, std::shared_ptr<const Calendar> calendar,
        core::Total* boards);
  // May run on any thread.
  ~Value();
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  [[nodiscard]] const Spec& spec() const { return board.spec(); }
  [[nodiscard]] std::uint64_t feed_events() const { return feed ? feed->capacity() : 0; }
  [[nodiscard]] std::size_t MemoryUsage() const;
  // About how many allocations it takes to free the value; never 0.
  [[nodiscard]] std::size_t FreeEffort() const;
  // Covers all that replicas have in common: entries, ids, marks, last stamp, feed.
  [[nodiscard]] std::uint64_t Digest() const;

  leaderboard::Leaderboard board;
  std::unique_ptr<Feed> feed;        // null without FEED
  std::unique_ptr<Loading> loading;  // null unless LB.LOAD fills the value
  // Not before this the board has to Advance; kNotKnown after a load or an apply.
  Stamp due_at = kNotKnown;
  Stamp hinted_at = INT64_MAX;  // of its earliest hint in the sweep
  // The expiry that the board's EXPIRE gave the key, in ms; 0: none. A user may have changed the
  // key's since.
  std::int64_t expiry_ms = 0;
  // The board may have more entries than its cap: it was loaded so, or has applied effects.
  bool may_exceed_cap = false;

 private:
  core::Total& boards_;
};

// What applying effects has changed.
struct Applied {
  leaderboard::Summary summary;
  std::int64_t expiry_ms = -1;  // the key's new expiry; 0: none; -1: as it was
  std::size_t events = 0;       // added to the feed
};

// Reads the spec that `effects` begin with, and moves them behind it. ERR if they do not begin with
// the creation of a leaderboard.
Result<Spec> ReadCreation(std::string_view* effects);
// Checks that the bytes are whole effects, of a leaderboard and of the module.
Status CheckEffects(std::string_view effects);
// Applies effects that another process decided, in order. On an error some may have been applied.
// REQUIRES: CheckEffects(effects) is ok.
Status ApplyEffects(std::string_view effects, Value* value, Applied* applied);

// Writes a value as effects, in chunks for RDB files and AOF rewrites, without locks and without
// changing it: a forked child does so.
class ValueWalk {
 public:
  // Without events, a walk leaves out most request ids too; the reader must forget the rest.
  explicit ValueWalk(const Value* value, bool with_requests_and_events = true)
      : value_(*value), whole_(with_requests_and_events) {
    cursor_.in_order = true;  // loading is half sorting, if there is anything to sort
  }

  // Appends the next chunk of effects to *chunk: about kChunkBytes. False if nothing was left. The
  // chunks together begin with the creation of the leaderboard.
  bool Next(std::string* chunk);

 private:
  enum class Part : std::uint8_t { kCreation, kBoard, kHost, kEvents, kDone };

  const Value& value_;
  const bool whole_;
  Part part_ = Part::kCreation;
  leaderboard::Leaderboard::WalkCursor cursor_;
  std::uint64_t events_written_ = 0;
};

// Reads the chunks of a ValueWalk into a new value, entries in bulk.
class ValueLoader {
 public:
  explicit ValueLoader(Value* into);
  ~ValueLoader();
  // Safe for arbitrary bytes. On an error the value must be dropped.
  Status Read(std::string_view chunk);
  void Finish();

 private:
  class State;
  Value& into_;
  std::unique_ptr<State> state_;
};

}  // namespace laurel::module
