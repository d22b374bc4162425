// ZSCORE, ZMSCORE, ZRANK, ZREVRANK, ZCARD, ZCOUNT, ZLEXCOUNT, ZRANDMEMBER and ZSCAN.
#include <algorithm>
#include <vector>

#include "core/store/member.h"
#include "engine/commands/handlers.h"
#include "engine/commands/ranges.h"
#include "engine/commands/scanning.h"

namespace laurel::engine {
namespace {

// The word of field 1 of a member, which may be hidden; none if the member has no entry.
std::optional<std::uint64_t> FindNumber(const core::Standings& standings, std::string_view member) {
  const core::Location location = standings.entries().Find(core::MemberKey(member));
  if (location != core::kNowhere) return standings.entries().WordsAt(location)[0];
  const core::Standings::HiddenEntry* hidden = standings.FindHidden(member);
  return hidden != nullptr ? std::optional(hidden->words[0]) : std::nullopt;
}

void ReplyNumberOrNull(Context& context, const core::Standings* standings,
                       std::string_view member) {
  const auto word = standings != nullptr ? FindNumber(*standings, member) : std::nullopt;
  if (!word) return context.reply.Null();
  ReplyNumber(context.reply, *standings, *word);
}

// The board that a read of the command's key sees; null if there is none.
const core::Standings* StandingsForRead(Context& context) {
  return context.keys.ViewForRead(context.arguments[1]).standings;
}

void ZScore(Context& context) {
  ReplyNumberOrNull(context, StandingsForRead(context), context.arguments[2]);
}

void ZMScore(Context& context) {
  if (!TakeReturned(context, context.arguments.size() - 2)) return;
  const core::Standings* standings = StandingsForRead(context);
  context.reply.Array(context.arguments.size() - 2);
  for (const std::string_view member : context.arguments.subspan(2)) {
    ReplyNumberOrNull(context, standings, member);
  }
}

void ZCard(Context& context) {
  const core::Standings* standings = StandingsForRead(context);
  context.reply.Integer(
      standings != nullptr ? static_cast<std::int64_t>(standings->entries().size()) : 0);
}

void ZCount(Context& context) {
  const core::Standings* standings = StandingsForRead(context);
  const auto range = TakeScoreRange(context, standings, context.arguments[2], context.arguments[3]);
  if (range) context.reply.Integer(static_cast<std::int64_t>(range->count));
}

void ZLexCount(Context& context) {
  const core::Standings* standings = StandingsForRead(context);
  const auto range = TakeLexRange(context, standings, context.arguments[2], context.arguments[3]);
  if (range) context.reply.Integer(static_cast<std::int64_t>(range->count));
}

void Rank(Context& context, bool reverse) {
  const bool with_score = context.arguments.size() == 4;
  if (context.arguments.size() > 4 || (with_score && !IsWord(context.arguments[3], "WITHSCORE"))) {
    return context.reply.Error(kSyntaxError);
  }
  const core::Standings* standings = StandingsForRead(context);
  const core::Location location =
      standings != nullptr ? standings->entries().Find(core::MemberKey(context.arguments[2]))
                           : core::kNowhere;
  if (location == core::kNowhere) {
    return with_score ? context.reply.NullArray() : context.reply.Null();
  }
  const core::EntryStore& entries = standings->entries();
  const std::uint64_t index = entries.IndexOf(location);
  if (with_score) context.reply.Array(2);
  context.reply.Integer(static_cast<std::int64_t>(
      LowFirst(*standings) == reverse ? entries.size() - 1 - index : index));
  if (with_score) ReplyNumber(context.reply, *standings, entries.WordsAt(location)[0]);
}

void ReplyRandom(Context& context, const core::Standings& standings, std::int64_t count,
                 bool scores) {
  const std::uint64_t size = standings.entries().size();
  const bool distinct = count >= 0;
  std::uint64_t drawn = distinct ? static_cast<std::uint64_t>(count)
                                 : std::uint64_t{0} - static_cast<std::uint64_t>(count);
  if (distinct) drawn = std::min(drawn, size);
  const std::size_t start = context.reply.size();
  // Each member takes at least the 6 bytes "$0\r\n\r\n" of the reply, so a count that cannot fit is
  // refused before anything is drawn.
  constexpr std::size_t kLeastBytes = 6;
  if (drawn > context.max_reply_bytes / kLeastBytes) return RefuseReply(context, start);
  if (!TakeWork(context, drawn)) return;
  const bool nested = scores && context.reply.resp3();
  context.reply.Array(scores && !nested ? drawn * 2 : drawn);
  // Repeated members are drawn in pieces, so that a reply that exceeds the limit ends the drawing
  // early.
  constexpr std::uint64_t kPiece = 65536;
  for (std::uint64_t left = drawn; left > 0;) {
    const std::uint64_t piece = distinct ? left : std::min(left, kPiece);
    for (const std::uint64_t index :
         core::RandomIndexes(size, piece, distinct, context.random.Next())) {
      core::EntryView view;
      standings.entries().Read(standings.entries().At(index), &view);
      if (nested) context.reply.Array(2);
      context.reply.Bulk(view.member);
      if (scores) ReplyNumber(context.reply, standings, view.words[0]);
      if (!WithinReplyLimit(context, start)) return;
    }
    left -= piece;
  }
}

void ZRandMember(Context& context) {
  const auto arguments = context.arguments;
  if (arguments.size() == 2) {
    const core::Standings* standings = StandingsForRead(context);
    if (standings == nullptr || standings->entries().size() == 0) return context.reply.Null();
    return context.reply.Bulk(
        core::RandomEntries(*standings, 1, true, context.random.Next())[0].member);
  }
  std::int64_t count = 0;
  if (!TakeInteger(context, arguments[2], &count)) return;
  if (count < -INT64_MAX) {
    return context.reply.Error("ERR value is out of range, value must between " +
                               std::to_string(-INT64_MAX) + " and " + std::to_string(INT64_MAX));
  }
  const bool scores = arguments.size() > 3;
  if (arguments.size() > 4 || (scores && !IsWord(arguments[3], "WITHSCORES"))) {
    return context.reply.Error(kSyntaxError);
  }
  if (scores && (count < -INT64_MAX / 2 || count > INT64_MAX / 2)) {
    return context.reply.Error("ERR value is out of range");
  }
  const core::Standings* standings = StandingsForRead(context);
  if (standings == nullptr || standings->entries().size() == 0) return context.reply.Array(0);
  ReplyRandom(context, *standings, count, scores);
}

void ZScan(Context& context) {
  std::uint64_t cursor = 0;
  if (!TakeCursor(context, context.arguments[2], &cursor)) return;
  const core::Standings* standings = StandingsForRead(context);
  if (standings == nullptr) {
    context.reply.Array(2);
    context.reply.Bulk("0");
    return context.reply.Array(0);
  }
  ScanOptions options;
  if (!TakeScanOptions(context, 3, &options)) return;
  if (!TakeReturned(context, std::min<std::uint64_t>(options.count, standings->entries().size()))) {
    return;
  }
  const ScanPage page = core::Scan(*standings, cursor << kMemberCursorShift, options.count);
  std::vector<const Entry*> matching;
  for (const Entry& entry : page.entries) {
    if (MatchesIn(context, options.pattern, entry.member)) matching.push_back(&entry);
  }
  context.reply.Array(2);
  context.reply.Bulk(std::to_string(page.cursor >> kMemberCursorShift));
  context.reply.Array(matching.size() * 2);
  for (const Entry* entry : matching) {
    context.reply.Bulk(entry->member);
    context.reply.Bulk(NumberText(*standings, standings->layout().FieldWord(0, entry->score[0])));
  }
}

}  // namespace

void RegisterSortedSetReads(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kZScore, ZScore);
  Register(table, CommandId::kZMScore, ZMScore);
  Register(table, CommandId::kZCard, ZCard);
  Register(table, CommandId::kZCount, ZCount);
  Register(table, CommandId::kZLexCount, ZLexCount);
  Register(table, CommandId::kZRank, [](Context& context) { Rank(context, false); });
  Register(table, CommandId::kZRevRank, [](Context& context) { Rank(context, true); });
  Register(table, CommandId::kZRandMember, ZRandMember);
  Register(table, CommandId::kZScan, ZScan);
}

}  // namespace laurel::engine
