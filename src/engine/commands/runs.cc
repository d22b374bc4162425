#include "engine/commands/runs.h"

#include "base/text.h"
#include "core/reads.h"
#include "engine/commands/context.h"
#include "leaderboard/leaderboard.h"
#include "wire/command_table.h"
#include "wire/leaderboard_answer.h"
#include "wire/leaderboard_words.h"

namespace laurel::engine {
namespace {

constexpr std::uint64_t kMaxRadius = 50;  // of LB.AROUND in a run, which keeps its replies short

enum class RunKind : std::uint8_t { kNone, kWrites, kRanks, kSubmits, kLookups };

// Which run the request may be part of. ZADD, ZINCRBY, ZRANK and ZREVRANK only in their shortest
// form, with one member and no options; the LB commands with any options.
RunKind KindOf(const Request& request) {
  if (request.command == nullptr) return RunKind::kNone;
  switch (request.command->id) {
    case wire::CommandId::kZAdd:
    case wire::CommandId::kZIncrBy:
      return request.arguments.size() == 4 ? RunKind::kWrites : RunKind::kNone;
    case wire::CommandId::kZRank:
    case wire::CommandId::kZRevRank:
      return request.arguments.size() == 3 ? RunKind::kRanks : RunKind::kNone;
    case wire::CommandId::kLbSubmit:
    case wire::CommandId::kLbSet:
    case wire::CommandId::kLbIncr:
      return RunKind::kSubmits;
    case wire::CommandId::kLbGet:
    case wire::CommandId::kLbAround:
      return RunKind::kLookups;
    default:
      return RunKind::kNone;
  }
}

void ReplyWrite(const Item& item, wire::Reply& reply, const core::Standings& standings,
                const Result<Verdict>& verdict) {
  if (!verdict.ok()) return ReplyWriteError(reply, standings.spec(), verdict.error());
  if (item.request->command->id == wire::CommandId::kZIncrBy) {
    return ReplyIncremented(reply, standings, *verdict);
  }
  const bool added = verdict->status == WriteStatus::kAccepted && !verdict->previous_score;
  reply.Integer(added ? 1 : 0);
}

}  // namespace

void RunExecutor::NoteOutcome(const wire::Reply& reply, std::size_t i) {
  const std::string_view code = reply.error_code();
  if (code.empty()) return;
  failed_ |= std::uint64_t{1} << i;
  counters_->NoteError(code);
}

template <typename Operation>
void RunExecutor::Answer(const Item& item, std::size_t i, const NamedBoard& named,
                         const Operation& operate) {
  wire::Reply reply = item.request->ReplyTo(&item.pipeline->replies);
  if (wire::Answer* to = reply.answer()) {
    wire::Subject subject = SubjectOf(named, engine_run_, max_reply_bytes_);
    subject.has_version = item.request->command->Has(wire::kReadOnly);
    subject.words = parsed_[i].words;
    operate(&to->About(subject));
  } else {
    wire::LeaderboardAnswer answer(&reply, named.name, max_reply_bytes_);
    operate(&answer);
  }
  NoteOutcome(reply, i);
}

std::size_t RunExecutor::Execute(std::span<const Item> items, Stamp now) {
  failed_ = 0;
  const Request& first = *items[0].request;
  const RunKind kind = KindOf(first);
  if (kind == RunKind::kNone) return 0;
  // A request that the client may not make ends the run: the engine answers it on its own.
  const auto may_touch = [&](const Item& item) {
    return keys_->MayTouch(*item.pipeline->client(), first.arguments[1]);
  };
  if (!may_touch(items[0])) return 0;
  std::size_t length = 1;
  while (length < std::min(items.size(), kMaxRun) && KindOf(*items[length].request) == kind &&
         items[length].request->arguments[1] == first.arguments[1] && may_touch(items[length])) {
    ++length;
  }
  if (kind == RunKind::kRanks) {
    const Keyspace::View view = keys_->ViewOf(first.arguments[1]);
    return view ? ExecuteRanks(items.first(length), view) : 0;
  }
  const Keyspace::Resolved place = keys_->Resolve(first.arguments[1]);
  if (place.named == nullptr) return 0;
  const std::span<const Item> run = items.first(length);
  if (kind == RunKind::kLookups) return ExecuteLookups(run, place, now);
  if (place.instance) return 0;
  // If blocking pops wait for the board, each write may serve one of them, so writes are executed
  // one at a time.
  const Watches& watches = keys_->watches();
  const bool has_instances = place.named->has_periods();  // pops may wait for any instance name
  if (watches.any_awaited() && (has_instances || watches.IsAwaited(place.named->name))) return 0;
  return kind == RunKind::kSubmits ? ExecuteSubmits(run, place.named, now)
                                   : ExecuteWrites(run, place.named, now);
}

std::size_t RunExecutor::ExecuteWrites(std::span<const Item> run, NamedBoard* named, Stamp now) {
  if (named->has_periods() || RefuseZWrite(*named, false)) return 0;
  writes_.clear();
  for (const Item& item : run) {
    const auto arguments = item.request->arguments;
    const Result<Score> score = ReadNumber(named->spec(), arguments[2]);
    if (!score.ok()) break;
    Write& write = writes_.emplace_back();
    write.score = *score;
    write.member = arguments[3];
    write.mode = item.request->command->id == wire::CommandId::kZIncrBy ? WriteMode::kIncrement
                                                                        : WriteMode::kSet;
  }
  if (writes_.empty()) return 0;
  const bool existed = named->exists();
  const core::Standings& standings = named->board.standings();
  const leaderboard::Summary summary = named->board.ApplyBatch(
      writes_, {named->name, now, stamps_->Take(now, writes_.size())}, keys_->EffectsOf(named),
      [&](std::size_t i, const Result<Verdict>& verdict) {
        run[i].pipeline->NoteWrite();
        wire::Reply reply = run[i].request->ReplyTo(&run[i].pipeline->replies);
        ReplyWrite(run[i], reply, standings, verdict);
        NoteOutcome(reply, i);
      });
  keys_->journal().DiscardIfEmpty();
  keys_->AfterChange(named, existed, summary);
  return writes_.size();
}

std::size_t RunExecutor::Parse(std::span<const Item> run, const Keyspace::Resolved& place) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    const Request& request = *run[i].request;
    const Status parsed =
        wire::ParseOperation(*request.command, request.arguments, place.named->spec(),
                             place.instance, &parsed_[i], request.beside);
    if (!parsed.ok()) return i;
    if (parsed_[i].sets_time && run[i].pipeline->client()->access.role() < wire::Role::kWrite)
      return i;
  }
  return run.size();
}

std::size_t RunExecutor::ExecuteSubmits(std::span<const Item> run, NamedBoard* named, Stamp now) {
  if (!named->is_leaderboard()) return 0;
  run = run.first(Parse(run, {named, std::nullopt}));
  submits_.clear();
  for (std::size_t i = 0; i < run.size(); ++i) {
    submits_.push_back(&std::get<leaderboard::Submit>(*parsed_[i].write()));
  }
  const Stamp next = StampClock(*stamps_).Take(now, 1);
  named->board.Prepare(submits_, {named->name, now, next}, &prepared_);
  for (std::size_t i = 0; i < run.size(); ++i) {
    run[i].pipeline->NoteWrite();
    Answer(run[i], i, *named, [&](leaderboard::Answer* answer) {
      const StampClock before = *stamps_;
      const Stamp stamp = stamps_->Take(now, 1);
      const bool accepted =
          keys_->Execute(named, *parsed_[i].write(), named->name, stamp, answer, prepared_[i]);
      if (!accepted) *stamps_ = before;  // a refused write consumes no stamps
    });
  }
  return run.size();
}

std::size_t RunExecutor::ExecuteLookups(std::span<const Item> run, const Keyspace::Resolved& place,
                                        Stamp now) {
  if (!place.named->is_leaderboard()) return 0;
  const Leaderboard& board = place.named->board;
  run = run.first(Parse(run, place));
  members_.clear();
  for (std::size_t i = 0; i < run.size(); ++i) {
    const leaderboard::ReadOperation& read = *parsed_[i].read();
    const auto* get = std::get_if<leaderboard::Get>(&read);
    const auto* around = std::get_if<leaderboard::Around>(&read);
    const bool has_period = (get != nullptr ? get->options : around->options).instance.has_value();
    const bool is_long = around != nullptr && around->radius > kMaxRadius;
    if (is_long || (has_period && !place.instance)) {
      run = run.first(i);
      break;
    }
    members_.push_back(get != nullptr ? get->member : around->member);
  }
  const leaderboard::Call call{place.named->name, now, 0};
  board.Prepare(members_, place.instance, call, &prepared_);
  for (std::size_t i = 0; i < run.size(); ++i) {
    Answer(run[i], i, *place.named, [&](leaderboard::Answer* answer) {
      board.Read(*parsed_[i].read(), call, answer, prepared_[i]);
    });
  }
  return run.size();
}

std::size_t RunExecutor::ExecuteRanks(std::span<const Item> run, const Keyspace::View& view) {
  const core::Standings& standings = *view.standings;
  members_.clear();
  for (const Item& item : run) members_.push_back(item.request->arguments[2]);
  core::Ranks(standings, members_, &ranks_);
  const std::uint64_t size = standings.entries().size();
  keys_->CountReads(size > 0, run.size());
  for (std::size_t i = 0; i < run.size(); ++i) {
    wire::Reply reply(&run[i].pipeline->replies, run[i].request->protocol);
    if (!ranks_[i]) {
      reply.Null();
      continue;
    }
    const bool reverse = run[i].request->command->id == wire::CommandId::kZRevRank;
    const std::uint64_t index = *ranks_[i] - 1;
    reply.Integer(
        static_cast<std::int64_t>(LowFirst(standings) == reverse ? size - 1 - index : index));
  }
  return run.size();
}

}  // namespace laurel::engine
