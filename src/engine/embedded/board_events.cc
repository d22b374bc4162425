#include "engine/embedded/board_events.h"

#include <array>

namespace laurel::engine {
namespace {

using Cause = BoardEvent::Cause;

class EventReader : public EffectReader {
 public:
  EventReader(std::uint64_t board, const EventVisitor* visit) : board_(board), visit_(*visit) {}

  Status Visit(std::string_view batch) {
    const Status read = Read(batch);
    Tell();
    return stopped_ ? Status(Ok{}) : read;
  }

 protected:
  Status OnSelect(std::uint64_t id) override {
    selected_ = id == board_;
    instance_.reset();
    return Ok{};
  }
  Status OnSelectInstance(const InstanceRef& instance) override {
    selected_ = instance.of == board_;
    instance_ = instance;
    return Ok{};
  }
  Status OnCreate(std::uint64_t id, std::string_view /*name*/, const Spec& spec) override {
    (void)OnSelect(id);
    if (selected_) Add(Cause::kCreated).spec = spec;
    return Going();
  }
  Status OnCreateInstance(std::uint64_t id, std::uint64_t of, const Instance& span,
                          Policy /*policy*/, std::uint64_t /*cap*/) override {
    return OnSelectInstance({id, of, span.period, BeginSeconds(span)});
  }
  Status OnDrop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) override {
    if (id != board_) return Ok{};
    instance_.reset();
    BoardEvent& event = Add(expired ? Cause::kExpired : Cause::kDropped);
    event.name = name;
    event.spec = spec;
    return Going();
  }
  Status OnDropBelow(std::uint64_t id) override {
    if (board_ >= id) return Ok{};
    instance_.reset();
    Add(Cause::kDropped);
    return Going();
  }
  Status OnName(std::string_view name, std::string_view from, const Spec& spec) override {
    if (!selected_) return Ok{};
    BoardEvent& event = Add(Cause::kRenamed);
    event.name = from;
    event.new_name = name;
    event.spec = spec;
    return Going();
  }
  Status OnClosed(const ClosedInstance& closed) override {
    if (selected_) Add(Cause::kClosed).closed = closed;
    return Going();
  }
  Status OnEffect(const core::Effect& effect, unsigned /*words*/) override {
    if (!selected_) return Ok{};
    switch (effect.kind) {
      case core::Effect::Kind::kPut:
        Add(Cause::kPut, effect).words = effect.words;
        break;
      case core::Effect::Kind::kDelete:
        Add(effect.evicted ? Cause::kEvicted : Cause::kRemoved, effect);
        break;
      case core::Effect::Kind::kDeleteRange:
        Add(effect.evicted ? Cause::kEvictedRange : Cause::kRemovedRange).range = *effect.range;
        break;
      case core::Effect::Kind::kClear:
        Add(Cause::kCleared);
        break;
      // What the board is and whom it hides is said of the board, and once more of each instance.
      case core::Effect::Kind::kHide:
        if (!instance_) Add(Cause::kHidden, effect);
        break;
      case core::Effect::Kind::kShow:
        if (!instance_) Add(Cause::kShown, effect);
        break;
      case core::Effect::Kind::kAlter:
        if (!instance_) Add(Cause::kAltered).spec = *effect.spec;
        break;
    }
    return Going();
  }

 private:
  // The next event, to be filled in. The one before it is told.
  BoardEvent& Add(Cause cause, const core::Effect& effect = {}) {
    Tell();
    BoardEvent& event = event_.emplace();
    event.cause = cause;
    event.instance = instance_;
    event.member = effect.member;
    return event;
  }
  void Tell() {
    if (event_ && !stopped_) stopped_ = !visit_(count_++, *event_);
    event_.reset();
  }
  [[nodiscard]] Status Going() const {
    return stopped_ ? Status(Error{ErrorCode::kErr, "no more is wanted"}) : Status(Ok{});
  }

  std::uint64_t board_;
  const EventVisitor& visit_;
  std::optional<BoardEvent> event_;
  std::size_t count_ = 0;
  bool stopped_ = false;
  bool selected_ = false;
  std::optional<InstanceRef> instance_;
};

class TagReader : public EffectReader {
 public:
  explicit TagReader(std::vector<std::uint64_t>* boards) : boards_(boards) {}

 protected:
  Status OnSelect(std::uint64_t id) override {
    boards_->push_back(id);
    return Ok{};
  }
  Status OnSelectInstance(const InstanceRef& instance) override { return OnSelect(instance.of); }
  Status OnCreate(std::uint64_t id, std::string_view /*name*/, const Spec& /*spec*/) override {
    return OnSelect(id);
  }
  Status OnCreateInstance(std::uint64_t /*id*/, std::uint64_t of, const Instance& /*span*/,
                          Policy /*policy*/, std::uint64_t /*cap*/) override {
    return OnSelect(of);
  }
  Status OnDrop(std::uint64_t id, std::string_view /*name*/, const Spec& /*spec*/,
                bool /*expired*/) override {
    return OnSelect(id);
  }
  Status OnDropBelow(std::uint64_t /*id*/) override { return OnSelect(kEveryBoard); }

 private:
  std::vector<std::uint64_t>* boards_;
};

}  // namespace

std::string_view CauseName(Cause cause) {
  constexpr std::array<std::string_view, 14> kNames = {
      "put",     "removed", "evicted", "removed-range", "evicted-range", "hidden",  "shown",
      "cleared", "closed",  "created", "altered",       "renamed",       "dropped", "expired"};
  return kNames[static_cast<std::size_t>(cause)];
}

Status VisitEvents(std::uint64_t board, std::string_view batch, const EventVisitor& visit) {
  return EventReader(board, &visit).Visit(batch);
}

void TagBatch(std::string_view batch, std::vector<std::uint64_t>* boards) {
  // What cannot be read concerns whoever comes by: reading it will say so.
  if (!TagReader(boards).Read(batch).ok()) boards->push_back(kEveryBoard);
}

}  // namespace laurel::engine
