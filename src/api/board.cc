#include "laurel/board.h"

#include <utility>

#include "api/collection.h"
#include "api/collector.h"
#include "base/text.h"
#include "core/commands.h"
#include "core/decide.h"
#include "leaderboard/entries.h"
#include "leaderboard/operation.h"

namespace laurel {
namespace {

using api::BoardSlot;
using api::Collector;
using leaderboard::InstanceSelector;
using leaderboard::Leaderboard;

Error Ended(const BoardSlot& held) {
  return {ErrorCode::kNoBoard, "board " + base::Quote(*held.name) + " has ended"};
}

// Decides the operation and commits it.
void Execute(BoardSlot* held, const leaderboard::WriteOperation& operation, Moment moment,
             Collector* answer) {
  Leaderboard& board = held->board;
  leaderboard::Decision* decision = &held->owner->decision;
  board.Decide(operation, {*held->name, moment.now, moment.stamp}, decision);
  leaderboard::Summary summary;
  board.Commit(decision, answer, nullptr, &summary);
  if (summary.due_earlier) held->owner->Schedule(held, board.Due(moment.now), /*exact=*/false);
}

Result<std::uint64_t> Counted(BoardSlot* held, const leaderboard::WriteOperation& operation,
                              Stamp now) {
  Collector answer;
  Execute(held, operation, {now, 0}, &answer);
  if (answer.error()) return *answer.error();
  return answer.number();
}

Result<std::vector<Entry>> Popped(BoardSlot* held, const leaderboard::Pop& pop, Stamp now) {
  Collector answer;
  Execute(held, pop, {now, 0}, &answer);
  if (answer.error()) return *answer.error();
  return std::move(answer.entries());
}

// A sorted set remembers no request ids.
Status CheckIds(const BoardSlot& held, const WriteOptions& options) {
  if (held.is_leaderboard() || !options.id) return Ok{};
  return Error{ErrorCode::kWrongType, "a sorted set remembers no ids"};
}

}  // namespace

Board::Board(api::BoardSlot* held) : Ranking(&held->board.standings()), slot_(held) {}

std::string_view Board::name() const { return *slot_->name; }
std::size_t Board::MemoryUsage() const { return slot_->board.MemoryUsage(); }
Stamp Board::last_stamp() const { return slot_->board.last_stamp(); }
std::string Board::Validate() const { return slot_->board.Validate(); }
std::string Board::Save() const { return api::Save(*slot_); }

// Scores ------------------------------------------------------------------------------------------

Result<WriteVerdict> Board::Apply(const Write& write, Moment moment, const WriteOptions& options) {
  if (const Status fits = CheckIds(*slot_, options); !fits.ok()) return fits.error();
  if (slot_->board.HasExpired(moment.now)) return Ended(*slot_);
  leaderboard::Submit submit;
  submit.mode = write.mode;
  submit.member = write.member;
  submit.values.score = &write.score;
  submit.condition = write.condition;
  submit.only = write.only;
  submit.at = write.at;
  submit.id = options.id;
  submit.meta = write.meta;
  submit.ranks = options.ranks;
  Collector answer;
  Execute(slot_, submit, moment, &answer);
  if (answer.error()) return *answer.error();
  return std::move(answer.verdicts()[0]);
}

Result<std::vector<WriteVerdict>> Board::ApplyAll(std::span<const Write> writes, Moment moment,
                                                  const WriteOptions& options) {
  if (const Status fits = CheckIds(*slot_, options); !fits.ok()) return fits.error();
  if (slot_->board.HasExpired(moment.now)) return Ended(*slot_);
  if (writes.empty() && !options.id) return std::vector<WriteVerdict>();
  leaderboard::SubmitMany many;
  many.writes = writes;
  many.id = options.id;
  many.ranks = options.ranks;
  Collector answer;
  Execute(slot_, many, moment, &answer);
  if (answer.error()) return *answer.error();
  return std::move(answer.verdicts());
}

void Board::ApplyBatch(std::span<const Write> writes, Moment moment,
                       std::vector<Result<Verdict>>* verdicts) {
  verdicts->clear();
  verdicts->reserve(writes.size());
  Leaderboard& board = slot_->board;
  if (board.has_periods() || board.HasExpired(moment.now)) {
    for (const Write& write : writes) {
      const Result<WriteVerdict> verdict = Apply(write, moment, {.ranks = false});
      verdicts->push_back(verdict.ok() ? Result<Verdict>(static_cast<const Verdict&>(*verdict))
                                       : verdict.error());
      ++moment.stamp;
    }
    return;
  }
  const leaderboard::Summary summary = board.ApplyBatch(
      writes, {*slot_->name, moment.now, moment.stamp}, nullptr,
      [&](std::size_t, const Result<Verdict>& verdict) { verdicts->push_back(verdict); });
  if (summary.due_earlier) slot_->owner->Schedule(slot_, board.Due(moment.now), /*exact=*/false);
}

Result<WriteVerdict> Board::Submit(std::string_view member, const Score& score, Moment moment,
                                   const WriteOptions& options) {
  const Write write{.member = member, .score = score, .mode = WriteMode::kSubmit};
  return Apply(write, moment, options);
}

Result<WriteVerdict> Board::Set(std::string_view member, const Score& score, Moment moment,
                                const WriteOptions& options) {
  const Write write{.member = member, .score = score, .mode = WriteMode::kSet};
  return Apply(write, moment, options);
}

Result<WriteVerdict> Board::Increment(std::string_view member, const Score& score, Moment moment,
                                      const WriteOptions& options) {
  const Write write{.member = member, .score = score, .mode = WriteMode::kIncrement};
  return Apply(write, moment, options);
}

// Other writes ------------------------------------------------------------------------------------

Result<bool> Board::SetMeta(std::string_view member, std::string_view meta, Stamp now) {
  if (slot_->board.HasExpired(now)) return Ended(*slot_);
  const Result<std::uint64_t> found =
      Counted(slot_, leaderboard::SetMeta{member, meta, std::nullopt}, now);
  if (!found.ok()) return found.error();
  return *found > 0;
}

std::uint64_t Board::Remove(std::span<const std::string_view> members) {
  return Counted(slot_, leaderboard::Remove{members, std::nullopt}, 0).value();
}

Result<std::vector<Entry>> Board::Pop(std::uint64_t n, End end) {
  const bool worst = end == End::kWorst;
  return Popped(slot_, {n, worst, /*with_meta=*/true, std::nullopt}, 0);
}

Result<std::uint64_t> Board::Trim(std::uint64_t n) {
  return Counted(slot_, leaderboard::Trim{n, std::nullopt}, 0);
}

std::uint64_t Board::Clear() { return Counted(slot_, leaderboard::Clear{}, 0).value(); }

Result<std::uint64_t> Board::Hide(std::span<const std::string_view> members) {
  return Counted(slot_, leaderboard::Hide{members}, 0);
}

Result<std::uint64_t> Board::Show(std::span<const std::string_view> members) {
  return Counted(slot_, leaderboard::Show{members}, 0);
}

Status Board::Alter(const Spec& spec, Stamp now) {
  if (!slot_->is_leaderboard()) {
    return Error{ErrorCode::kWrongType, "a sorted set has nothing to alter"};
  }
  if (slot_->board.HasExpired(now)) return Ended(*slot_);
  const Result<std::uint64_t> done = Counted(slot_, leaderboard::Alter{&spec}, now);
  if (!done.ok()) return done.error();
  return Ok{};
}

Status Board::Load(std::span<const Entry> sorted) { return slot_->board.LoadEntries(sorted); }

// The whole board ---------------------------------------------------------------------------------

Result<Ranking> Board::Present(Stamp now) const {
  if (slot_->board.HasExpired(now)) return Ended(*slot_);
  return Ranking(slot_->board.ViewOf(std::nullopt, now)->standings);
}

Result<BoardInstance> Board::InPeriod(std::string_view selector, Stamp now) const {
  if (slot_->board.HasExpired(now)) return Ended(*slot_);
  const InstanceSelector parsed = leaderboard::ParseSelector(selector);
  std::optional<Leaderboard::View> view = slot_->board.ViewOf(parsed, now);
  if (!view) return slot_->board.NoInstance(*slot_->name, parsed, now);
  return BoardInstance(slot_, view->standings, view->span, now);
}

std::vector<PeriodInfo> Board::Periods(Stamp now) const {
  const Leaderboard& board = slot_->board;
  if (!board.has_periods()) return {};
  Collector answer;
  board.Read(leaderboard::ListPeriods{}, {*slot_->name, now, 0}, &answer);
  for (PeriodInfo& period : answer.periods()) {
    // An instance that is over may not have been closed by Advance yet.
    period.closed = period.closed || board.IsOver(period.instance, now);
  }
  return std::move(answer.periods());
}

BoardInfo Board::Describe(Stamp now) const {
  BoardInfo info;
  info.name = *slot_->name;
  info.spec = spec();
  info.bytes = MemoryUsage();
  Collector answer;
  slot_->board.Read(leaderboard::Describe{}, {*slot_->name, now, 0}, &answer);
  info.size = answer.description().size;
  info.hidden = answer.description().hidden;
  info.ids = answer.description().ids;
  return info;
}

// Instances ---------------------------------------------------------------------------------------

BoardInstance::BoardInstance(api::BoardSlot* held, const core::Standings* entries,
                             const Instance& instance, Stamp now)
    : Ranking(entries), slot_(held), instance_(instance), now_(now) {}

namespace {

InstanceSelector SelectorOf(const Instance& instance) {
  InstanceSelector selector;
  selector.period = instance.period;
  selector.which = InstanceSelector::Which::kLabel;
  selector.label = instance.label;
  selector.text = instance.label;
  return selector;
}

}  // namespace

Result<bool> BoardInstance::SetMeta(std::string_view member, std::string_view meta) {
  const Result<std::uint64_t> found =
      Counted(slot_, leaderboard::SetMeta{member, meta, SelectorOf(instance_)}, now_);
  if (!found.ok()) return found.error();
  return *found > 0;
}

Result<std::uint64_t> BoardInstance::Remove(std::span<const std::string_view> members) {
  return Counted(slot_, leaderboard::Remove{members, SelectorOf(instance_)}, now_);
}

Result<std::vector<Entry>> BoardInstance::Pop(std::uint64_t n, End end) {
  return Popped(slot_, {n, end == End::kWorst, /*with_meta=*/true, SelectorOf(instance_)}, now_);
}

Result<std::uint64_t> BoardInstance::Trim(std::uint64_t n) {
  return Counted(slot_, leaderboard::Trim{n, SelectorOf(instance_)}, now_);
}

Result<std::uint64_t> BoardInstance::Clear() {
  return Counted(slot_, leaderboard::Clear{SelectorOf(instance_)}, now_);
}

}  // namespace laurel
