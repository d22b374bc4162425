// LB.LOAD: fills a value under a separate key, the id of the load, and moves it to the board's key
// at the commit.
//
//   BEGIN    key ─► an empty value, marked as loading; the key expires
//   CHUNK    LB.APPLY key chunk: replicas and AOF get each chunk as effects
//   COMMIT   RENAME key board, then LB.APPLY board: the mark goes, in one transaction
//
// A load therefore survives a restart or a failover as far as its chunks do, and moves with its
// slot.
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "leaderboard/entries.h"
#include "leaderboard/load.h"
#include "module/board_commands.h"
#include "module/host.h"
#include "module/host_effects.h"
#include "module/limits.h"
#include "module/server_reply.h"
#include "module/writing.h"
#include "wire/error_texts.h"
#include "wire/load_words.h"
#include "wire/spec_arguments.h"

namespace laurel::module {
namespace {

constexpr const char* kEvent = "lb.load";

// A finished commit, whose reply may have been lost.
struct Committed {
  std::string board;
  std::string id;
  leaderboard::LoadFigures figures;
};

std::deque<Committed>& RecentCommits() {
  static std::deque<Committed>& commits = *new std::deque<Committed>;
  return commits;
}

// Executes one command.
class LoadCommand {
 public:
  LoadCommand(Context* context, String** arguments, const wire::LoadStep& step)
      : context_(context), board_(arguments[1]), id_(arguments[3]), step_(step) {}
  ~LoadCommand() { Close(); }
  LoadCommand(const LoadCommand&) = delete;
  LoadCommand& operator=(const LoadCommand&) = delete;

  Status Begin() {
    wire::SpecArguments wanted;
    Status status = wire::ParseSpecArguments(step_.options, &wanted);
    if (status.ok()) status = TheHost().CheckSupported(wanted.spec, 0);
    if (status.ok() && (wanted.adopt || wanted.feed)) {
      status =
          Error{ErrorCode::kErr, "LB.LOAD takes no ADOPT and no FEED: use LB.ALTER afterwards"};
    }
    if (status.ok()) status = CheckBoardName(step_.board, wanted.spec);
    if (status.ok()) status = leaderboard::CheckLasts(wanted.spec, 0, now_);
    if (status.ok() && step_.board == step_.id) {
      status = Error{ErrorCode::kErr, "the id of a load is another key than its board"};
    }
    if (!status.ok()) return status;
    if (const Value* value = Open()) {
      const bool repeated = value->loading->progress.next == 1 && value->spec() == wanted.spec;
      return repeated ? Status(Ok{}) : Status(leaderboard::LoadHasBegun(step_.id));
    }
    if (Api().KeyType(key_) != kEmptyKey) return leaderboard::LoadHasBegun(step_.id);
    std::erase_if(RecentCommits(), [&](const Committed& done) { return IsThis(done); });
    std::unique_ptr<Value> fresh = TheHost().Make(wanted.spec);
    fresh->loading = std::make_unique<Loading>(Loading{std::string(step_.board)});
    std::string effects;
    leaderboard::EffectWriter(&effects).Create(wanted.spec);
    Value* value = fresh.get();
    Api().ModuleTypeSetValue(key_, TheHost().type, fresh.release());
    Publish(value, std::move(effects));
    return Ok{};
  }

  Status Chunk() {
    Value* value = Open();
    if (value == nullptr) return leaderboard::NoLoad(step_.board, step_.id);
    bool ruined = false;
    const Result<bool> added = leaderboard::ApplyChunk(
        step_.number, step_.chunk, now_, &value->board, &value->loading->progress, &ruined);
    if (ruined) Unlink(id_);
    if (!added.ok()) return added.error();
    if (*added) Publish(value, std::string(step_.chunk));
    return Ok{};
  }

  Result<leaderboard::LoadFigures> Commit() {
    for (const Committed& done : RecentCommits()) {
      if (IsThis(done)) return done.figures;
    }
    const Value* value = Open();
    if (value == nullptr) return leaderboard::NoLoad(step_.board, step_.id);
    const leaderboard::LoadFigures figures = value->loading->progress.figures;
    Close();
    // Renames the key to its own name first, which changes nothing. A server without RENAME is
    // detected before the board to replace is deleted.
    const Error refused{ErrorCode::kErr, "the server refuses to rename the key of the load"};
    if (!Rename(id_, "ss")) return refused;
    if (const Status free = FreeName(); !free.ok()) return free.error();
    if (!Rename(board_, "!ss")) return refused;
    RecentCommits().push_back({std::string(step_.board), std::string(step_.id), figures});
    if (RecentCommits().size() > kKeptCommits) RecentCommits().pop_front();
    KeyWrite::FinishLoad(context_, board_, now_, kEvent);
    return figures;
  }

  Status Abort() {
    if (Open() == nullptr) return leaderboard::NoLoad(step_.board, step_.id);
    Unlink(id_);
    return Ok{};
  }

 private:
  [[nodiscard]] bool IsThis(const Committed& done) const {
    return done.board == step_.board && done.id == step_.id;
  }

  void Close() {
    if (key_ != nullptr) Api().CloseKey(key_);
    key_ = nullptr;
  }

  // Opens the key of the load. Null if there is no load of this board.
  Value* Open() {
    LAUREL_ASSERT(key_ == nullptr);
    key_ = Api().OpenKey(context_, id_, kOpenRead | kOpenWrite);
    Value* value = TheHost().AnyValueOf(key_);
    if (value == nullptr || !value->loading || value->loading->board != step_.board) return nullptr;
    return value;
  }

  // Replicates a change of the load, and extends its expiry.
  void Publish(Value* value, std::string effects) {
    LAUREL_ASSERT(key_ != nullptr && value->loading != nullptr);
    leaderboard::EffectWriter to(&effects);
    WriteLoad(step_.board, value->loading->progress, &to);
    value->expiry_ms = TheHost().ServerMs(now_ + leaderboard::kLoadLifeMicros);
    WriteExpiry(/*known_only=*/false, value->expiry_ms, &to);
    Api().SetAbsExpire(key_, value->expiry_ms);
    Api().Replicate(context_, "LB.APPLY", "sb", id_, effects.data(), effects.size());
    Api().SignalModifiedKey(context_, id_);
    Api().NotifyKeyspaceEvent(context_, kNotifyModule, kEvent, id_);
  }

  // Deletes the key. REQUIRES: key_ is open under this name.
  void Unlink(String* name) {
    LAUREL_ASSERT(key_ != nullptr);
    Api().UnlinkKey(key_);
    Close();
    Api().Replicate(context_, "UNLINK", "s", name);
    Api().SignalModifiedKey(context_, name);
    Api().NotifyKeyspaceEvent(context_, kNotifyGeneric, "del", name);
  }

  // Calls RENAME for the key of the load. `format`: "!ss" replicates it. False if the server
  // refuses.
  bool Rename(String* name, const char* format) {
    CallReply* renamed = Api().Call(context_, "RENAME", format, id_, name);
    const bool done = renamed != nullptr && Api().CallReplyType(renamed) != kErrorReply;
    if (renamed != nullptr) Api().FreeCallReply(renamed);
    return done;
  }

  // Deletes a board that is replaced, or refuses if the name is taken. Another thread frees the
  // memory.
  Status FreeName() {
    key_ = Api().OpenKey(context_, board_, kOpenRead | kOpenWrite);
    Status free = Ok{};
    if (TheHost().ValueOf(key_) != nullptr) {
      if (step_.replace) {
        Unlink(board_);
      } else {
        free = leaderboard::NameIsTaken(step_.board);
      }
    } else if (Api().KeyType(key_) != kEmptyKey) {
      free = Error{ErrorCode::kWrongType, base::Quote(step_.board) + " is not a leaderboard"};
    }
    Close();
    return free;
  }

  Context* context_;
  String* board_;
  String* id_;
  const wire::LoadStep& step_;
  Stamp now_ = TheHost().Now();
  Key* key_ = nullptr;
};

}  // namespace

int Load(Context* context, String** arguments, int count) noexcept {
  using Kind = wire::LoadStep::Kind;
  ServerReply reply(context);
  std::vector<std::string_view> words;
  for (int i = 0; i < count; ++i) words.push_back(TextOf(arguments[i]));
  const Result<wire::LoadStep> step = wire::ParseLoadStep(words);
  if (!step.ok()) return ReplyError(context, step.error());
  const bool ends = step->kind == Kind::kCommit || step->kind == Kind::kAbort;
  if (!ends && (Api().GetContextFlags(context) & kFlagOutOfMemory) != 0) {
    return ReplyError(context,
                      {ErrorCode::kOom, "command not allowed when used memory > 'maxmemory'."});
  }
  LoadCommand command(context, arguments, *step);
  if (step->kind == Kind::kCommit) {
    const Result<leaderboard::LoadFigures> figures = command.Commit();
    figures.ok() ? leaderboard::WriteFigures(*figures, &reply) : reply.Error(figures.error());
    return kOk;
  }
  const Status done = step->kind == Kind::kBegin   ? command.Begin()
                      : step->kind == Kind::kChunk ? command.Chunk()
                                                   : command.Abort();
  done.ok() ? reply.Ok() : reply.Error(done.error());
  return kOk;
}

}  // namespace laurel::module
