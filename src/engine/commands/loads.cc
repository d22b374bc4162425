// LB.LOAD: the way in of an import.
#include <charconv>
#include <cstdint>
#include <string>

#include "base/integer.h"
#include "base/text.h"
#include "engine/commands/handlers.h"
#include "engine/supported_spec.h"
#include "leaderboard/entries.h"
#include "wire/spec_arguments.h"

namespace laurel::engine {
namespace {

// The digest as 16 hexadecimal digits.
std::string DigestText(std::uint64_t digest) {
  std::string text(16, '0');
  char digits[16];
  const char* end = std::to_chars(digits, digits + 16, digest, 16).ptr;
  const auto size = static_cast<std::size_t>(end - digits);
  return text.replace(16 - size, size, digits, size);
}

void Begin(Context& context) {
  wire::SpecArguments wanted;
  Status status = wire::ParseSpecArguments(context.arguments.subspan(3), &wanted);
  if (status.ok()) status = CheckSupported(wanted);
  if (status.ok() && wanted.adopt) {
    status = Error{ErrorCode::kErr, "LB.LOAD makes a new board: ADOPT is an option of LB.CREATE"};
  }
  if (status.ok()) status = leaderboard::CheckLasts(wanted.spec, 0, context.now);
  if (!status.ok()) return ReplyError(context, status.error());
  const Result<std::uint64_t> id = context.keys.BeginLoad(context.arguments[1], wanted.spec);
  id.ok() ? context.reply.Bulk(std::to_string(*id)) : ReplyError(context, id.error());
}

void Chunk(Context& context, std::uint64_t id) {
  std::int64_t number = 0;
  if (!TakeInteger(context, context.arguments[4], &number)) return;
  const Status added = context.keys.LoadChunk(context.arguments[1], id,
                                              number < 0 ? 0 : static_cast<std::uint64_t>(number),
                                              context.arguments[5]);
  added.ok() ? context.reply.Ok() : ReplyError(context, added.error());
}

void Commit(Context& context, std::uint64_t id) {
  const bool replace = context.arguments.size() == 5;
  if (replace && !IsWord(context.arguments[4], "REPLACE")) {
    return ReplyError(context, {ErrorCode::kErr, "LB.LOAD … COMMIT takes REPLACE, not " +
                                                     base::Quote(context.arguments[4])});
  }
  const auto figures = context.keys.CommitLoad(context.arguments[1], id, replace);
  if (!figures.ok()) return ReplyError(context, figures.error());
  context.reply.Map(2);
  context.reply.Bulk("count");
  context.reply.Integer(static_cast<std::int64_t>(figures->entries));
  context.reply.Bulk("digest");
  context.reply.Bulk(DigestText(figures->digest));
}

void Load(Context& context) {
  const auto arguments = context.arguments;
  const std::string_view step = arguments[2];
  if (IsWord(step, "BEGIN")) return Begin(context);
  const bool is_chunk = IsWord(step, "CHUNK");
  const bool is_commit = IsWord(step, "COMMIT");
  if (!is_chunk && !is_commit && !IsWord(step, "ABORT")) {
    return ReplyError(context, {ErrorCode::kErr, "LB.LOAD has no step " + base::Quote(step) +
                                                     ": BEGIN, CHUNK, COMMIT or ABORT"});
  }
  const std::size_t least = is_chunk ? 6 : 4;
  if (arguments.size() < least || arguments.size() > least + (is_commit ? 1 : 0)) {
    return ReplyError(context,
                      {ErrorCode::kErr, is_chunk    ? "usage: LB.LOAD board CHUNK id number bytes"
                                        : is_commit ? "usage: LB.LOAD board COMMIT id [REPLACE]"
                                                    : "usage: LB.LOAD board ABORT id"});
  }
  std::int64_t id = 0;
  if (!TakeInteger(context, arguments[3], &id)) return;
  if (is_chunk) return Chunk(context, static_cast<std::uint64_t>(id));
  if (is_commit) return Commit(context, static_cast<std::uint64_t>(id));
  const Status aborted = context.keys.AbortLoad(arguments[1], static_cast<std::uint64_t>(id));
  aborted.ok() ? context.reply.Ok() : ReplyError(context, aborted.error());
}

}  // namespace

void RegisterLoads(HandlerTable* table) { Register(table, wire::CommandId::kLbLoad, Load); }

}  // namespace laurel::engine
