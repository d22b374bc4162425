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
#include "engine/commands/json_answer.h"
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
Result<Keyspace::Place> MakeByTemplate(Context& context, std::string_view name) {
  Keyspace::Place place;
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
Keyspace::Place FindLeaderboard(Context& context) {
  const std::string_view name = context.arguments[1];
  if (wire::TakesWholeBoard(context.command.id) && RefusesInstance(context, name)) return {};
  Keyspace::Place place = context.keys.Resolve(name);
  if (place.named == nullptr && wire::TakesTemplates(context.command)) {
    const Result<Keyspace::Place> made = MakeByTemplate(context, name);
    if (!made.ok()) {
      ReplyError(context, made.error());
      return {};
    }
    place = *made;
  }
  if (place.named == nullptr) {
    ReplyError(context, context.keys.NoBoard(name, context.surface()));
    return {};
  }
  if (place.named->leaderboard() == nullptr) {
    ReplyError(context, SortedSetError(*place.named, context.surface()));
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

// Writes the close of an instance as a cursor of the change feed. `Base`: LeaderboardAnswer or
// JsonAnswer.
template <typename Base>
class EngineAnswer : public Base {
 public:
  template <typename... Arguments>
  EngineAnswer(const Context* context, const NamedBoard& named, Arguments... arguments)
      : Base(arguments..., context->max_reply_bytes), context_(*context), board_(named.id) {}

  [[nodiscard]] Status Admit(std::uint64_t returned) override {
    return context_.work.TakeReturned(returned);
  }

 protected:
  std::optional<std::string> CloseCursor(const leaderboard::PeriodLine& line) override {
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

// Executes the operation on the board. `Answer` has refused().
template <typename Answer>
void Execute(Context& context, NamedBoard* named, const wire::ParsedOperation& parsed,
             Answer* answer) {
  if (const leaderboard::ReadOperation* read = parsed.read()) {
    if (context.command.id == CommandId::kLbPeriods) AwaitCloses(context, *named->leaderboard());
    if (const auto& instance = leaderboard::SelectorOf(*read)) {
      context.keys.NoteSteps(leaderboard::StepsOf(*instance, named->spec()));
    }
    named->leaderboard()->Read(*read, {named->name, context.now, 0}, answer);
    if (answer->refused() == ErrorCode::kLimit) context.work.EndReads();
    return;
  }
  const leaderboard::WriteOperation& write = *parsed.write();
  if (parsed.sets_time && context.client.access.role() < wire::Role::kWrite) {
    return ReplyError(context, {ErrorCode::kNoPerm, "AT needs a token of role write"});
  }
  const std::uint64_t work = leaderboard::WorkOf(write, named->leaderboard()->instances().size());
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

// Whether the answer may be that the member has no entry, which a version does not tell.
bool IsOfOneMember(const wire::CommandInfo& command) {
  return command.id == CommandId::kLbGet || command.id == CommandId::kLbAround ||
         command.id == CommandId::kLbPercentile;
}

// As Execute, with the answer as JSON. A client that has the version read gets no answer. That to
// LB.ALTER is the board's description.
void ExecuteForJson(Context& context, NamedBoard* named, const wire::ParsedOperation& parsed) {
  const std::size_t start = context.reply.size();
  JsonAnswer::Page page = PageOf(context, context.arguments[1]);
  if (HasVersion(context.command)) {
    context.json->version = page.version;
    const std::string_view known = context.json->known_versions;
    context.json->knows_version =
        known == "*" || known.find('"' + page.version + '"') != std::string_view::npos;
    context.json->not_modified = context.json->knows_version && !IsOfOneMember(context.command);
    if (context.json->not_modified) return;
  } else {
    page.version.clear();
  }
  EngineAnswer<JsonAnswer> answer(&context, *named, context.json->writer,
                                  std::string_view(named->name), &page);
  Execute(context, named, parsed, &answer);
  if (context.command.id != CommandId::kLbAlter || answer.refused()) return;
  context.reply.Cut(start);
  named->leaderboard()->Read(leaderboard::Describe{}, {named->name, context.now, 0}, &answer);
}

void OnLeaderboard(Context& context) {
  const Keyspace::Place place = FindLeaderboard(context);
  if (place.named == nullptr) return;
  const Target target(&context.keys, place.named);
  NamedBoard* named = place.named;
  std::span<const std::string_view> words = context.arguments;
  std::vector<std::string_view> ordered;
  if (context.json != nullptr) {
    const auto in_order = OrderScores(words, context.json, named->spec(), named->name, &ordered);
    if (!in_order.ok()) return ReplyError(context, in_order.error());
    words = *in_order;
  }
  wire::ParsedOperation parsed;
  const Status status =
      wire::ParseOperation(context.command, words, named->spec(), place.instance, &parsed);
  if (!status.ok()) return ReplyError(context, status.error());
  if (context.command.id == CommandId::kLbAlter) {
    if (const Status supported = CheckSupported(parsed.altered); !supported.ok()) {
      return ReplyError(context, supported.error());
    }
  }
  if (context.json != nullptr) return ExecuteForJson(context, named, parsed);
  EngineAnswer<wire::LeaderboardAnswer> answer(&context, *named, &context.reply,
                                               std::string_view(named->name));
  Execute(context, named, parsed, &answer);
}

// One board of SubmitToAll.
struct BoardSubmit {
  BoardSubmit(const Context& all, const Request& request)
      : context{all.keys,           all.waiting,         all.stamps,      all.random,
                all.client,         all.pipeline,        all.now,         all.publishable_record,
                all.waits_for_disk, all.max_reply_bytes, all.work,        *request.command,
                request.arguments,  request.json,        all.version_tag, all.reply} {}

  Context context;
  std::vector<std::string_view> ordered;
  wire::ParsedOperation parsed;
  std::vector<Write> writes;
  leaderboard::WriteOperation operation;
  std::optional<Target> target;
  NamedBoard* named = nullptr;
};

// Finds the board, and parses the request into a SubmitMany of scaled writes. Replies and returns
// false if that fails.
bool PrepareSubmit(BoardSubmit* submit) {
  Context& context = submit->context;
  const Keyspace::Place place = FindLeaderboard(context);
  if (place.named == nullptr) return false;
  NamedBoard* named = submit->named = place.named;
  submit->target.emplace(&context.keys, named);
  const auto refuse = [&](const Error& error) {
    ReplyError(context, {error.code, base::Quote(named->name) + ": " + error.message});
    return false;
  };
  const auto words =
      OrderScores(context.arguments, context.json, named->spec(), named->name, &submit->ordered);
  if (!words.ok()) return refuse(words.error());
  const Status status =
      wire::ParseOperation(context.command, *words, named->spec(), place.instance, &submit->parsed);
  if (!status.ok()) return refuse(status.error());
  if (submit->parsed.sets_time && context.client.access.role() < wire::Role::kWrite) {
    return refuse({ErrorCode::kNoPerm, "AT needs a token of role write"});
  }
  auto many = std::get<leaderboard::SubmitMany>(*submit->parsed.write());
  const std::size_t fields = named->spec().fields.size();
  for (std::size_t at = 0; at + fields < many.words.size(); at += fields + 1) {
    const Result<Score> score = ParseScore(named->spec(), many.words.subspan(at + 1, fields));
    if (!score.ok()) return refuse(score.error());
    Write& write = submit->writes.emplace_back();
    write.member = many.words[at];
    write.score = *score;
    write.at = many.at;
  }
  many.words = {};
  many.writes = submit->writes;
  submit->operation = many;
  return true;
}

// Makes the boards part of the identity of the request on each of them.
void HashTogether(std::deque<BoardSubmit>* submits) {
  if (submits->size() == 1) return;  // the same request as LB.MSUBMIT
  std::uint64_t all = 0;
  for (const BoardSubmit& submit : *submits) {
    base::HashChain hash(leaderboard::IdentityOf(submit.writes, /*many=*/true, 0));
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
  std::deque<EngineAnswer<JsonAnswer>> answers;
  const JsonAnswer::Page page;
  std::vector<Keyspace::BoardOperation> operations;
  const StampClock before = context.stamps;
  for (const Request& request : requests) {
    BoardSubmit& submit = submits.emplace_back(context, request);
    if (!PrepareSubmit(&submit)) return;
  }
  HashTogether(&submits);
  for (BoardSubmit& submit : submits) {
    const std::uint64_t stamps = leaderboard::StampsFor(submit.operation, submit.named->spec());
    EngineAnswer<JsonAnswer>& answer =
        answers.emplace_back(&submit.context, *submit.named, submit.context.json->writer,
                             std::string_view(submit.named->name), &page);
    operations.push_back({submit.named, &submit.operation, submit.named->name,
                          submit.context.TakeMoment(stamps).stamp, &answer});
  }
  const Status executed = context.keys.ExecuteAll(operations);
  if (executed.ok()) return;
  context.stamps = before;  // a refused write consumes no stamps
  context.reply.Error(executed.error().ToString());
}

void RegisterLeaderboardCommands(HandlerTable* table) {
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    if (wire::IsOperation(command.id)) Register(table, command.id, OnLeaderboard);
  }
}

}  // namespace laurel::engine
