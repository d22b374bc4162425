#include "cli/backup.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/count_text.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/load_progress.h"
#include "storage/archive.h"
#include "storage/format.h"
#include "storage/frame_stream.h"
#include "transfer/redis_connection.h"

namespace laurel::cli {
namespace {

using transfer::RedisConnection;
using transfer::RespValue;

constexpr std::string_view kHelp =
    "usage: laurel backup [OPTION…] TARGET\n"
    "\n"
    "Copies the data of a running server while it serves: exactly the state at one record number,\n"
    "which is printed. TARGET is a new or empty folder, or a file whose name ends in .laurel. It "
    "is\n"
    "a backup only when it is finished; what is left of one that failed is refused by restore.\n"
    "\n"
    "options:\n"
    "  --from HOST:PORT    the server (default 127.0.0.1:7600), without TLS\n"
    "  --token TOKEN       an access token with the role admin for all boards; better: set\n"
    "                      LAUREL_TOKEN, which other users of the machine do not see\n"
    "\n"
    "exit code: 0, 1 if it failed, 2 wrong arguments\n";

constexpr OptionName kOptions[] = {{"--from", true}, {"--token", true}};
constexpr Command kBackup = {"backup", kHelp, kOptions, 1, "one target"};
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

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

std::optional<std::uint64_t> NumberIn(const RespValue& map, std::string_view name) {
  const RespValue* value = map.Find(name);
  if (value == nullptr || value->kind != RespValue::Kind::kInteger || value->integer < 0) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(value->integer);
}

Result<Offer> Start(RedisConnection* server) {
  const Result<RespValue> reply = server->Ask({"LB.BACKUP", "START"});
  if (!reply.ok()) return reply.error();
  const auto id = NumberIn(*reply, "id");
  const auto record = NumberIn(*reply, "record");
  const RespValue* files = reply->Find("files");
  if (!id || !record || files == nullptr || files->elements.empty()) {
    return Refusal("the server answers what is no backup");
  }
  Offer offer{std::to_string(*id), *record, {}};
  for (const RespValue& file : files->elements) {
    const RespValue* name = file.Find("name");
    const auto bytes = NumberIn(file, "bytes");
    const auto kind = offer.files.empty() ? storage::FileKind::kSnapshot : storage::FileKind::kLog;
    if (name == nullptr || !bytes || !storage::NumberOfName(kind, name->text)) {
      return Refusal("the server offers a file that is none of a backup");
    }
    offer.files.push_back({name->text, *bytes});
  }
  return offer;
}

// Fetches the files of an offer and checks every byte of them.
class Fetcher {
 public:
  Fetcher(RedisConnection* server, const Offer& offer, storage::ArchiveWriter* writer,
          LoadProgress* progress)
      : server_(server), offer_(offer), writer_(writer), progress_(progress) {
    for (const Offer::File& file : offer.files) at_.total_bytes += file.bytes;
  }

  Status Run() {
    for (const Offer::File& file : offer_.files) {
      if (const Status fetched = Fetch(file); !fetched.ok()) return fetched;
    }
    if (reached_ == offer_.record) return Ok{};
    return Refusal("the log ends at record " + std::to_string(reached_) + ", the backup needs it " +
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
      const Result<RespValue> piece =
          server_->Ask({"LB.BACKUP", "READ", offer_.id, file.name, std::to_string(offset),
                        std::to_string(kPieceBytes)});
      if (!piece.ok()) return piece.error();
      if (piece->kind != RespValue::Kind::kText || piece->text.empty()) {
        return Refusal(file.name + " ends at byte " + std::to_string(offset) + " of " +
                       std::to_string(file.bytes));
      }
      if (const Status taken = stream.Take(piece->text); !taken.ok()) return taken;
      offset += piece->text.size();
      at_.done_bytes += piece->text.size();
      progress_->Show(at_);
    }
    if (const Status ended = stream.End(); !ended.ok()) return ended;
    if (const Status fits = Connect(file, stream, is_snapshot); !fits.ok()) return fits;
    return writer_->EndFile();
  }

  // Checks that the file continues the ones before it.
  Status Connect(const Offer::File& file, const storage::FrameStream& stream, bool is_snapshot) {
    const std::uint64_t first = stream.header().first;
    if (is_snapshot) {
      history_ = stream.header().history;
      reached_ = stream.footer().started_at;
      if (stream.footer().ended_at == offer_.record) return Ok{};
      return Refusal(file.name + " is not the snapshot of record " + std::to_string(offer_.record));
    }
    if (stream.header().history != history_) return Refusal(file.name + " is of other data");
    // The first segment may begin before the snapshot does.
    const bool fits = logged_ ? first == reached_ + 1 : first <= reached_ + 1;
    if (!fits) return Refusal("records before " + std::to_string(first) + " are missing");
    logged_ = true;
    reached_ = stream.last_record();
    return Ok{};
  }

  RedisConnection* server_;
  const Offer& offer_;
  storage::ArchiveWriter* writer_;
  LoadProgress* progress_;
  storage::Progress at_;
  std::uint64_t history_ = 0;
  std::uint64_t reached_ = 0;
  bool logged_ = false;
};

Result<storage::Manifest> TakeBackup(const std::string& from, const std::string& token,
                                     const std::string& target, std::ostream& err) {
  transfer::ConnectOptions options;
  const Result<transfer::ServerAddress> address = transfer::ParseServerAddress(from);
  if (!address.ok()) return address.error();
  options.address = *address;
  if (!token.empty()) options.address.password = token;
  options.timeout_ms = 0;  // a snapshot may take long
  const Result<std::unique_ptr<RedisConnection>> server = RedisConnection::Connect(options);
  if (!server.ok()) return server.error();
  const auto of_server = [&](const Error& error) {
    return (*server)->broken() ? error : Refusal((*server)->address() + ": " + error.message);
  };
  const Result<std::unique_ptr<storage::ArchiveWriter>> writer =
      storage::ArchiveWriter::Begin(target);
  if (!writer.ok()) return writer.error();
  const Result<Offer> offer = Start(server->get());
  if (!offer.ok()) return of_server(offer.error());
  const std::int64_t taken_us = SystemNow();
  LoadProgress progress(err, "backup");
  Fetcher fetcher(server->get(), *offer, writer->get(), &progress);
  const Status fetched = fetcher.Run();
  progress.Finish();
  if (!fetched.ok()) return fetched.error();
  // An error does not matter: all data has arrived, and the server ends the backup by itself.
  (void)(*server)->Ask({"LB.BACKUP", "END", offer->id}).ok();
  const Status finished = (*writer)->Finish(fetcher.history(), offer->record, taken_us);
  if (!finished.ok()) return finished.error();
  return (*writer)->manifest();
}

Result<int> Run(const ParsedArguments& arguments, std::ostream& out, std::ostream& err) {
  const auto option = [&](std::string_view name) {
    const auto found = arguments.options.find(name);
    return found == arguments.options.end() ? std::string() : found->second;
  };
  std::string token = option("--token");
  if (const char* given = std::getenv("LAUREL_TOKEN"); token.empty() && given != nullptr) {
    token = given;
  }
  const std::string& target = arguments.others[0];
  const Result<storage::Manifest> taken = TakeBackup(option("--from"), token, target, err);
  if (!taken.ok()) return taken.error();
  out << "backup at record " << taken->record << " in " << target << ": "
      << base::Counted(taken->files.size(), "file", "files") << ", "
      << base::Counted(taken->bytes(), "byte", "bytes") << "\n";
  return kExitOk;
}

}  // namespace

int Backup(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err) {
  return RunCommand(kBackup, arguments, out, err,
                    [&](const ParsedArguments& parsed) { return Run(parsed, out, err); });
}

}  // namespace laurel::cli
