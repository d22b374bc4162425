#include "transfer/server_walk.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "client/scan_guard.h"
#include "engine/disk/restorer.h"
#include "engine/journal/log_effects.h"
#include "leaderboard/load.h"
#include "leaderboard/walk.h"
#include "transfer/sources/zset_source.h"
#include "wire/spec_arguments.h"

namespace laurel::transfer {
namespace {

// More than a board has: detects a server whose walk never ends.
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 32;

// Reads boards into a keyspace, as a start of the server reads a snapshot.
class Reading {
 public:
  Reading(client::PatientConnection* server, const storage::ProgressCallback& progress)
      : server_(*server), progress_(progress) {
    state_.keys = std::make_unique<engine::Keyspace>(base::SystemMemory(), base::SystemEntropy());
    restorer_.emplace(state_.keys.get());
    restorer_->Reset();
  }

  Status Read(const std::string& name) {
    for (int attempt = 1;; ++attempt) {
      const Result<Outcome> outcome = Attempt(name);
      if (!outcome.ok()) return outcome.error();
      const bool is_last = attempt == kWalkAttempts;
      if (*outcome == Outcome::kAbsent || *outcome == Outcome::kWhole) return Ok{};
      if (is_last && *outcome == Outcome::kLost) return lost_;
      if (is_last) {
        changed_.push_back(name);
        return Ok{};
      }
      std::string dropped;
      engine::LogWriter(&dropped).Drop(id_, name, spec_, /*expired=*/false);
      if (const Status done = restorer_->OnSnapshot(dropped); !done.ok()) return done;
    }
  }

  Result<WalkedBoards> Finish() {
    storage::Footer footer;
    footer.next_board = id_ + 1;
    if (Status ended = restorer_->OnSnapshotEnd(footer); !ended.ok()) return ended.error();
    // A member that was hidden or shown meanwhile has a mark from before and an entry from after.
    restorer_->Reconcile();
    if (Status finished = restorer_->Finish(); !finished.ok()) return finished.error();
    restorer_.reset();
    for (const engine::NamedBoard* named = state_.keys->catalog().FirstById(); named != nullptr;
         named = engine::Catalog::NextById(named)) {
      state_.last_stamp = std::max(state_.last_stamp, named->board.last_stamp());
    }
    return WalkedBoards{LoadedBoards::Of(std::move(state_)), std::move(changed_)};
  }

 private:
  enum class Outcome : std::uint8_t {
    kAbsent,   // there is no such board
    kWhole,    // the board is read as it was at one moment
    kChanged,  // it is read, and was written to meanwhile
    kLost,     // it must be read from the beginning
  };
  struct Chunk {
    std::string_view create;
    std::int64_t version = 0;
    std::string_view cursor;
    std::string_view effects;
  };

  Result<Outcome> Attempt(const std::string& name) {
    std::string create;
    std::int64_t version = 0;
    bool changed = false;
    std::string cursor(leaderboard::kWalkEnds);
    client::ScanGuard guard(server_.address(), kMostEntries);
    leaderboard::LoadFigures figures;
    do {
      std::string refusal;
      const Result<client::RespValue> reply = server_.Ask({"LB.WALK", name, cursor}, &refusal);
      if (!reply.ok()) return Explain(reply.error(), refusal, /*begun=*/!create.empty());
      const std::optional<Chunk> chunk = ChunkIn(*reply);
      if (!chunk) return Failed("LB.WALK answers no chunk");
      if (create.empty()) {
        create = chunk->create;
        version = chunk->version;
        if (const Status created = Create(name, create); !created.ok()) return created.error();
      } else if (create != chunk->create) {
        lost_ = Failed(base::Quote(name) + " was declared anew while it was read");
        return Outcome::kLost;
      }
      changed = changed || version != chunk->version;
      const std::uint64_t before = figures.entries;
      Status taken = leaderboard::AddChunk(chunk->effects, INT64_MAX, &figures);
      if (taken.ok()) taken = restorer_->OnSnapshot(chunk->effects);
      if (!taken.ok()) return Failed(base::Quote(name) + ": " + taken.error().message);
      cursor = chunk->cursor;
      if (Status ends = guard.Take(cursor, figures.entries - before); !ends.ok()) {
        return ends.error();
      }
      at_.done_bytes += chunk->effects.size();
      if (progress_ && !progress_(at_)) return Error{ErrorCode::kErr, "stopped by a signal"};
    } while (cursor != leaderboard::kWalkEnds);
    return changed ? Outcome::kChanged : Outcome::kWhole;
  }

  // `begun`: the refused request was not the first one of its walk.
  Result<Outcome> Explain(const Error& error, std::string_view refusal, bool begun) {
    if (refusal.starts_with("NOBOARD") && !begun) return Outcome::kAbsent;
    if (refusal.starts_with("ERR unknown command")) {
      return Failed(
          "this server has no LB.WALK: it is neither laurel serve nor a Redis or Valkey "
          "with laurel.so of this version");
    }
    if (!begun || !refusal.starts_with("ERR")) return error;
    lost_ = error;
    return Outcome::kLost;
  }

  static std::optional<Chunk> ChunkIn(const client::RespValue& reply) {
    const client::RespValue* create = reply.Find("create");
    const client::RespValue* version = reply.Find("version");
    const client::RespValue* cursor = reply.Find("cursor");
    const client::RespValue* effects = reply.Find("effects");
    if (create == nullptr || version == nullptr || cursor == nullptr || effects == nullptr) {
      return std::nullopt;
    }
    if (create->text.empty() || cursor->text.empty()) return std::nullopt;
    return Chunk{create->text, version->integer, cursor->text, effects->text};
  }

  Status Create(const std::string& name, const std::string& create) {
    const Result<wire::SpecArguments> spec = wire::ParseSpecLine(create);
    if (!spec.ok()) return Failed(spec.error().message);
    spec_ = spec->spec;
    std::string created;
    engine::LogWriter(&created).Create(++id_, name, spec_);
    return restorer_->OnSnapshot(created);
  }

  [[nodiscard]] Error Failed(const std::string& what) const {
    return {ErrorCode::kErr, server_.address() + ": " + what};
  }

  client::PatientConnection& server_;
  const storage::ProgressCallback& progress_;
  storage::Progress at_;
  LoadedState state_;
  std::optional<engine::Restorer> restorer_;
  std::uint64_t id_ = 0;  // of the last board that was created
  Spec spec_;             // of that board
  Error lost_;            // why the last walk was lost
  std::vector<std::string> changed_;
};

}  // namespace

Result<WalkedBoards> WalkServer(client::PatientConnection* server, const std::string& board,
                                const std::string& pattern,
                                const storage::ProgressCallback& progress) {
  std::vector<std::string> names = {board};
  if (board.empty()) {
    Result<std::vector<std::string>> found = FindKeys(server, pattern, "laurel-lb");
    if (!found.ok()) return found.error();
    names = std::move(*found);
  }
  Reading reading(server, progress);
  for (const std::string& name : names) {
    if (const Status read = reading.Read(name); !read.ok()) return read.error();
  }
  return reading.Finish();
}

}  // namespace laurel::transfer
