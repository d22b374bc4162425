#include "laurel/board.h"

#include <utility>

#include "api/collection.h"
#include "api/collector.h"
#include "api/saved.h"
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

// Decides the operation and commits it. REQUIRES: `held` is a leaderboard.
void Execute(BoardSlot* held, const leaderboard::WriteOperation& operation, Moment moment,
             Collector* answer) {
  Leaderboard* board = held->leaderboard();
  leaderboard::Decision* decision = &held->owner->decision;
  board->Decide(operation, {*held->name, moment.now, moment.stamp}, decision);
  leaderboard::Summary summary;
  board->Commit(decision, answer, nullptr, &summary);
  if (summary.due_earlier) held->owner->Schedule(held, board->Due(moment.now), /*exact=*/false);
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

// Applies the effects that `decide` fills to a sorted set; returns what `decide` returned.
template <typename Decide>
auto OnSortedSet(core::Board* set, const Decide& decide) {
  core::EffectBatch effects;
  auto decided = decide(*set, &effects);
  set->Apply(effects);
  return decided;
}

Result<std::vector<WriteVerdict>> ApplyToSortedSet(core::Board* set, std::span<const Write> writes,
                                                   Moment moment, const WriteOptions& options) {
  if (options.id) return Error{ErrorCode::kWrongType, "a sorted set remembers no ids"};
  const Result<std::vector<Verdict>> verdicts =
      core::ApplyWrites(set, writes, moment, options.ranks);
  if (!verdicts.ok()) return verdicts.error();
  std::vector<WriteVerdict> all;
  all.reserve(verdicts->size());
  for (const Verdict& verdict : *verdicts) all.push_back({verdict, {}, false});
  return all;
}

}  // namespace

Board::Board(api::BoardSlot* held) : Ranking(&held->entries()), slot_(held) {}

std::string_view Board::name() const { return *slot_->name; }
std::size_t Board::MemoryUsage() const { return slot_->MemoryUsage(); }
Stamp Board::last_stamp() const {
  const Leaderboard* board = slot_->leaderboard();
  return board == nullptr ? 0 : board->last_stamp();
}
std::string Board::Validate() const {
  return std::visit([](const auto& board) { return board.Validate(); }, slot_->value);
}
std::string Board::Save() const { return api::Save(*slot_); }

// Scores ------------------------------------------------------------------------------------------

Result<WriteVerdict> Board::Apply(const Write& write, Moment moment, const WriteOptions& options) {
  Collector answer;
  if (core::Board* set = slot_->sorted_set()) {
    Result<std::vector<WriteVerdict>> verdicts =
        ApplyToSortedSet(set, {&write, 1}, moment, options);
    if (!verdicts.ok()) return verdicts.error();
    return std::move((*verdicts)[0]);
  }
  if (slot_->HasExpired(moment.now)) return Ended(*slot_);
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
  Execute(slot_, submit, moment, &answer);
  if (answer.error()) return *answer.error();
  return std::move(answer.verdicts()[0]);
}

Result<std::vector<WriteVerdict>> Board::ApplyAll(std::span<const Write> writes, Moment moment,
                                                  const WriteOptions& options) {
  if (core::Board* set = slot_->sorted_set()) {
    return ApplyToSortedSet(set, writes, moment, options);
  }
  if (slot_->HasExpired(moment.now)) return Ended(*slot_);
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
  if (core::Board* set = slot_->sorted_set()) {
    return core::ApplyBatch(set, writes, moment,
                            [&](std::size_t, const Result<Verdict>& verdict,
                                const core::EffectBatch&) { verdicts->push_back(verdict); });
  }
  Leaderboard* board = slot_->leaderboard();
  if (board->has_periods() || board->HasExpired(moment.now)) {
    for (const Write& write : writes) {
      const Result<WriteVerdict> verdict = Apply(write, moment, {.ranks = false});
      verdicts->push_back(verdict.ok() ? Result<Verdict>(*verdict) : verdict.error());
      ++moment.stamp;
    }
    return;
  }
  const leaderboard::Summary summary = board->ApplyBatch(
      writes, {*slot_->name, moment.now, moment.stamp}, nullptr,
      [&](std::size_t, const Result<Verdict>& verdict) { verdicts->push_back(verdict); });
  if (summary.due_earlier) slot_->owner->Schedule(slot_, board->Due(moment.now), /*exact=*/false);
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
  if (core::Board* set = slot_->sorted_set()) {
    return OnSortedSet(set, [&](const core::Board& board, core::EffectBatch* effects) {
      return core::DecideSetMeta(board, member, meta, effects);
    });
  }
  if (slot_->HasExpired(now)) return Ended(*slot_);
  const Result<std::uint64_t> found =
      Counted(slot_, leaderboard::SetMeta{member, meta, std::nullopt}, now);
  if (!found.ok()) return found.error();
  return *found > 0;
}

std::uint64_t Board::Remove(std::span<const std::string_view> members) {
  if (core::Board* set = slot_->sorted_set()) {
    return OnSortedSet(set, [&](const core::Board& board, core::EffectBatch* effects) {
      return core::DecideRemove(board, members, effects);
    });
  }
  return Counted(slot_, leaderboard::Remove{members, std::nullopt}, 0).value();
}

Result<std::vector<Entry>> Board::Pop(std::uint64_t n, End end) {
  const bool worst = end == End::kWorst;
  if (core::Board* set = slot_->sorted_set()) return core::Pop(set, n, worst);
  return Popped(slot_, {n, worst, /*with_meta=*/true, std::nullopt}, 0);
}

Result<std::uint64_t> Board::Trim(std::uint64_t n) {
  if (core::Board* set = slot_->sorted_set()) {
    return OnSortedSet(set, [&](const core::Board& board, core::EffectBatch* effects) {
      return core::DecideRemoveRange(board, n, UINT64_MAX, effects);
    });
  }
  return Counted(slot_, leaderboard::Trim{n, std::nullopt}, 0);
}

std::uint64_t Board::Clear() {
  if (core::Board* set = slot_->sorted_set()) {
    return OnSortedSet(set, [&](const core::Board& board, core::EffectBatch* effects) {
      return core::DecideClear(board, effects);
    });
  }
  return Counted(slot_, leaderboard::Clear{}, 0).value();
}

Result<std::uint64_t> Board::Hide(std::span<const std::string_view> members) {
  if (slot_->leaderboard() != nullptr) return Counted(slot_, leaderboard::Hide{members}, 0);
  core::EffectBatch none;  // a sorted set has no hidden members: DecideHide refuses
  return core::DecideHide(*slot_->sorted_set(), members, &none);
}

Result<std::uint64_t> Board::Show(std::span<const std::string_view> members) {
  if (slot_->leaderboard() != nullptr) return Counted(slot_, leaderboard::Show{members}, 0);
  core::EffectBatch none;
  return core::DecideShow(*slot_->sorted_set(), members, &none);
}

Status Board::Alter(const Spec& spec, Stamp now) {
  if (slot_->leaderboard() == nullptr) {
    return Error{ErrorCode::kWrongType, "a sorted set has nothing to alter"};
  }
  if (slot_->HasExpired(now)) return Ended(*slot_);
  const Result<std::uint64_t> done = Counted(slot_, leaderboard::Alter{&spec}, now);
  if (!done.ok()) return done.error();
  return Ok{};
}

Status Board::Load(std::span<const Entry> sorted) {
  if (core::Board* set = slot_->sorted_set()) return core::Load(set, sorted);
  return slot_->leaderboard()->LoadEntries(sorted);
}

// The whole board ---------------------------------------------------------------------------------

Result<Ranking> Board::Present(Stamp now) const {
  if (slot_->HasExpired(now)) return Ended(*slot_);
  const Leaderboard* board = slot_->leaderboard();
  if (board == nullptr) return Ranking(&slot_->entries());
  return Ranking(board->Look(std::nullopt, now)->board);
}

Result<BoardInstance> Board::InPeriod(std::string_view selector, Stamp now) const {
  if (slot_->HasExpired(now)) return Ended(*slot_);
  const InstanceSelector parsed = leaderboard::ParseSelector(selector);
  const Leaderboard* board = slot_->leaderboard();
  if (board == nullptr) {
    return Error{ErrorCode::kNoBoard, base::Quote(*slot_->name) + " is a sorted set: no periods"};
  }
  std::optional<Leaderboard::View> view = board->Look(parsed, now);
  if (!view) return board->NoInstance(*slot_->name, parsed, now);
  return BoardInstance(slot_, view->board, std::move(view->span), now);
}

std::vector<PeriodInfo> Board::Periods(Stamp now) const {
  const Leaderboard* board = slot_->leaderboard();
  if (board == nullptr) return {};
  Collector answer;
  board->Read(leaderboard::ListPeriods{}, {*slot_->name, now, 0}, &answer);
  for (PeriodInfo& period : answer.periods()) {
    // An instance that is over may not have been closed by Advance yet.
    period.closed = period.closed || board->IsOver(period.instance, now);
  }
  return std::move(answer.periods());
}

BoardInfo Board::Describe(Stamp now) const {
  BoardInfo info;
  info.name = *slot_->name;
  info.spec = spec();
  info.bytes = MemoryUsage();
  info.size = size();
  if (const Leaderboard* board = slot_->leaderboard()) {
    Collector answer;
    board->Read(leaderboard::Describe{}, {*slot_->name, now, 0}, &answer);
    info.size = answer.description().size;
    info.hidden = answer.description().hidden;
    info.ids = answer.description().ids;
  }
  return info;
}

// Instances ---------------------------------------------------------------------------------------

BoardInstance::BoardInstance(api::BoardSlot* held, const core::Board* entries, Instance instance,
                             Stamp now)
    : Ranking(entries), slot_(held), instance_(std::move(instance)), now_(now) {}

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
