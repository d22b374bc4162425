// The value of a key of type laurel-lb: a leaderboard, the events it keeps (FEED), and the module's
// state of both.
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
#include "module/redis_api.h"

namespace laurel::module {

// The state of a value that LB.LOAD is filling. Other commands treat it as another type.
struct Loading {
  std::string board;  // key of the future board
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
  // Estimates the allocations to free with the value; never 0.
  [[nodiscard]] std::size_t FreeEffort() const;
  // Covers the state that replicas share: entries, ids, marks, last stamp, feed.
  [[nodiscard]] std::uint64_t Digest() const;

  leaderboard::Leaderboard board;
  std::unique_ptr<Feed> feed;        // null without FEED
  std::unique_ptr<Loading> loading;  // null unless LB.LOAD is filling the value
  // The board need not Advance before this; kNotKnown after a load or an apply.
  Stamp due_at = kNotKnown;
  Stamp hinted_at = INT64_MAX;  // time of its earliest hint in the sweep
  // The number of its last change that WATCH sees, of all values of this process. If two reads of
  // one value find the same number, its contents are the same.
  std::uint64_t changed_at = 0;
  // The expiry that the board's EXPIRE gave the key, in ms; 0: none. A user may have changed the
  // key's expiry since.
  std::int64_t expiry_ms = 0;
  // Whether the board may exceed its cap, after a load or applied effects.
  bool may_exceed_cap = false;
  bool excess_is_logged = false;

 private:
  core::Total& boards_;
};

// The changes that applied effects have made.
struct Applied {
  leaderboard::Summary summary;
  std::int64_t expiry_ms = -1;  // the key's new expiry; 0: none; -1: unchanged
  std::size_t events = 0;       // added to the feed
};

// Reads the spec at the beginning of `effects`, and advances `effects` past it. ERR if they do not
// begin with the creation of a leaderboard.
Result<Spec> ReadCreation(std::string_view* effects);
// Checks that the bytes are complete effects, of a leaderboard and of the module.
Status CheckEffects(std::string_view effects);
// Applies effects that another process decided, in order. On an error some may have been applied.
// REQUIRES: CheckEffects(effects) is ok.
Status ApplyEffects(std::string_view effects, Value* value, Applied* applied);

// Writes a value as effects, in chunks for RDB files and AOF rewrites. It takes no locks and
// changes nothing, because a forked child uses it.
class ValueWalk {
 public:
  // A walk without events also leaves out most request ids; the reader must forget the rest.
  explicit ValueWalk(const Value* value, bool with_requests_and_events = true)
      : value_(*value), whole_(with_requests_and_events) {
    // Half of loading is sorting, if entries need it.
    cursor_.order = leaderboard::Leaderboard::WalkCursor::Order::kBest;
  }

  // Appends the next chunk of effects, about kChunkBytes, to *chunk. False if nothing was left. The
  // first chunk begins with the creation of the leaderboard.
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

// Registers the data type. Null if the server refuses it (data_type.cc).
Type* CreateType(Context* context);

}  // namespace laurel::module
