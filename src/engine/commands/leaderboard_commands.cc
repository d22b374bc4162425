// LB commands on one board. One handler parses the arguments into an operation and lets the
// leaderboard execute it.
#include <optional>
#include <string>

#include "base/text.h"
#include "engine/commands/handlers.h"
#include "engine/feed_cursor.h"
#include "engine/supported_spec.h"
#include "leaderboard/leaderboard.h"
#include "wire/leaderboard_answer.h"
#include "wire/leaderboard_words.h"

namespace laurel::engine {
namespace {

using wire::CommandId;

// Commands that take a name for which there is only a template: writes that make the board, and
// reads of entries, which answer as on an empty one.
bool TakesTemplates(const wire::CommandInfo& command) {
  switch (command.id) {
    case CommandId::kLbSubmit:
    case CommandId::kLbSet:
    case CommandId::kLbIncr:
    case CommandId::kLbMSubmit:
    case CommandId::kLbHide:
      return true;
    case CommandId::kLbDescribe:
    case CommandId::kLbPeriods:
      return false;
    default:
      return command.Has(wire::kReadOnly);
  }
}

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
  if (place.named == nullptr && TakesTemplates(context.command)) {
    const Result<Keyspace::Place> made = MakeByTemplate(context, name);
    if (!made.ok()) {
      ReplyError(context, made.error());
      return {};
    }
    place = *made;
  }
  if (place.named == nullptr) {
    ReplyError(context, context.keys.NoBoard(name));
    return {};
  }
  if (place.named->leaderboard() == nullptr) {
    ReplyError(context, SortedSetError(*place.named));
    return {};
  }
  return place;
}

// The work of a write that touches its members in all `instances` instances of a board with
// periods; 0 for all other writes.
std::uint64_t WorkOf(const leaderboard::WriteOperation& operation, std::size_t instances) {
  if (const auto* hide = std::get_if<leaderboard::Hide>(&operation)) {
    return hide->members.size() * instances;
  }
  if (const auto* show = std::get_if<leaderboard::Show>(&operation)) {
    return show->members.size() * instances;
  }
  if (const auto* remove = std::get_if<leaderboard::Remove>(&operation)) {
    return remove->instance ? 0 : remove->members.size() * instances;
  }
  return 0;
}

// Whether the reply may show the close of an instance: its record is durable, or will be when the
// reply is sent. `closed` is the position before the close.
bool MayShowClose(const Context& context, const LogPosition& closed) {
  return closed.number < context.publishable_record ||
         (context.waits_for_disk && context.pipeline != nullptr);
}

// Writes the close of an instance as a cursor of the change feed.
class EngineAnswer : public wire::LeaderboardAnswer {
 public:
  EngineAnswer(Context* context, const NamedBoard& named)
      : LeaderboardAnswer(&context->reply, named.name, context->max_reply_bytes),
        context_(*context),
        board_(named.id) {}

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

void OnLeaderboard(Context& context) {
  const Keyspace::Place place = FindLeaderboard(context);
  if (place.named == nullptr) return;
  const Target target(&context.keys, place.named);
  NamedBoard* named = place.named;
  wire::ParsedOperation parsed;
  const Status status = wire::ParseOperation(context.command, context.arguments, named->spec(),
                                             place.instance, &parsed);
  if (!status.ok()) return ReplyError(context, status.error());
  if (context.command.id == CommandId::kLbAlter) {
    if (const Status supported = CheckSupported(parsed.altered); !supported.ok()) {
      return ReplyError(context, supported.error());
    }
  }
  EngineAnswer answer(&context, *named);
  if (const leaderboard::ReadOperation* read = parsed.read()) {
    if (context.command.id == CommandId::kLbPeriods) AwaitCloses(context, *named->leaderboard());
    named->leaderboard()->Read(*read, {named->name, context.now, 0}, &answer);
    if (answer.refused() == ErrorCode::kLimit) context.work.EndReads();
    return;
  }
  const leaderboard::WriteOperation& write = *parsed.write();
  if (parsed.sets_time && !context.client.may_set_time) {
    return ReplyError(context, {ErrorCode::kNoPerm, "AT needs a token of role write"});
  }
  const std::uint64_t work = WorkOf(write, named->leaderboard()->instances().size());
  if (work > 0 && !TakeWork(context, work)) return;
  ExecuteOn(context, named, write, named->name, &answer);
}

}  // namespace

void RegisterLeaderboardCommands(HandlerTable* table) {
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    if (wire::IsOperation(command.id)) Register(table, command.id, OnLeaderboard);
  }
}

}  // namespace laurel::engine
