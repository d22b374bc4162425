#include "transfer/server_boards.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/memory.h"
#include "base/random.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "client/scan_guard.h"
#include "engine/disk/restorer.h"
#include "engine/journal/log_effects.h"
#include "laurel/stamp_clock.h"
#include "leaderboard/load.h"
#include "leaderboard/walk.h"
#include "storage/archive.h"
#include "storage/format.h"
#include "storage/frame_stream.h"
#include "transfer/sources/zset_source.h"
#include "wire/spec_arguments.h"

namespace laurel::transfer {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
constexpr int kSnapshotLimitMs = 3'600'000;  // the server replies when its snapshot is on disk

// The reply of LB.BACKUP START.
struct Offer {
  std::string id;
  std::uint64_t record = 0;
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
  };
  std::vector<File> files;
};

std::optional<std::uint64_t> NumberIn(const client::RespValue& map, std::string_view name) {
  const client::RespValue* value = map.Find(name);
  if (value == nullptr || value->kind != client::RespValue::Kind::kInteger || value->integer < 0) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(value->integer);
}

bool IsUnknown(const Result<client::RespValue>& reply) {
  return !reply.ok() && reply.error().message.starts_with("ERR unknown command");
}

Result<Offer> Start(client::RedisConnection* server) {
  // Detects a server that does not reply before the long wait.
  if (const Result<client::RespValue> alive = server->Ask({"PING"}); !alive.ok())
    return alive.error();
  const int before_ms = server->SetTimeoutMs(kSnapshotLimitMs);
  const Result<client::RespValue> reply = server->Ask({"LB.BACKUP", "START"});
  server->SetTimeoutMs(before_ms);
  if (IsUnknown(reply)) {
    return Err(
        "this is no laurel serve: a Redis or Valkey, with or without laurel.so, has no LB.BACKUP. "
        "Its own RDB file (BGSAVE) or AOF saves it; laurel export --format archive copies its "
        "leaderboards");
  }
  if (!reply.ok()) return reply.error();
  const auto id = NumberIn(*reply, "id");
  const auto record = NumberIn(*reply, "record");
  const client::RespValue* files = reply->Find("files");
  if (!id || !record || files == nullptr || files->elements.empty()) {
    return Err("the server answers what is no backup");
  }
  Offer offer{std::to_string(*id), *record, {}};
  for (const client::RespValue& file : files->elements) {
    const client::RespValue* name = file.Find("name");
    const auto bytes = NumberIn(file, "bytes");
    const auto kind = offer.files.empty() ? storage::FileKind::kSnapshot : storage::FileKind::kLog;
    if (name == nullptr || !bytes || !storage::NumberOfName(kind, name->text)) {
      return Err("the server offers a file that is none of a backup");
    }
    offer.files.push_back({name->text, *bytes});
  }
  return offer;
}

// Fetches the files of an offer and checks every byte of them.
class Fetcher {
 public:
  Fetcher(client::RedisConnection* server, const Offer& offer, storage::ArchiveWriter* writer,
          const storage::ProgressCallback& progress)
      : server_(server), offer_(offer), writer_(writer), progress_(progress) {
    for (const Offer::File& file : offer.files) at_.total_bytes += file.bytes;
  }

  Status Run() {
    for (const Offer::File& file : offer_.files) {
      if (const Status fetched = Fetch(file); !fetched.ok()) return fetched;
    }
    if (reached_ == offer_.record) return Ok{};
    return Err("the log ends at record " + std::to_string(reached_) + ", the backup needs it " +
               "through record " + std::to_string(offer_.record));
  }

  [[nodiscard]] std::uint64_t history() const { return history_; }

 private:
  Status Fetch(const Offer::File& file) {
    const bool is_snapshot = &file == offer_.files.data();
    const auto kind = is_snapshot ? storage::FileKind::kSnapshot : storage::FileKind::kLog;
    if (const Status begun = writer_->BeginFile(file.name); !begun.ok()) return begun;
    storage::FrameStream stream(kind, file.name, offer_.record,
                                [this](std::string_view bytes) { return writer_->Append(bytes); });
    for (std::uint64_t offset = 0; offset < file.bytes && !stream.done();) {
      const Result<client::RespValue> piece =
          server_->Ask({"LB.BACKUP", "READ", offer_.id, file.name, std::to_string(offset),
                        std::to_string(kPieceBytes)});
      if (!piece.ok()) return piece.error();
      if (piece->kind != client::RespValue::Kind::kText || piece->text.empty()) {
        return Err(file.name + " ends at byte " + std::to_string(offset) + " of " +
                   std::to_string(file.bytes));
      }
      if (const Status taken = stream.Take(piece->text); !taken.ok()) return taken;
      offset += piece->text.size();
      at_.done_bytes += piece->text.size();
      if (progress_ && !progress_(at_)) return Err("stopped");
    }
    if (const Status ended = stream.End(); !ended.ok()) return ended;
    if (const Status fits = Connect(file, stream, is_snapshot); !fits.ok()) return fits;
    return writer_->EndFile();
  }

  // Checks that the file continues the previous ones.
  Status Connect(const Offer::File& file, const storage::FrameStream& stream, bool is_snapshot) {
    const std::uint64_t first = stream.header().first;
    if (is_snapshot) {
      history_ = stream.header().history;
      reached_ = stream.footer().started_at;
      if (stream.footer().ended_at == offer_.record) return Ok{};
      return Err(file.name + " is not the snapshot of record " + std::to_string(offer_.record));
    }
    if (stream.header().history != history_) return Err(file.name + " is of other data");
    // The first segment may begin before the snapshot does.
    const bool fits = logged_ ? first == reached_ + 1 : first <= reached_ + 1;
    if (!fits) return Err("records before " + std::to_string(first) + " are missing");
    logged_ = true;
    reached_ = stream.last_record();
    return Ok{};
  }

  client::RedisConnection* server_;
  const Offer& offer_;
  storage::ArchiveWriter* writer_;
  const storage::ProgressCallback& progress_;
  storage::Progress at_;
  std::uint64_t history_ = 0;
  std::uint64_t reached_ = 0;
  bool logged_ = false;
};

// Whether the server has LB.BACKUP: it is laurel serve. An error means that the connection is
// broken.
Result<bool> TakesBackups(client::RedisConnection* server) {
  // Without a subcommand the command does nothing: laurel serve answers that a word is missing.
  const Result<client::RespValue> reply = server->Ask({"LB.BACKUP"});
  if (server->broken()) return reply.error();
  return !IsUnknown(reply);
}

// Walks -------------------------------------------------------------------------------------------

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

  Result<ServerBoards> Finish() {
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
    return ServerBoards{LoadedBoards(std::move(state_)), std::move(changed_)};
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

Result<ServerBoards> WalkServer(client::PatientConnection* server, const std::string& board,
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

}  // namespace

Result<storage::Manifest> FetchBackup(client::RedisConnection* server, const std::string& target,
                                      const storage::ProgressCallback& progress) {
  const Result<std::unique_ptr<storage::ArchiveWriter>> writer =
      storage::ArchiveWriter::Begin(target);
  if (!writer.ok()) return writer.error();
  const Result<Offer> offer = Start(server);
  if (!offer.ok()) {
    if (server->broken()) return offer.error();
    return Err(server->address() + ": " + offer.error().message);
  }
  const std::int64_t taken_us = SystemNow();
  Fetcher fetcher(server, *offer, writer->get(), progress);
  if (const Status fetched = fetcher.Run(); !fetched.ok()) return fetched.error();
  // An error does not matter: all data has arrived, and the server ends the backup later.
  (void)server->Ask({"LB.BACKUP", "END", offer->id}).ok();
  const Status finished = (*writer)->Finish(fetcher.history(), offer->record, taken_us);
  if (!finished.ok()) return finished.error();
  return (*writer)->manifest();
}

Result<ServerBoards> LoadServer(
    client::PatientConnection* server, const std::string& board, const std::string& pattern,
    const std::function<storage::ProgressCallback(std::string work)>& show) {
  client::RedisConnection* connection = server->operator->();
  const Result<bool> takes_backups = TakesBackups(connection);
  if (!takes_backups.ok()) return takes_backups.error();
  if (!*takes_backups) return WalkServer(server, board, pattern, show("reading"));
  const char* place = std::getenv("TMPDIR");
  const base::TemporaryFolder folder(place != nullptr && *place != '\0' ? place : "/tmp",
                                     "laurel-export");
  if (!folder.exists()) {
    return Err("cannot create the folder " + folder.path() + ": " + std::strerror(errno));
  }
  const Result<storage::Manifest> fetched =
      FetchBackup(connection, folder.path(), show("fetching"));
  if (!fetched.ok()) return fetched.error();
  Result<LoadedBoards> loaded = LoadedBoards::Open(folder.path(), show("loading"));
  if (!loaded.ok()) return loaded.error();
  return ServerBoards{std::move(*loaded)};
}

}  // namespace laurel::transfer
