// The events of a leaderboard, as followers of its change feed see them: read from effects.
//
// An event is what happened to entries, marks or the declaration. Effects that only keep the books
// (stamps, turns, request ids) are no events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/effects.h"
#include "core/store/score_key.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "leaderboard/effect_codec.h"

namespace laurel::leaderboard {

// The views point into the effects that the event was read from.
struct Event {
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
    kLoaded,
  };

  Cause cause = Cause::kPut;
  // Set if the event is about one instance of a board with periods.
  std::optional<InstanceRef> instance;
  std::string_view member;
  core::Words words{};        // kPut
  core::KeyRange range;       // kRemovedRange, kEvictedRange
  Closing closed;             // kClosed
  std::uint64_t entries = 0;  // kLoaded
  // kCreated, kAltered, kRenamed, kDropped, kExpired, kLoaded; not set if all boards were dropped
  // at once.
  std::optional<Spec> spec;
  // kDropped, kExpired: the board's name; kRenamed: its name before. Empty if all boards were
  // dropped at once.
  std::string_view name;
  std::string_view new_name;  // kRenamed; a null view is not shown

  // Whether the event is about `member` alone. Other events may concern any member: a range names
  // only its ends.
  [[nodiscard]] bool IsAboutOneMember() const {
    return cause == Cause::kPut || cause == Cause::kRemoved || cause == Cause::kEvicted ||
           cause == Cause::kHidden || cause == Cause::kShown;
  }
  // Whether the board's events begin with this one.
  [[nodiscard]] bool IsFirst() const { return cause == Cause::kCreated || cause == Cause::kLoaded; }
  // Whether the event ends the time in which the board had the name `its_name`.
  [[nodiscard]] bool Ends(std::string_view its_name) const {
    const bool is_end =
        cause == Cause::kRenamed || cause == Cause::kDropped || cause == Cause::kExpired;
    return is_end && spec && name == its_name;
  }
};

// The events that a follower of a board wants.
struct EventFilter {
  // If set, events about another member alone are left out.
  std::optional<std::string> member{};
  // If set, events of other periods, and of instances that begin at another time, are left out.
  std::optional<Period> period{};
  std::optional<std::int64_t> begin_s{};

  // An event that may concern every member passes for each.
  [[nodiscard]] bool Passes(const Event& event) const {
    if (member && event.IsAboutOneMember() && event.member != *member) return false;
    if (!period || !event.instance) return true;
    return event.instance->period == *period && (!begin_s || event.instance->begin_s == *begin_s);
  }
};

// "put", "removed", …
std::string_view CauseName(Event::Cause cause);

// Reads effects and calls OnEvent for each that is an event. `Reader`: EffectReader, or a host's
// reader that is one.
template <typename Reader>
class EventReader : public Reader {
 public:
  // Selects the board itself, as at the beginning.
  void RestartEvents() { instance_.reset(); }

 protected:
  using Cause = Event::Cause;

  virtual Status OnEvent(const Event& event) = 0;

  // An event about the board as a whole, to be filled in and passed to OnEvent.
  static Event Whole(Cause cause) {
    Event event;
    event.cause = cause;
    return event;
  }

  Status OnSelect(const InstanceRef& instance) override {
    instance_.reset();
    if (instance.number != 0) instance_ = instance;
    return Ok{};
  }
  Status OnCreateInstance(std::uint32_t number, const Instance& span) override {
    instance_ = {number, span.period, BeginSeconds(span)};
    return Ok{};
  }
  Status OnClose(const Closing& closing) override {
    Event event = OfInstance(Cause::kClosed);
    event.closed = closing;
    return OnEvent(event);
  }
  Status OnAlter(const Spec& spec) override {
    Event event = Whole(Cause::kAltered);
    event.spec = spec;
    return OnEvent(event);
  }
  Status OnMark(std::string_view member) override {
    Event event = Whole(Cause::kHidden);
    event.member = member;
    return OnEvent(event);
  }
  Status OnUnmark(std::string_view member) override {
    Event event = Whole(Cause::kShown);
    event.member = member;
    return OnEvent(event);
  }
  Status OnEntry(const core::Effect& effect, unsigned /*words*/) override {
    Event event = OfInstance(Cause::kPut);
    event.member = effect.member;
    switch (effect.kind) {
      case core::Effect::Kind::kPut:
        event.words = effect.words;
        break;
      case core::Effect::Kind::kDelete:
        event.cause = effect.evicted ? Cause::kEvicted : Cause::kRemoved;
        break;
      case core::Effect::Kind::kDeleteRange:
        event.cause = effect.evicted ? Cause::kEvictedRange : Cause::kRemovedRange;
        event.range = *effect.range;
        break;
      case core::Effect::Kind::kClear:
        event.cause = Cause::kCleared;
        break;
      case core::Effect::Kind::kHide:  // reported by OnMark
      case core::Effect::Kind::kShow:
      case core::Effect::Kind::kAlter:
        return Ok{};
    }
    return OnEvent(event);
  }

 private:
  Event OfInstance(Cause cause) const {
    Event event;
    event.cause = cause;
    event.instance = instance_;
    return event;
  }

  std::optional<InstanceRef> instance_;
};

}  // namespace laurel::leaderboard
