// LB commands on one board. One handler parses the arguments into an operation and lets the
// leaderboard execute it.
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_chain.h"
#include "base/text.h"
#include "engine/commands/handlers.h"
#include "engine/feed_cursor.h"
#include "engine/supported_spec.h"
#include "leaderboard/entries.h"
#include "leaderboard/identity.h"
#include "leaderboard/leaderboard.h"
#include "wire/leaderboard_answer.h"
#include "wire/leaderboard_words.h"

namespace laurel::engine {
namespace {

using wire::CommandId;

// The board that a template makes of the name, or of "lb" where the name is "lb@day" and lb's
// template has periods. No board if there is no such template.
Result<Keyspace::Resolved> MakeByTemplate(Context& context, std::string_view name) {
  Keyspace::Resolved place;
  const std::size_t at = name.rfind('@');
  if (at != std::string_view::npos) {
    const Template* found = context.keys.templates().For(name.substr(0, at));
    if (found == nullptr || found->spec.periods.empty()) return place;
    if (context.keys.Find(name.substr(0, at)) != nullptr) return place;  // has no such instance
    place.instance = leaderboard::ParseSelector(name.substr(at + 1));
    name = name.substr(0, at);
  } else if (context.keys.templates().For(name) == nullptr) {
    return place;
  }
  const Result<NamedBoard*> made = context.keys.Create(name);
  if (!made.ok()) return made.error();
  place.named = *made;
  return place;
}

// The leaderboard that the command names, made by a template where the command takes one: a Target
// removes it again if nothing is written. Replies and returns no board where there is none.
Keyspace::Resolved FindLeaderboard(Context& context) {
  const std::string_view name = context.arguments[1];
  if (wire::TakesWholeBoard(context.command.id) && RefusesInstance(context, name)) return {};
  Keyspace::Resolved place = context.keys.Resolve(name);
  if (place.named == nullptr && wire::TakesTemplates(context.command)) {
    const Result<Keyspace::Resolved> made = MakeByTemplate(context, name);
    if (!made.ok()) {
      context.reply.Error(made.error());
      return {};
    }
    place = *made;
  }
  if (place.named == nullptr) {
    context.reply.Error(context.keys.NoBoard(name, context.ways_out()), 1);
    return {};
  }
  if (!place.named->is_leaderboard()) {
    context.reply.Error(SortedSetError(*place.named, context.ways_out()));
    return {};
  }
  return place;
}

// Whether the reply may show the close of an instance: its record is durable, or will be when the
// reply is sent. `closed` is the position before the close.
bool MayShowClose(const Context& context, const LogPosition& closed) {
  return closed.number < context.publishable_record ||
         (context.waits_for_disk && context.pipeline != nullptr);
}

// Tells answers what they ask of the engine.
class EngineHost final : public leaderboard::AnswerHost {
 public:
  EngineHost(const Context& context, const NamedBoard& named)
      : context_(context), board_(named.id) {}

  [[nodiscard]] Status Admit(std::uint64_t returned) override {
    return context_.work.TakeReturned(returned);
  }
  [[nodiscard]] std::optional<std::string> CloseCursor(
      const leaderboard::PeriodLine& line) override {
    const std::optional<LogPosition> place = LogPosition::FromNote(line.close_note);
    if (!place || !MayShowClose(context_, *place)) return std::nullopt;
    return FormatCursor({place->epoch, place->number, 0, board_});
  }

 private:
  const Context& context_;
  std::uint64_t board_;
};

// If a closed instance is not durable yet, makes the reply of LB.PERIODS, which shows closes, wait
// for the disk as a write's reply does.
void AwaitCloses(Context& context, const Leaderboard& board) {
  for (const auto& stored : board.instances()) {
    const std::optional<LogPosition> place = LogPosition::FromNote(stored->close_note);
    if (!place || place->number < context.publishable_record || context.pipeline == nullptr)
      continue;
    context.pipeline->NoteWrite();
  }
}

// Executes the operation on the board.
void Execute(Context& context, NamedBoard* named, const wire::ParsedOperation& parsed,
             leaderboard::Answer* answer) {
  if (const leaderboard::ReadOperation* read = parsed.read()) {
    if (context.command.id == CommandId::kLbPeriods) AwaitCloses(context, named->board);
    if (const auto& instance = leaderboard::SelectorOf(*read)) {
      context.keys.NoteSteps(leaderboard::StepsOf(*instance, named->spec()));
    }
    named->board.Read(*read, {named->name, context.now, 0}, answer);
    if (context.reply.error_code() == ErrorName(ErrorCode::kLimit)) context.work.EndReads();
    return;
  }
  const leaderboard::WriteOperation& write = *parsed.write();
  if (parsed.sets_time && context.client.access.role() < wire::Role::kWrite) {
    return context.reply.Error({ErrorCode::kNoPerm, "AT needs a token of role write"});
  }
  const std::uint64_t work = leaderboard::WorkOf(write, named->board.instances().size());
  if (work > 0 && !TakeWork(context, work)) return;
  ExecuteOn(context, named, write, named->name, answer);
}

// Whether the answer depends on the entries alone, so that it has their version.
bool HasVersion(const wire::CommandInfo& command) {
  switch (command.id) {
    case CommandId::kLbDescribe:
    case CommandId::kLbPeriods:
    case CommandId::kLbRankOf:
      return false;
    default:
      return command.Has(wire::kReadOnly);
  }
}

// As Execute, for an answer in another format than RESP. That to LB.ALTER is the description of the
// board.
void ExecuteFor(wire::Answer* to, Context& context, const Keyspace::Resolved& place,
                const wire::ParsedOperation& parsed, EngineHost* host) {
  NamedBoard* named = place.named;
  wire::Subject subject = SubjectOf(*named, context.run, context.max_reply_bytes);
  subject.has_version = HasVersion(context.command);
  subject.host = host;
  subject.words = parsed.words;
  leaderboard::Answer* answer = &to->About(subject);
  if (context.command.id == CommandId::kLbPop) {  // a page too: what it is taken from
    if (const auto view = named->board.ViewOf(place.instance, context.now)) {
      static_cast<void>(answer->Wants(named->board.ScopeOf(*view)));
    }
  }
  Execute(context, named, parsed, answer);
  if (context.command.id != CommandId::kLbAlter || !context.reply.error_code().empty()) return;
  ReplyDeclared(context, *named, /*created=*/false);
}

void OnLeaderboard(Context& context) {
  const Keyspace::Resolved place = FindLeaderboard(context);
  if (place.named == nullptr) return;
  const FreshBoardGuard target(&context.keys, place.named);
  NamedBoard* named = place.named;
  wire::ParsedOperation parsed;
  const Status status = wire::ParseOperation(context.command, context.arguments, named->spec(),
                                             place.instance, &parsed, context.beside);
  if (!status.ok()) return context.reply.Error(status.error(), parsed.failed_word);
  if (context.command.id == CommandId::kLbAlter) {
    if (const Status supported = CheckSupported(parsed.altered); !supported.ok()) {
      return context.reply.Error(supported.error());
    }
  }
  EngineHost host(context, *named);
  if (wire::Answer* to = context.reply.answer()) {
    return ExecuteFor(to, context, place, parsed, &host);
  }
  wire::LeaderboardAnswer answer(&context.reply, named->name, context.max_reply_bytes, &host);
  Execute(context, named, parsed, &answer);
}

// One board of SubmitToAll.
struct BoardSubmit {
  BoardSubmit(const Context& all, const Request& of_board)
      : request(of_board),
        context{all.keys,           all.waiting,         all.stamps, all.random,
                all.client,         all.pipeline,        all.now,    all.publishable_record,
                all.waits_for_disk, all.max_reply_bytes, all.work,   *request.command,
                request.arguments,  request.beside,      all.run,    all.reply} {}

  const Request& request;
  Context context;
  wire::ParsedOperation parsed;
  leaderboard::WriteOperation operation;
  std::optional<FreshBoardGuard> target;
  std::optional<EngineHost> host;
  NamedBoard* named = nullptr;
};

// Finds the board, and parses the request into a SubmitMany of scaled writes. Replies and returns
// false if that fails.
bool PrepareSubmit(BoardSubmit* submit) {
  Context& context = submit->context;
  const Keyspace::Resolved place = FindLeaderboard(context);
  if (place.named == nullptr) return false;
  NamedBoard* named = submit->named = place.named;
  submit->target.emplace(&context.keys, named);
  submit->host.emplace(context, *named);
  const auto refuse = [&](const Error& error) {
    const std::size_t word = submit->parsed.failed_word;
    const Error shown{error.code, word != wire::kNoWord
                                      ? error.message
                                      : base::Quote(named->name) + ": " + error.message};
    // The part says which of its words is wrong.
    submit->request.answer->Refused(shown, word);
    return Refuse(context, shown);
  };
  const Status status = wire::ParseOperation(context.command, context.arguments, named->spec(),
                                             place.instance, &submit->parsed, context.beside);
  if (!status.ok()) return refuse(status.error());
  if (submit->parsed.sets_time && context.client.access.role() < wire::Role::kWrite) {
    return refuse({ErrorCode::kNoPerm, "AT needs a token of role write"});
  }
  submit->operation = *submit->parsed.write();
  return true;
}

// Makes the boards part of the identity of the request on each of them.
void HashTogether(std::deque<BoardSubmit>* submits) {
  if (submits->size() == 1) return;  // the same request as LB.MSUBMIT
  std::uint64_t all = 0;
  for (const BoardSubmit& submit : *submits) {
    base::HashChain hash(leaderboard::IdentityOf(submit.parsed.writes, /*many=*/true, 0));
    hash.Add(std::string_view(submit.named->name));
    all += hash.state();  // the order of the boards does not matter
  }
  for (BoardSubmit& submit : *submits) {
    std::get<leaderboard::SubmitMany>(submit.operation).other_boards_hash = all;
  }
}

}  // namespace

void SubmitToAll(const Context& context, std::span<const Request> requests) {
  std::deque<BoardSubmit> submits;
  std::vector<Keyspace::BoardOperation> operations;
  const StampClock before = context.stamps;
  for (const Request& request : requests) {
    BoardSubmit& submit = submits.emplace_back(context, request);
    if (!PrepareSubmit(&submit)) return;
  }
  HashTogether(&submits);
  for (BoardSubmit& submit : submits) {
    const std::uint64_t stamps = leaderboard::StampsFor(submit.operation, submit.named->spec());
    wire::Subject subject = SubjectOf(*submit.named, context.run, context.max_reply_bytes);
    subject.host = &*submit.host;
    subject.words = submit.parsed.words;
    operations.push_back({submit.named, &submit.operation, submit.named->name,
                          submit.context.TakeMoment(stamps).stamp,
                          &submit.request.answer->About(subject)});
  }
  const Status executed = context.keys.ExecuteAll(operations);
  if (executed.ok()) return;
  context.stamps = before;  // a refused write consumes no stamps
  wire::ErrorWords words = submits.front().parsed.words;
  if (submits.size() > 1) words.score = wire::kNoWord;  // all have the same time and id
  requests.front().answer->Refused(executed.error(), words.Of(executed.error().code));
  context.reply.Error(executed.error());
}

void RegisterLeaderboardCommands(HandlerTable* table) {
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    if (wire::IsOperation(command.id)) Register(table, command.id, OnLeaderboard);
  }
}

}  // namespace laurel::engine
