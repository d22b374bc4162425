// The last events of a board, for LB.CHANGES: a ring of at most `capacity` events, also bounded in
// bytes.
//
//   bytes_   [ … dropped … | length, event | length, event | … ]
//             ^ compacted when half     ^ sequence first_
//
// An event is kept as the effect that caused it, with its instance: 40 bytes for a put of an
// 18-byte member. Events are numbered by a sequence that never decreases. A *place* is the number
// of events before it, with the term in which they happened. If the ring cannot continue from a
// place (dropped events, an unknown term), the reader gets a gap.
//
// Every copy of the board derives the same events from the same effects, so replicas have equal
// feeds without replicating them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "laurel/result.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/events.h"
#include "module/host_effects.h"

namespace laurel::module {

struct FeedCursor {
  std::uint64_t term = 0;
  std::uint64_t sequence = 0;

  bool operator==(const FeedCursor&) const = default;
};
// The cursor that clients hold: "2f0c81aa-1c", two hexadecimal numbers.
std::string FormatCursor(const FeedCursor& place);
Result<FeedCursor> ParseCursor(std::string_view text);

class Feed {
 public:
  // REQUIRES: capacity > 0.
  explicit Feed(std::uint64_t capacity) : capacity_(capacity) { LAUREL_ASSERT(capacity > 0); }

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  // REQUIRES: capacity > 0.
  void SetCapacity(std::uint64_t capacity);

  // Whether this process has begun the current term, and so may add events.
  [[nodiscard]] bool IsOpen() const { return open_; }
  // Begins a term. `own`: this process chose the term and adds its events.
  void BeginTerm(std::uint64_t term, bool own);
  // Begins the first term of a copy of a board under the name `key`; `from` is the feed of the
  // original. The term is a hash of the end of `from` and of `key`, so all servers compute the same
  // one.
  void BeginAsCopy(const Feed& from, std::string_view key);
  // Makes the next own event begin a new term, because other events were applied or the board was
  // loaded.
  void EndOwnTerm() { open_ = false; }

  // Adds the events among the effects of one leaderboard. Returns how many.
  std::size_t Note(std::string_view effects);
  // Adds an event in the kept form. False if the bytes are not one event.
  bool Append(std::string_view event);
  // Returns the event that a board was created.
  static std::string CreatedEvent(const Spec& spec);

  // Prepares restoring: drops all events, and sets the sequence of the first event that follows.
  void Restore(std::uint64_t first, std::vector<FeedTerm> terms);
  [[nodiscard]] const std::vector<FeedTerm>& terms() const { return terms_; }

  // The places before the oldest event kept, and after the last one.
  [[nodiscard]] FeedCursor Oldest() const { return PlaceAt(first_); }
  [[nodiscard]] FeedCursor End() const { return PlaceAt(end()); }
  // The place before the event of this sequence. It belongs to the term of the event before it. A
  // reader of that event then continues in the next term without a gap.
  [[nodiscard]] FeedCursor PlaceAt(std::uint64_t sequence) const;
  // Whether events before Oldest() were dropped.
  [[nodiscard]] bool HasDropped() const { return first_ > 0; }
  // Whether a reader can continue from the place.
  [[nodiscard]] bool Knows(const FeedCursor& place) const;

  // Calls visit(place after the event, event) for the events from `sequence` on, until it returns
  // false. REQUIRES: Oldest().sequence <= sequence <= End().sequence.
  using Visitor = std::function<bool(const FeedCursor&, const leaderboard::Event&)>;
  void Visit(std::uint64_t sequence, const Visitor& visit) const;
  // Calls visit(bytes) for all events, oldest first.
  void VisitBytes(const std::function<void(std::string_view)>& visit) const;

  [[nodiscard]] std::size_t MemoryUsage() const {
    return sizeof(Feed) + bytes_.capacity() + terms_.capacity() * sizeof(FeedTerm) +
           marks_.size() * sizeof(std::uint64_t);
  }
  [[nodiscard]] std::uint64_t Digest() const;

 private:
  static constexpr std::uint64_t kMarkEvery = 64;

  [[nodiscard]] std::uint64_t end() const { return first_ + count_; }
  void DropOldest();

  std::uint64_t capacity_;
  bool open_ = false;
  std::string bytes_;
  std::size_t start_ = 0;      // offset of the oldest event in bytes_
  std::uint64_t dropped_ = 0;  // bytes removed from the front of bytes_ so far
  std::uint64_t first_ = 0;    // sequence of the oldest event
  std::uint64_t count_ = 0;
  std::vector<FeedTerm> terms_;  // oldest first; the first may have no events
  // For every kMarkEvery-th kept sequence: its offset plus dropped_ at that time.
  std::deque<std::uint64_t> marks_;
};

}  // namespace laurel::module
