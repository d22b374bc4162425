#include "engine/commands/context.h"

#include <string>
#include <utility>

#include "base/integer.h"
#include "base/text.h"
#include "core/decide.h"
#include "leaderboard/limits.h"
#include "wire/error_texts.h"
#include "wire/leaderboard_answer.h"

namespace laurel::engine {
namespace {

void Refuse(wire::Reply& reply, std::size_t start, std::size_t max_reply_bytes) {
  reply.Cut(start);
  reply.Error({ErrorCode::kLimit, "the reply exceeds " + std::to_string(max_reply_bytes) +
                                      " bytes (max-reply): ask for less at a time"});
}

}  // namespace

bool TakeInteger(Context& context, std::string_view argument, std::int64_t* value,
                 std::string_view error) {
  if (base::ParseInteger(argument, value)) return true;
  return Refuse(context, error);
}

bool TakeIntegerBetween(Context& context, std::string_view argument, std::int64_t least,
                        std::int64_t most, std::string_view error, std::int64_t* value) {
  if (base::ParseInteger(argument, value) && *value >= least && *value <= most) return true;
  return Refuse(context, error);
}

void Work::EndReads(std::string reason) {
  if (ended_) return;
  if (writes_) reason += "; what this EXEC wrote stays";
  ended_ = Error{ErrorCode::kLimit, std::move(reason)};
}

Status Work::BeginRead() {
  // A short text: an EXEC may have 100,000 such reads.
  if (ended_) return Error{ErrorCode::kLimit, "an earlier read was refused"};
  counts_as_one_ = false;
  read_returned_ = 0;
  Status taken = TakeReturned(1);
  counts_as_one_ = taken.ok();
  return taken;
}

Status Work::TakeReturned(std::uint64_t entries) {
  if (most_returned_ == 0) return Ok{};
  if (std::exchange(counts_as_one_, false) && entries > 0) --entries;
  if (entries > returned_left_) {
    EndReads("these reads return more than " + std::to_string(most_returned_) +
             " entries together (max-exec-entries): ask for less at a time");
  }
  if (ended_) return *ended_;
  returned_left_ -= entries;
  read_returned_ += entries;
  return Ok{};
}

void Work::EndRead(std::size_t reply_bytes, std::uint64_t steps) {
  const std::uint64_t usual = read_returned_ * leaderboard::kUsualEntryBytes;
  const std::uint64_t beyond = reply_bytes > usual ? reply_bytes - usual : 0;
  static_cast<void>(TakeReturned(beyond / leaderboard::kBytesPerEntry + steps));
}

bool TakeReturned(Context& context, std::uint64_t entries) {
  const Status taken = context.work.TakeReturned(entries);
  if (!taken.ok()) context.reply.Error(taken.error());
  return taken.ok();
}

bool TakeWork(Context& context, std::uint64_t entries) {
  if (!context.command.Has(wire::kWrite) && !TakeReturned(context, entries)) return false;
  if (context.work.Take(entries)) return true;
  return Refuse(context, wire::TooMuchWork(wire::RequestName(context.ways_out(), context.command),
                                           entries, context.work.most()));
}

std::optional<base::Glob> TakePattern(Context& context, std::string_view argument,
                                      std::size_t word) {
  if (argument.size() <= base::kMaxGlobBytes) return base::Glob(argument);
  const Error error{ErrorCode::kLimit, std::string(wire::kPatternTooLong)};
  context.reply.Error(wire::Labelled(context.beside, word, error), word);
  return std::nullopt;
}

bool MatchesIn(const Context& context, const base::Glob& pattern, std::string_view text) {
  context.keys.NoteSteps(pattern.StepsFor(text));
  return pattern.Matches(text);
}

bool WithinReplyLimit(wire::Reply& reply, std::size_t start, std::size_t max_reply_bytes) {
  if (reply.size() - start <= max_reply_bytes) return true;
  Refuse(reply, start, max_reply_bytes);
  return false;
}

bool WithinReplyLimit(Context& context, std::size_t start) {
  if (WithinReplyLimit(context.reply, start, context.max_reply_bytes)) return true;
  context.work.EndReads();
  return false;
}

void RefuseReply(Context& context, std::size_t start) {
  context.work.EndReads();
  Refuse(context.reply, start, context.max_reply_bytes);
}

bool RefusesPeriods(Context& context, std::string_view name) {
  const Keyspace::Resolved place = context.keys.Resolve(name);
  if (place.named == nullptr || place.instance || !place.named->has_periods()) return false;
  const std::string example =
      std::string(name) + "@" + std::string(PeriodName(place.named->spec().periods[0]));
  context.reply.Error("ERR " + base::Quote(name) + " has periods: name one, as in " +
                      base::Quote(example));
  return true;
}

bool RefusesInstance(Context& context, std::string_view name) {
  const NamedBoard* period_board = context.keys.PeriodBoardOf(name);
  if (period_board == nullptr) return false;
  context.reply.Error({ErrorCode::kErr, base::Quote(name) + " is a period of " +
                                            base::Quote(period_board->name) +
                                            ": name the board itself"});
  return true;
}

Error SortedSetError(const NamedBoard& named, const wire::WaysOut& ways) {
  return {ErrorCode::kWrongType,
          base::Quote(named.name) + " is a sorted set: " + wire::WayToAdopt(ways, named.name)};
}

wire::Subject SubjectOf(const NamedBoard& named, std::string_view run, std::size_t max_bytes) {
  return {.board = named.name,
          .id = named.id,
          .changes = named.changed_at,
          .run = run,
          .max_bytes = max_bytes};
}

void ReplyDeclared(Context& context, const NamedBoard& named, bool created) {
  wire::Answer* to = context.reply.answer();
  if (to == nullptr) return context.reply.Ok();
  to->Declared(created);
  named.board.Read(leaderboard::Describe{}, {named.name, context.now, 0},
                   &to->About(SubjectOf(named, context.run, context.max_reply_bytes)));
}

bool ExecuteOn(Context& context, NamedBoard* named, const leaderboard::WriteOperation& operation,
               std::string_view name, leaderboard::Answer* answer) {
  const StampClock before = context.stamps;
  const std::uint64_t stamps = leaderboard::StampsFor(operation, named->spec());
  const Stamp stamp = stamps > 0 ? context.TakeMoment(stamps).stamp : 0;
  const bool accepted = context.keys.Execute(named, operation, name, stamp, answer);
  if (!accepted) context.stamps = before;  // a refused write consumes no stamps
  return accepted;
}

void ReplyCountOf(Context& context, NamedBoard* named, const leaderboard::WriteOperation& operation,
                  std::string_view name) {
  wire::LeaderboardAnswer answer(&context.reply, name, context.max_reply_bytes);
  ExecuteOn(context, named, operation, name, &answer);
}

void RemoveMembers(Context& context, const Keyspace::Resolved& place,
                   std::span<const std::string_view> members) {
  NamedBoard* named = place.named;
  const std::size_t instances = place.instance ? 1 : named->board.instances().size();
  if (named->has_periods() && !TakeWork(context, members.size() * instances)) return;
  ReplyCountOf(context, named, leaderboard::Remove{members, place.instance}, named->name);
}

std::string NumberText(const core::Standings& standings, std::uint64_t word) {
  const std::int64_t value = standings.layout().FieldValue(0, word);
  if (standings.layout().is_double()) return FormatDouble(std::bit_cast<double>(value));
  return FormatNumber(value, standings.spec().fields[0].decimals);
}

void ReplyNumber(wire::Reply& reply, const core::Standings& standings, std::uint64_t word) {
  reply.Double(NumberText(standings, word));
}

}  // namespace laurel::engine
