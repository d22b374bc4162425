#include "engine/feeds/board_events.h"

#include <array>

namespace laurel::engine {
namespace {

using Cause = BoardEvent::Cause;

class EventReader : public LogReader {
 public:
  EventReader(std::uint64_t board, const EventVisitor* visit) : board_(board), visit_(*visit) {}

  Status Visit(std::string_view batch) {
    Status read = ReadAll(batch);
    Tell();
    return stopped_ ? Status(Ok{}) : read;
  }

 protected:
  void OnRestart() override { instance_.reset(); }
  Status OnSelectBoard(std::uint64_t id) override {
    selected_ = id == board_;
    return Ok{};
  }
  Status OnCreateBoard(std::uint64_t id, std::string_view /*name*/, const Spec& spec) override {
    selected_ = id == board_;
    if (selected_) Add(Cause::kCreated).spec = spec;
    return Going();
  }
  Status OnDrop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) override {
    if (id != board_) return Ok{};
    BoardEvent& event = Add(expired ? Cause::kExpired : Cause::kDropped);
    event.name = name;
    event.spec = spec;
    return Going();
  }
  Status OnDropBelow(std::uint64_t id) override {
    if (board_ >= id) return Ok{};
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
  Status OnBoardEffects(base::ByteCursor* cursor) override {
    return selected_ ? EffectReader::Read(cursor) : EffectReader::Skip(cursor);
  }
  Status OnSelect(const leaderboard::InstanceRef& instance) override {
    instance_.reset();
    if (instance.number != 0) instance_ = instance;
    return Ok{};
  }
  Status OnCreateInstance(std::uint32_t number, const Instance& span) override {
    instance_ = {number, span.period, leaderboard::BeginSeconds(span)};
    return Ok{};
  }
  Status OnClose(const leaderboard::Closing& closing) override {
    Add(Cause::kClosed).closed = closing;
    return Going();
  }
  Status OnAlter(const Spec& spec) override {
    AddWhole(Cause::kAltered).spec = spec;
    return Going();
  }
  Status OnMark(std::string_view member) override {
    AddWhole(Cause::kHidden).member = member;
    return Going();
  }
  Status OnUnmark(std::string_view member) override {
    AddWhole(Cause::kShown).member = member;
    return Going();
  }
  Status OnEntry(const core::Effect& effect, unsigned /*words*/) override {
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
      case core::Effect::Kind::kHide:  // reported by OnMark
      case core::Effect::Kind::kShow:
      case core::Effect::Kind::kAlter:
        break;
    }
    return Going();
  }

 private:
  // Passes the pending event to the visitor and returns a new one, to be filled in.
  BoardEvent& Add(Cause cause, const core::Effect& effect = {}) {
    Tell();
    BoardEvent& event = event_.emplace();
    event.cause = cause;
    event.instance = instance_;
    event.member = effect.member;
    return event;
  }
  // As Add, for an event about the board as a whole.
  BoardEvent& AddWhole(Cause cause) {
    BoardEvent& event = Add(cause);
    event.instance.reset();
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
  std::optional<leaderboard::InstanceRef> instance_;
};

class TagReader : public LogReader {
 public:
  explicit TagReader(std::vector<std::uint64_t>* boards) : boards_(boards) {}

 protected:
  Status OnSelectBoard(std::uint64_t id) override {
    boards_->push_back(id);
    return Ok{};
  }
  Status OnCreateBoard(std::uint64_t id, std::string_view /*name*/, const Spec& /*spec*/) override {
    return OnSelectBoard(id);
  }
  Status OnDrop(std::uint64_t id, std::string_view /*name*/, const Spec& /*spec*/,
                bool /*expired*/) override {
    return OnSelectBoard(id);
  }
  Status OnDropBelow(std::uint64_t /*id*/) override { return OnSelectBoard(kEveryBoard); }

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
  // A batch that cannot be read is tagged for every board, so that each reader reports the damage.
  if (!TagReader(boards).ReadAll(batch).ok()) boards->push_back(kEveryBoard);
}

}  // namespace laurel::engine
