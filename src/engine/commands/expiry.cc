// EXPIRE, PEXPIRE, EXPIREAT, PEXPIREAT, TTL, PTTL, EXPIRETIME, PEXPIRETIME and PERSIST.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/commands/handlers.h"

namespace laurel::engine {
namespace {

bool TakeConditions(Context& context, Conditions* conditions) {
  for (const std::string_view word : context.arguments.subspan(3)) {
    if (!conditions->Take(word)) {
      return Refuse(context, "ERR Unsupported option " + std::string(word));
    }
  }
  std::string_view error;
  if (conditions->nx && (conditions->xx || conditions->gt || conditions->lt)) {
    error = "ERR NX and XX, GT or LT options at the same time are not compatible";
  } else if (conditions->gt && conditions->lt) {
    error = "ERR GT and LT options at the same time are not compatible";
  }
  if (error.empty()) return true;
  return Refuse(context, error);
}

// Whether the conditions allow the new expiry. No expiry counts as an infinitely late one.
bool Holds(const Conditions& conditions, std::int64_t present_ms, std::int64_t wanted_ms) {
  const bool expires = present_ms != 0;
  if (conditions.nx && expires) return false;
  if (conditions.xx && !expires) return false;
  if (conditions.gt && (!expires || wanted_ms <= present_ms)) return false;
  if (conditions.lt && expires && wanted_ms >= present_ms) return false;
  return true;
}

void ExpireIn(Context& context, std::int64_t unit_ms, bool relative) {
  Conditions conditions;
  if (!TakeConditions(context, &conditions)) return;
  std::int64_t at_ms = 0;
  if (!TakeInteger(context, context.arguments[2], &at_ms)) return;
  const std::int64_t base_ms = relative ? context.keys.now_ms() : 0;
  if (__builtin_mul_overflow(at_ms, unit_ms, &at_ms) ||
      __builtin_add_overflow(at_ms, base_ms, &at_ms)) {
    return context.reply.Error("ERR invalid expire time in '" + wire::LowerName(context.command) +
                               "' command");
  }
  if (RefusesInstance(context, context.arguments[1])) return;
  NamedBoard* named = context.keys.FindExisting(context.arguments[1]);
  if (named == nullptr || !Holds(conditions, named->expires_at_ms, at_ms)) {
    return context.reply.Integer(0);
  }
  if (at_ms <= context.keys.now_ms()) {
    context.keys.Delete(context.arguments[1]);
  } else {
    context.keys.SetExpiry(named, at_ms);
  }
  context.reply.Integer(1);
}

// When the name ends: by Redis' EXPIRE or by the board's own, whichever comes first. 0: never.
std::int64_t EndOf(const NamedBoard& named) {
  const Stamp own = named.board.EndsAt();
  if (own == INT64_MAX) return named.expires_at_ms;
  const std::int64_t own_ms = own / 1000;
  return named.expires_at_ms == 0 ? own_ms : std::min(named.expires_at_ms, own_ms);
}

void TimeToLive(Context& context, bool seconds, bool absolute) {
  const NamedBoard* named = context.keys.FindExisting(context.arguments[1]);
  if (named == nullptr) return context.reply.Integer(-2);
  const std::int64_t ends_at_ms = EndOf(*named);
  if (ends_at_ms == 0) return context.reply.Integer(-1);
  const std::int64_t ms = ends_at_ms - (absolute ? 0 : context.keys.now_ms());
  // Unsigned, because adding 500 to the largest expiry would overflow a signed integer.
  const std::uint64_t rounded = (static_cast<std::uint64_t>(ms) + 500) / 1000;
  context.reply.Integer(seconds ? static_cast<std::int64_t>(rounded) : ms);
}

void Persist(Context& context) {
  if (RefusesInstance(context, context.arguments[1])) return;
  NamedBoard* named = context.keys.FindExisting(context.arguments[1]);
  if (named == nullptr || named->expires_at_ms == 0) return context.reply.Integer(0);
  context.keys.SetExpiry(named, 0);
  context.reply.Integer(1);
}

}  // namespace

void RegisterExpiry(HandlerTable* table) {
  using wire::CommandId;
  Register(table, CommandId::kExpire, [](Context& context) { ExpireIn(context, 1000, true); });
  Register(table, CommandId::kPExpire, [](Context& context) { ExpireIn(context, 1, true); });
  Register(table, CommandId::kExpireAt, [](Context& context) { ExpireIn(context, 1000, false); });
  Register(table, CommandId::kPExpireAt, [](Context& context) { ExpireIn(context, 1, false); });
  Register(table, CommandId::kTtl, [](Context& context) { TimeToLive(context, true, false); });
  Register(table, CommandId::kPTtl, [](Context& context) { TimeToLive(context, false, false); });
  Register(table, CommandId::kExpireTime,
           [](Context& context) { TimeToLive(context, true, true); });
  Register(table, CommandId::kPExpireTime,
           [](Context& context) { TimeToLive(context, false, true); });
  Register(table, CommandId::kPersist, Persist);
}

}  // namespace laurel::engine
