#include "transfer/server_backup.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "laurel/stamp_clock.h"
#include "storage/archive.h"
#include "storage/format.h"
#include "storage/frame_stream.h"

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

}  // namespace

Result<bool> TakesBackups(client::RedisConnection* server) {
  // Without a subcommand the command does nothing: laurel serve answers that a word is missing.
  const Result<client::RespValue> reply = server->Ask({"LB.BACKUP"});
  if (server->broken()) return reply.error();
  return !IsUnknown(reply);
}

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

Result<LoadedBoards> LoadServer(client::RedisConnection* server,
                                const storage::ProgressCallback& fetching,
                                const storage::ProgressCallback& loading) {
  const char* place = std::getenv("TMPDIR");
  const base::TemporaryFolder folder(place != nullptr && *place != '\0' ? place : "/tmp",
                                     "laurel-export");
  if (!folder.exists()) {
    return Err("cannot create the folder " + folder.path() + ": " + std::strerror(errno));
  }
  const Result<storage::Manifest> fetched = FetchBackup(server, folder.path(), fetching);
  if (!fetched.ok()) return fetched.error();
  return LoadedBoards::Open(folder.path(), loading);
}

}  // namespace laurel::transfer
