#include "engine/feeds/board_events.h"

namespace laurel::engine {
namespace {

using Cause = BoardEvent::Cause;

class BoardEventReader : public leaderboard::EventReader<LogReader> {
 public:
  BoardEventReader(std::uint64_t board, const EventVisitor* visit)
      : board_(board), visit_(*visit) {}

  Status Visit(std::string_view batch) {
    Status read = ReadAll(batch);
    return stopped_ ? Status(Ok{}) : read;
  }

 protected:
  void OnRestart() override { RestartEvents(); }
  Status OnSelectBoard(std::uint64_t id) override {
    selected_ = id == board_;
    return Ok{};
  }
  Status OnCreateBoard(std::uint64_t id, std::string_view /*name*/, const Spec& spec) override {
    selected_ = id == board_;
    return selected_ ? OnEvent(OfSpec(Cause::kCreated, spec)) : Ok{};
  }
  // The chunks of a load are no events.
  Status OnLoad(std::uint64_t /*id*/, std::string_view /*name*/, const Spec& /*spec*/) override {
    selected_ = false;
    return Ok{};
  }
  Status OnSelectLoad(std::uint64_t /*id*/) override {
    selected_ = false;
    return Ok{};
  }
  Status OnPublish(std::uint64_t id, const Spec& spec, std::uint64_t entries) override {
    selected_ = id == board_;
    if (!selected_) return Ok{};
    BoardEvent event = OfSpec(Cause::kLoaded, spec);
    event.entries = entries;
    return OnEvent(event);
  }
  Status OnDrop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) override {
    if (id != board_) return Ok{};
    BoardEvent event = OfSpec(expired ? Cause::kExpired : Cause::kDropped, spec);
    event.name = name;
    return OnEvent(event);
  }
  Status OnDropBelow(std::uint64_t id) override {
    return board_ < id ? OnEvent(Whole(Cause::kDropped)) : Ok{};
  }
  Status OnName(std::string_view name, std::string_view from, const Spec& spec) override {
    if (!selected_) return Ok{};
    BoardEvent event = OfSpec(Cause::kRenamed, spec);
    event.name = from;
    event.new_name = name;
    return OnEvent(event);
  }
  Status OnBoardEffects(base::ByteCursor* cursor) override {
    return selected_ ? EffectReader::Read(cursor) : EffectReader::Skip(cursor);
  }
  Status OnEvent(const BoardEvent& event) override {
    stopped_ = !visit_(count_++, event);
    return stopped_ ? Status(Error{ErrorCode::kErr, "no more is wanted"}) : Status(Ok{});
  }

 private:
  static BoardEvent OfSpec(Cause cause, const Spec& spec) {
    BoardEvent event = Whole(cause);
    event.spec = spec;
    return event;
  }

  std::uint64_t board_;
  const EventVisitor& visit_;
  std::size_t count_ = 0;
  bool stopped_ = false;
  bool selected_ = false;
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
  Status OnPublish(std::uint64_t id, const Spec& /*spec*/, std::uint64_t /*entries*/) override {
    return OnSelectBoard(id);
  }
  Status OnDropBelow(std::uint64_t /*id*/) override { return OnSelectBoard(kEveryBoard); }

 private:
  std::vector<std::uint64_t>* boards_;
};

}  // namespace

Status VisitEvents(std::uint64_t board, std::string_view batch, const EventVisitor& visit) {
  return BoardEventReader(board, &visit).Visit(batch);
}

void TagBatch(std::string_view batch, std::vector<std::uint64_t>* boards) {
  // A batch that cannot be read is tagged for every board, so that each reader reports the damage.
  if (!TagReader(boards).ReadAll(batch).ok()) boards->push_back(kEveryBoard);
}

}  // namespace laurel::engine
