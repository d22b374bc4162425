// LB.LOAD, the way in of an import, and LB.WALK, the way out of an export.
#include "base/hash.h"
#include "engine/commands/handlers.h"
#include "engine/supported_spec.h"
#include "leaderboard/entries.h"
#include "leaderboard/load.h"
#include "leaderboard/walk.h"
#include "wire/load_words.h"
#include "wire/spec_arguments.h"

namespace laurel::engine {
namespace {

Status Begin(Context& context, const wire::LoadStep& step) {
  wire::SpecArguments wanted;
  Status status = wire::ParseSpecArguments(step.options, &wanted);
  if (status.ok()) status = CheckSupported(wanted);
  if (status.ok() && wanted.adopt) {
    status = Error{ErrorCode::kErr, "LB.LOAD makes a new board: ADOPT is an option of LB.CREATE"};
  }
  if (status.ok()) status = leaderboard::CheckLasts(wanted.spec, 0, context.now);
  return status.ok() ? context.keys.BeginLoad(step.board, step.id, wanted.spec) : status;
}

void Commit(Context& context, const wire::LoadStep& step) {
  const auto figures = context.keys.CommitLoad(step.board, step.id, step.replace);
  if (!figures.ok()) return context.reply.Error(figures.error());
  leaderboard::WriteFigures(*figures, &context.reply);
}

void Load(Context& context) {
  using Kind = wire::LoadStep::Kind;
  const Result<wire::LoadStep> step = wire::ParseLoadStep(context.arguments);
  if (!step.ok()) return context.reply.Error(step.error());
  if (step->kind == Kind::kCommit) return Commit(context, *step);
  const Status done = step->kind == Kind::kBegin ? Begin(context, *step)
                      : step->kind == Kind::kChunk
                          ? context.keys.LoadChunk(step->board, step->id, step->number, step->chunk)
                          : context.keys.AbortLoad(step->board, step->id);
  done.ok() ? context.reply.Ok() : context.reply.Error(done.error());
}

void WalkBoard(Context& context) {
  const std::string_view name = context.arguments[1];
  if (RefusesInstance(context, name)) return;
  const NamedBoard* named = context.keys.Find(name);
  if (named == nullptr) return context.reply.Error(context.keys.NoBoard(name, context.ways_out()));
  if (!named->is_leaderboard()) {
    return context.reply.Error(SortedSetError(*named, context.ways_out()));
  }
  // A name may get another board during a walk.
  const std::uint64_t version = base::HashInteger(named->changed_at, named->id);
  leaderboard::WriteWalked(named->board, version, context.arguments[2], &context.reply);
}

}  // namespace

void RegisterLoads(HandlerTable* table) {
  Register(table, wire::CommandId::kLbLoad, Load);
  Register(table, wire::CommandId::kLbWalk, WalkBoard);
}

}  // namespace laurel::engine
