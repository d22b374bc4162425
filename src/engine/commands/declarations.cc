// Commands that declare, list and drop leaderboards: LB.CREATE, LB.LIST, LB.DROP, LB.TEMPLATE.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "engine/commands/handlers.h"
#include "engine/commands/scanning.h"
#include "engine/commands/stored_results.h"
#include "engine/limits.h"
#include "engine/supported_spec.h"
#include "laurel/limits.h"
#include "leaderboard/entries.h"
#include "wire/error_texts.h"
#include "wire/spec_arguments.h"

namespace laurel::engine {
namespace {

// Parses the spec options from argument `at` on, and checks that this engine supports them. Replies
// and returns false if that fails.
bool TakeSpec(Context& context, std::size_t at, wire::SpecArguments* wanted) {
  Status status =
      wire::ParseSpecArguments(context.arguments.subspan(at), wanted,
                               wire::CommandOf(wire::CommandId::kLbCreate), context.beside, at);
  if (status.ok()) {
    status = CheckSupported(*wanted);
    if (!wanted->feed) wanted->failed_word = wanted->zone_word;
  }
  if (status.ok()) return true;
  const std::size_t failed = wanted->failed_word;
  return Refuse(context, status.error(), failed == wire::kNoWord ? failed : at + failed);
}

// Converts a sorted set's score to the field's type: the exact value of the score's text. Returns
// an error if it does not fit.
Result<std::int64_t> AdoptNumber(const core::Standings& from, std::uint64_t word,
                                 const Field& field) {
  constexpr double kExact = 9007199254740992;  // 2^53: below it the text of an integer is exact
  const double score = NumberAsDouble(from, word);
  if (field.decimals == 0 && std::abs(score) < kExact && score == std::trunc(score)) {
    return static_cast<std::int64_t>(score);
  }
  return ParseNumber(NumberText(from, word), field.decimals);
}

// Copies the sorted set's entries to `to`, which is empty. Entries are added best first, in the
// order that Redis showed, with rising stamps, so that each entry keeps its rank.
Status Adopt(const core::Standings& from, Stamp stamp, core::Standings* to) {
  const Field& field = to->spec().fields[0];
  core::EntryStore::Loader loader = to->Load();
  Status adopted = Ok{};
  // Best first is the order of ZREVRANGE on a desc board, and of ZRANGE on an asc board.
  const bool backward = field.direction == Direction::kDesc;
  const std::uint64_t size = from.entries().size();
  from.entries().ForRange(
      backward ? size - 1 : 0, size, backward, [&](const core::EntryView& view) {
        const Result<std::int64_t> number = AdoptNumber(from, view.words[0], field);
        if (!number.ok()) {
          adopted = Error{ErrorCode::kBadScore, base::Quote(view.member) + " has the score " +
                                                    NumberText(from, view.words[0]) +
                                                    ", which does not fit " + TypeName(field)};
        } else if (view.member.size() > kMaxMemberBytes) {
          adopted = Error{ErrorCode::kLimit,
                          "member " + base::Quote(view.member) + " exceeds 1024 bytes"};
        } else {
          const bool added = loader.Add(core::MemberKey(view.member),
                                        to->layout().Encode(Score{*number}, stamp++), {});
          LAUREL_ASSERT(added);  // it fits, since the source board holds as many entries
        }
        return adopted.ok();
      });
  loader.Finish();
  return adopted;
}

Status CheckAdoption(const NamedBoard& named, const Spec& spec) {
  const auto refuse = [](const char* message) { return Error{ErrorCode::kErr, message}; };
  if (spec.fields.size() != 1) return refuse("ADOPT makes a leaderboard of one field");
  if (!spec.periods.empty()) return refuse("ADOPT makes a leaderboard without periods");
  const bool as_redis = spec.tie == Tie::kMember && spec.fields[0].direction == Direction::kAsc;
  if (spec.tie != Tie::kFirst && !as_redis) {
    return refuse("ADOPT keeps everybody's place, which this TIE would not: use TIE first");
  }
  if (spec.cap > 0 && spec.cap < named.board.standings().entries().size()) {
    return refuse("the sorted set has more entries than the cap");
  }
  return CheckName(named.name, spec);
}

void CreateByAdoption(Context& context, NamedBoard* named, const Spec& spec) {
  if (const Status status = CheckAdoption(*named, spec); !status.ok()) {
    return context.reply.Error(status.error());
  }
  core::Standings filled(spec, context.keys.catalog().environment());
  const core::Standings& from = named->board.standings();
  const Moment moment = context.TakeMoment(from.entries().size());
  if (const Status status = Adopt(from, moment.stamp, &filled); !status.ok()) {
    return context.reply.Error(status.error());
  }
  const std::int64_t expires_at_ms = named->expires_at_ms;
  const std::string name(named->name);
  NamedBoard* adopted = context.keys.ReplaceByEntries(name, spec, &filled);
  if (expires_at_ms != 0) context.keys.SetExpiry(adopted, expires_at_ms);
  ReplyDeclared(context, *adopted, /*created=*/true);
}

// LB.CREATE of a client below the role admin: OK if the leaderboard is declared so already.
void Compare(Context& context, NamedBoard* present, const Spec& wanted) {
  const auto refuse = [&](const std::string& message) {
    context.reply.Error({ErrorCode::kNoPerm, message});
  };
  const std::string name = base::Quote(context.arguments[1]);
  if (present == nullptr || !present->is_leaderboard()) {
    return refuse("there is no leaderboard " + name + ": a token of role admin declares one");
  }
  if (present->spec() != wanted) {
    return refuse(name +
                  " exists with another spec, and altering it needs a token of role admin: " +
                  DescribeSpec(present->spec()));
  }
  ReplyDeclared(context, *present, /*created=*/false);
}

void Create(Context& context) {
  wire::SpecArguments wanted;
  if (!TakeSpec(context, 2, &wanted)) return;
  const std::string_view name = context.arguments[1];
  NamedBoard* present = context.keys.Find(name);
  if (context.client.access.role() < context.command.role) {
    return Compare(context, present, wanted.spec);
  }
  if (present == nullptr && wanted.adopt) {
    return context.reply.Error({ErrorCode::kNoBoard, "no sorted set " + base::Quote(name)}, 1);
  }
  const bool is_new = present == nullptr || !present->is_leaderboard();
  if (const Status lasts = leaderboard::CheckLasts(wanted.spec, 0, context.now);
      is_new && !lasts.ok()) {
    return context.reply.Error(lasts.error());
  }
  if (present != nullptr && !present->is_leaderboard()) {
    if (wanted.adopt) return CreateByAdoption(context, present, wanted.spec);
    return context.reply.Error(SortedSetError(*present, context.ways_out()));
  }
  const Result<NamedBoard*> made = context.keys.Declare(name, wanted.spec);
  made.ok() ? ReplyDeclared(context, **made, is_new) : context.reply.Error(made.error());
}

// COUNT of LB.LIST; `at`: the index of its value.
bool TakeListCount(Context& context, std::size_t at, ScanOptions* options) {
  std::int64_t count = 0;
  const Status read =
      wire::ReadWhole(context.beside, at, context.arguments[at], "COUNT", 1, &count);
  if (!read.ok()) return Refuse(context, read.error(), at);
  options->count = std::min(static_cast<std::size_t>(count), kMaxScanned);
  return true;
}

// CURSOR of LB.LIST: 0, or the cursor of the reply before; `at`: the index of its value.
bool TakeListCursor(Context& context, std::size_t at, std::uint64_t* cursor) {
  const std::string_view text = context.arguments[at];
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *cursor);
  if (error == std::errc() && stop == end) return true;
  return Refuse(context, wire::Labelled(context.beside, at, wire::NoListCursor(text)), at);
}

// Where `now` lies in the window of a leaderboard.
std::string_view WindowState(const Spec& spec, Stamp now) {
  if (spec.start && now < *spec.start) return "upcoming";
  if (!spec.end || now < *spec.end) return "open";
  return now < *spec.end + spec.grace_us ? "grace" : "ended";
}

wire::BoardLine LineOf(const NamedBoard& named, Stamp now) {
  wire::BoardLine line{
      .board = named.name, .spec = &named.spec(), .bytes = named.board.MemoryUsage()};
  if (named.is_leaderboard()) line.window = WindowState(named.spec(), now);
  if (const auto view = named.board.ViewOf(std::nullopt, now)) {
    line.size = view->standings->entries().size();
  }
  return line;
}

void List(Context& context) {
  ScanOptions options;
  options.count = 100;
  std::uint64_t cursor = 0;
  bool has_match = false;
  bool has_cursor = false;
  bool has_count = false;
  const auto arguments = context.arguments;
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const std::string_view word = arguments[i];
    const bool is_match = IsWord(word, "MATCH");
    const bool is_cursor = IsWord(word, "CURSOR");
    if (!is_match && !is_cursor && !IsWord(word, "COUNT")) {
      return context.reply.Error(wire::UnknownOption(context.command, word));
    }
    bool& seen = is_match ? has_match : is_cursor ? has_cursor : has_count;
    if (seen) return context.reply.Error(wire::RepeatedOption(word));
    seen = true;
    if (i + 1 == arguments.size()) return context.reply.Error(wire::MissingValue(word));
    const std::string_view value = arguments[i + 1];
    if (is_match    ? !TakeMatch(context, value, &options, i + 1)
        : is_cursor ? !TakeListCursor(context, i + 1, &cursor)
                    : !TakeListCount(context, i + 1, &options)) {
      return;
    }
  }
  if (!TakeReturned(context, std::min(options.count, context.keys.boards()))) return;
  const bool of_leaderboards = context.beside == nullptr || !context.beside->lists_sorted_sets;
  std::vector<const NamedBoard*> found;
  const std::uint64_t next = context.keys.Scan(cursor, options.count, [&](const NamedBoard& named) {
    if (named.is_leaderboard() == of_leaderboards &&
        MatchesIn(context, options.pattern, named.name) &&
        context.keys.MayTouch(context.client, named.name)) {
      found.push_back(&named);
    }
  });
  if (wire::Answer* to = context.reply.answer()) {
    std::vector<wire::BoardLine> lines;
    for (const NamedBoard* named : found) lines.push_back(LineOf(*named, context.now));
    return to->Boards(lines, next);
  }
  context.reply.Array(2);
  context.reply.Bulk(std::to_string(next));
  context.reply.Array(found.size());
  for (const NamedBoard* named : found) context.reply.Bulk(named->name);
}

void Drop(Context& context) {
  const std::string_view name = context.arguments[1];
  if (RefusesInstance(context, name)) return;
  NamedBoard* named = context.keys.Find(name);
  if (named == nullptr) {
    return context.reply.Error({ErrorCode::kNoBoard, "no board " + base::Quote(name)}, 1);
  }
  if (!named->is_leaderboard()) {
    return context.reply.Error(
        {ErrorCode::kWrongType,
         base::Quote(name) + " is a sorted set: " + std::string(context.ways_out().remove_set)});
  }
  context.keys.Drop(named);
  context.reply.Ok();
}

void TemplateSet(Context& context) {
  wire::SpecArguments wanted;
  if (!TakeSpec(context, 3, &wanted)) return;
  const std::string_view pattern = context.arguments[2];
  const auto refuse = [&](ErrorCode code, std::string message) {
    context.reply.Error({code, std::move(message)});
  };
  if (wanted.adopt) return refuse(ErrorCode::kErr, "a template adopts nothing");
  const Status usable = wire::CheckTemplatePattern(pattern);
  if (!usable.ok()) return context.reply.Error(usable.error());
  const auto split = context.arguments.size() == 3 ? wire::SpecInPattern(pattern) : std::nullopt;
  if (split) {
    return refuse(ErrorCode::kErr, "the pattern " + base::Quote(pattern) +
                                       " has options in it: did you mean the pattern " +
                                       base::Quote(split->pattern) + " with " +
                                       base::Quote(split->spec) + "?");
  }
  Template declared{std::string(pattern), wanted.spec};
  if (declared.glob.searched_elements() > kMaxTemplateElements) {
    return refuse(ErrorCode::kLimit, "a template's pattern has at most " +
                                         std::to_string(kMaxTemplateElements) +
                                         " characters between its first and its last star");
  }
  const Templates& templates = context.keys.templates();
  const bool created = !templates.Has(pattern);
  if (created && templates.all().size() >= kMaxTemplates) {
    return refuse(ErrorCode::kLimit,
                  "there are " + std::to_string(kMaxTemplates) + " templates already");
  }
  context.keys.SetTemplate(std::move(declared));
  if (wire::Answer* to = context.reply.answer()) return to->TemplateSet(created);
  context.reply.Ok();
}

void TemplateDel(Context& context) {
  context.reply.Integer(context.keys.DeleteTemplate(context.arguments[2]) ? 1 : 0);
}

void TemplateList(Context& context) {
  if (!TakeReturned(context, context.keys.templates().all().size())) return;
  std::vector<wire::Answer::TemplateLine> shown;
  for (const Template& declared : context.keys.templates().all()) {
    if (context.client.access.OpensPattern(declared.pattern)) {
      shown.push_back({declared.pattern, &declared.spec});
    }
  }
  if (wire::Answer* to = context.reply.answer()) return to->Templates(shown);
  context.reply.Array(shown.size());
  for (const auto& [pattern, spec] : shown) {
    context.reply.Map(2);
    context.reply.Pair("pattern", pattern);
    context.reply.Pair("spec", DescribeSpec(*spec));
  }
}

}  // namespace

void RegisterLeaderboardDeclarations(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kLbCreate, Create);
  Register(table, CommandId::kLbList, List);
  Register(table, CommandId::kLbDrop, Drop);
  Register(table, CommandId::kLbTemplateSet, TemplateSet);
  Register(table, CommandId::kLbTemplateDel, TemplateDel);
  Register(table, CommandId::kLbTemplateList, TemplateList);
}

}  // namespace laurel::engine
