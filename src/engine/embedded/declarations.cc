// LB.CREATE, LB.ALTER, LB.DESCRIBE, LB.PERIODS, LB.LIST, LB.DROP, LB.TEMPLATE.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "base/time_text.h"
#include "core/decide.h"
#include "engine/embedded/handlers.h"
#include "engine/embedded/leaderboards.h"
#include "engine/embedded/scanning.h"
#include "engine/embedded/stored_results.h"
#include "engine/feed_cursor.h"
#include "engine/hosted_spec.h"
#include "engine/limits.h"
#include "laurel/limits.h"
#include "wire/spec_arguments.h"

namespace laurel::engine {
namespace {

using wire::SpecArguments;

// The options from argument `at` on: a board that this engine can hold.
Status TakeSpec(const Context& context, std::size_t at, SpecArguments* wanted) {
  const Status status = wire::ParseSpecArguments(context.arguments.subspan(at), wanted);
  return status.ok() ? CheckHosted(*wanted) : status;
}

// A sorted set's score as a number of the field: what its text says, exactly.
Result<std::int64_t> AdoptNumber(const core::Board& from, std::uint64_t word, const Field& field) {
  constexpr double kExact = 9007199254740992;  // 2^53: integers up to it are written digit by digit
  const double score = NumberAsDouble(from, word);
  if (field.decimals == 0 && std::abs(score) < kExact && score == std::trunc(score)) {
    return static_cast<std::int64_t>(score);
  }
  return ParseNumber(NumberText(from, word), field.decimals);
}

// Gives `to`, which is empty, the sorted set's entries in the order Redis showed them: best first,
// stamps rising along, so that no entry changes its place.
Status Adopt(const core::Board& from, Stamp stamp, core::Board* to) {
  const Field& field = to->spec().fields[0];
  core::EntryStore::Loader loader = to->Load();
  Status adopted = Ok{};
  // On a desc board ZREVRANGE ran best first, on an asc one ZRANGE did.
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
          LAUREL_ASSERT(added);  // the board it comes from has room for it
        }
        return adopted.ok();
      });
  loader.Finish();
  return adopted;
}

Status CheckAdoption(const Key& key, const Spec& spec) {
  const auto refuse = [](const char* message) { return Error{ErrorCode::kErr, message}; };
  if (spec.fields.size() != 1) return refuse("ADOPT makes a leaderboard of one field");
  if (!spec.periods.empty()) return refuse("ADOPT makes a leaderboard without periods");
  const bool as_redis = spec.tie == Tie::kMember && spec.fields[0].direction == Direction::kAsc;
  if (spec.tie != Tie::kFirst && !as_redis) {
    return refuse("ADOPT keeps everybody's place, which this TIE would not: use TIE first");
  }
  if (spec.cap > 0 && spec.cap < key.board.entries().size()) {
    return refuse("the sorted set has more entries than the cap");
  }
  return core::CheckName(key.name, spec);
}

void CreateByAdoption(Context& context, Key* key, const Spec& spec) {
  if (const Status status = CheckAdoption(*key, spec); !status.ok()) {
    return ReplyError(context, status.error());
  }
  core::Board filled(spec, context.keys.catalog().environment());
  const Moment moment = context.TakeMoment(key->board.entries().size());
  if (const Status status = Adopt(key->board, moment.stamp, &filled); !status.ok()) {
    return ReplyError(context, status.error());
  }
  const std::int64_t expires_at_ms = key->expires_at_ms;
  const std::string name(key->name);
  const Result<Key*> adopted = context.keys.Replace(name, spec);
  LAUREL_ASSERT(adopted.ok());
  (*adopted)->board.TakeEntries(&filled);
  context.keys.Loaded(*adopted);
  if (expires_at_ms != 0) context.keys.SetExpiry(*adopted, expires_at_ms);
  context.reply.Ok();
}

void Create(Context& context) {
  SpecArguments wanted;
  if (const Status status = TakeSpec(context, 2, &wanted); !status.ok()) {
    return ReplyError(context, status.error());
  }
  Key* present = context.keys.Find(context.arguments[1]);
  if (present != nullptr && !Keyspace::IsLeaderboard(*present)) {
    if (wanted.adopt) return CreateByAdoption(context, present, wanted.spec);
    return ReplyError(context, SortedSetError(*present));
  }
  const Result<Key*> made = context.keys.Declare(context.arguments[1], wanted.spec);
  made.ok() ? context.reply.Ok() : ReplyError(context, made.error());
}

void Alter(Context& context) {
  Key* key = FindWholeLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  SpecArguments changed;
  changed.spec = key->board.spec();
  Status status = wire::ParseAlterArguments(context.arguments.subspan(2), &changed);
  if (status.ok()) status = CheckHosted(changed);
  if (!status.ok()) return ReplyError(context, status.error());
  core::EffectBatch effects;
  const Status decided = core::DecideAlter(key->board, changed.spec, &effects);
  if (!decided.ok()) return ReplyError(context, decided.error());
  const Spec of_instances = InstanceSpec(changed.spec);
  if (key->parent) {
    for (Key* instance : Keyspace::PartsOf(key)) {
      core::EffectBatch on_instance;
      const Status altered = core::DecideAlter(instance->board, of_instances, &on_instance);
      LAUREL_ASSERT(altered.ok());  // what could be wrong with it is wrong with the board's, too
      context.keys.Apply(instance, on_instance);
    }
  }
  context.keys.Apply(key, effects);
  context.reply.Ok();
}

void ReplyFields(wire::Reply& reply, const Spec& spec) {
  reply.Array(spec.fields.size());
  for (const Field& field : spec.fields) {
    reply.Map(4);
    reply.Bulk("name");
    reply.Bulk(field.name);
    reply.Bulk("type");
    reply.Bulk(TypeName(field));
    reply.Bulk("direction");
    reply.Bulk(DirectionName(field.direction));
    reply.Bulk("operator");
    reply.Bulk(OperatorName(field.op));
  }
}

void Describe(Context& context) {
  Key* key = FindLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  const core::Board& board = key->board;
  const Spec& spec = board.spec();
  // Windows and ids are the board's, also where an instance of it is asked about.
  const Key& whole = key->part ? *key->part->of : *key;
  const Spec& declared = whole.board.spec();
  wire::Reply& reply = context.reply;
  const auto integer = [&](std::string_view name, std::uint64_t value) {
    reply.Bulk(name);
    reply.Integer(static_cast<std::int64_t>(value));
  };
  const auto time = [&](std::string_view name, const std::optional<Stamp>& value) {
    reply.Bulk(name);
    value ? reply.Integer(*value) : reply.Null();
  };
  reply.Map(key->parent ? 18 : 14);
  reply.Bulk("board");
  reply.Bulk(key->name);
  reply.Bulk("fields");
  ReplyFields(reply, spec);
  reply.Bulk("policy");
  reply.Bulk(PolicyName(spec.policy));
  reply.Bulk("tie");
  reply.Bulk(TieName(spec.tie));
  integer("cap", spec.cap);
  time("start", declared.start);
  time("end", declared.end);
  reply.Bulk("grace");
  reply.Bulk(base::FormatDuration(declared.grace_us));
  reply.Bulk("expire");
  declared.expire_us > 0 ? reply.Bulk(base::FormatDuration(declared.expire_us)) : reply.Null();
  integer("dedup", declared.dedup);
  integer("ids", whole.requests ? whole.requests->size() : 0);
  integer("size", context.keys.FindShown(context.arguments[1])->board.entries().size());
  integer("hidden", board.hidden_members());
  std::size_t bytes = 0;
  for (const Key* part : Keyspace::PartsOf(key)) bytes += part->board.MemoryUsage();
  integer("bytes", bytes);
  if (!key->parent) return;
  reply.Bulk("periods");
  reply.Array(spec.periods.size());
  for (const Period period : spec.periods) reply.Bulk(PeriodName(period));
  reply.Bulk("zone");
  reply.Bulk(spec.zone);
  reply.Bulk("turn");
  reply.Bulk(FormatTurn(spec.turn_minutes));
  integer("keep", spec.keep);
}

// Whether the close of the instance is on disk, or will be when the reply is sent.
bool MayTell(const Context& context, const Key& instance) {
  return instance.part->closed_after < context.durable ||
         (context.waits_for_disk && context.turn != nullptr);
}

// One line of LB.PERIODS; `instance` is null where nobody has written yet.
void ReplyInstance(Context& context, const Key& board, const Instance& span, const Key* instance,
                   bool present) {
  wire::Reply& reply = context.reply;
  const auto moment = [&](std::string_view name, Stamp at) {
    reply.Bulk(name);
    span.period == Period::kAll ? reply.Null() : reply.Integer(at);
  };
  reply.Map(7);
  reply.Bulk("board");
  reply.Bulk(core::InstanceName(board.name, span));
  reply.Bulk("period");
  reply.Bulk(PeriodName(span.period));
  moment("begin", span.begin);
  moment("end", span.end);
  reply.Bulk("present");
  reply.Bool(present);
  reply.Bulk("size");
  reply.Integer(instance == nullptr ? 0
                                    : static_cast<std::int64_t>(instance->board.entries().size()));
  reply.Bulk("closed");
  if (instance == nullptr || !instance->part->closed || !MayTell(context, *instance)) {
    return reply.Null();
  }
  reply.Bulk(
      FormatCursor({instance->part->closed_epoch, instance->part->closed_after, 0, board.id}));
}

// The instances of each period that are kept, the latest first.
void Periods(Context& context) {
  Key* key = FindWholeLeaderboard(context, context.arguments[1]);
  if (key == nullptr) return;
  const std::vector<Period>& periods = key->board.spec().periods;
  for (const Key* instance : Keyspace::PartsOf(key)) {
    if (!instance->part || !instance->part->closed) continue;
    if (instance->part->closed_after >= context.durable && context.turn != nullptr) {
      context.turn->NoteWrite();  // the reply waits as that of a write does
    }
  }
  struct Line {
    std::size_t period;
    Instance span;
    const Key* instance;
    bool present;
  };
  std::vector<Line> lines;
  for (std::size_t i = 0; i < periods.size(); ++i) {
    const PeriodState::Known& present = context.keys.Present(key, i);
    lines.push_back({i, present.span, present.key, true});
    for (const Key* instance : key->parent->instances) {
      if (instance->part->span.period != periods[i] || instance == present.key) continue;
      lines.push_back({i, instance->part->span, instance, false});
    }
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.period != b.period ? a.period < b.period : a.span.begin > b.span.begin;
  });
  context.reply.Array(lines.size());
  for (const Line& line : lines) {
    ReplyInstance(context, *key, line.span, line.instance, line.present);
  }
}

void List(Context& context) {
  ScanOptions options;
  options.count = 100;
  std::uint64_t cursor = 0;
  const auto arguments = context.arguments;
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) return context.reply.Error(kSyntaxError);
    if (IsWord(arguments[i], "MATCH")) {
      if (!TakeMatch(context, arguments[i + 1], &options)) return;
    } else if (IsWord(arguments[i], "CURSOR")) {
      if (!TakeCursor(context, arguments[i + 1], &cursor)) return;
    } else if (IsWord(arguments[i], "COUNT")) {
      if (!TakeCount(context, arguments[i + 1], &options)) return;
    } else {
      return context.reply.Error(kSyntaxError);
    }
  }
  std::vector<std::string_view> names;
  const std::uint64_t next = context.keys.Scan(cursor, options.count, [&](const Key& key) {
    if (Keyspace::IsLeaderboard(key) && options.pattern.Matches(key.name) &&
        context.keys.MayTouch(context.client, key.name)) {
      names.emplace_back(key.name);
    }
  });
  context.reply.Array(2);
  context.reply.Bulk(std::to_string(next));
  context.reply.Array(names.size());
  for (const std::string_view name : names) context.reply.Bulk(name);
}

void Drop(Context& context) {
  if (FindWholeLeaderboard(context, context.arguments[1]) == nullptr) return;
  context.keys.Drop(context.arguments[1]);
  context.reply.Ok();
}

void TemplateSet(Context& context) {
  SpecArguments wanted;
  if (const Status status = TakeSpec(context, 3, &wanted); !status.ok()) {
    return ReplyError(context, status.error());
  }
  if (wanted.adopt) return context.reply.Error("ERR a template adopts nothing");
  if (context.arguments[2].empty()) return context.reply.Error("ERR a template needs a pattern");
  if (context.arguments[2].size() > kMaxBoardNameBytes) {
    return context.reply.Error("LIMIT a template's pattern has at most 512 bytes");
  }
  const auto& templates = context.keys.templates();
  const bool replaces = std::any_of(
      templates.begin(), templates.end(),
      [&](const Template& declared) { return declared.pattern == context.arguments[2]; });
  if (!replaces && templates.size() >= kMaxTemplates) {
    return context.reply.Error("LIMIT there are " + std::to_string(kMaxTemplates) +
                               " templates already");
  }
  context.keys.SetTemplate({std::string(context.arguments[2]), wanted.spec});
  context.reply.Ok();
}

void TemplateDel(Context& context) {
  context.reply.Integer(context.keys.DeleteTemplate(context.arguments[2]) ? 1 : 0);
}

void TemplateList(Context& context) {
  std::vector<const Template*> shown;
  for (const Template& declared : context.keys.templates()) {
    if (context.client.access.OpensPattern(declared.pattern)) shown.push_back(&declared);
  }
  context.reply.Array(shown.size());
  for (const Template* declared : shown) {
    context.reply.Map(2);
    context.reply.Bulk("pattern");
    context.reply.Bulk(declared->pattern);
    context.reply.Bulk("spec");
    context.reply.Bulk(DescribeSpec(declared->spec));
  }
}

}  // namespace

void RegisterLeaderboardDeclarations(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kLbCreate, Create);
  Register(table, CommandId::kLbAlter, Alter);
  Register(table, CommandId::kLbDescribe, Describe);
  Register(table, CommandId::kLbList, List);
  Register(table, CommandId::kLbDrop, Drop);
  Register(table, CommandId::kLbPeriods, Periods);
  Register(table, CommandId::kLbTemplateSet, TemplateSet);
  Register(table, CommandId::kLbTemplateDel, TemplateDel);
  Register(table, CommandId::kLbTemplateList, TemplateList);
}

}  // namespace laurel::engine
