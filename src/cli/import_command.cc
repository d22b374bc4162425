#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/count_text.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/import_request.h"
#include "cli/stop_signals.h"
#include "cli/transfer_options.h"
#include "transfer/copy_boards.h"
#include "transfer/folders/loaded_boards.h"
#include "transfer/import.h"
#include "transfer/report/reporter.h"
#include "transfer/sources/archive_source.h"
#include "transfer/sources/redis_source.h"

namespace laurel::cli {
namespace {

// The age of the stamp of rows without a time. Rows of equal score get the microseconds after it; a
// minute is enough for a million such rows to lie before the clock of a server that is somewhat
// late.
constexpr std::int64_t kUntimedAgeUs = 60'000'000;

constexpr std::string_view kHelpBeforeCodecs = R"(usage: laurel import SOURCE [TARGET] [OPTION…]

Moves leaderboards from Redis, files or an archive into a running server, into a Redis or
Valkey with the module laurel.so, or into a data folder. A board is read and checked before
the first row of it is written. A new board is there as a whole at the end, or not at all.
Into a board that is there the import sets scores and times entry by entry, and adds nothing:
to repeat it is safe while nothing else writes the board.

source, one of:
  --from URL          sorted sets of Redis or Valkey: redis://[USER[:PASSWORD]@]HOST[:PORT][/DB],
                      or rediss:// for TLS. Better set LAUREL_REDIS_PASSWORD, which other users
                      of the machine do not see
  --csv FILE          a table with a header, RFC 4180; - is standard input
  --tsv FILE          the output of mysql --batch, or of COPY … TO of PostgreSQL
  --jsonl FILE        one JSON object a line, as laurel export writes it
  --archive PATH      a .laurel archive, a backup, or a data folder that no server uses
  FILE                a file whose name ends in .csv, .tsv or .jsonl. Files may be compressed
                      with zstd

what of it:
  --key KEY           one sorted set
  --match PATTERN     all sorted sets, or boards of the archive, whose names match
  --codec NAME        how the sorted set holds value and time: below (default plain, unless the
                      scores look packed). For a file: plain, even if they look packed
  --columns LIST      columns of a file by name, or by number with --no-header:
                      member=uid,score=points,at=updated. Without it: member, the names of the
                      fields (score), reached or at, meta, hidden, instance
  --no-header         the first line of a CSV or TSV is a row
  --delimiter C       of a CSV: one character, or tab (default ,)
  --encoding NAME     of a file: utf-8 (default), gb18030 (also GBK: Excel in Chinese), or bytes
                      to take members and meta as they are
  --at-unit UNIT      what a bare number in a time column counts: s, ms or us (default s)
  --tz ZONE           time zone of times without one: Asia/Shanghai. Otherwise they are rejected
  --member HOW        what a member of a set or file is: raw (default), json (a JSON string or
                      number, as RedisTemplate and others store), java (Java serialisation)

board:
  --board NAME        the board (default: the name of the key; a JSONL file may name one). With
                      --archive: the one board to take
  --rename 'P=R'      names of boards from names of keys: 'rank:*=lb-*', or 'rank=lb' for one
  --spec 'WORDS'      what a new board is, in the words of LB.CREATE (default: FIELDS 1
                      score:int:desc POLICY set TIE first). A board that is there must have
                      this spec; without --spec it keeps its own
  --replace           replace a board that is there, in one step, when everything is read
  --period P          for a board with periods: fill only this period or instance (all, day,
                      day:2026-11-15). Without it each row goes into the instances of its time

target, one of:
  --to ADDRESS        HOST:PORT of a Laurel server (default 127.0.0.1:7600), or a redis:// URL
                      of a Redis with the module
  --data DIR          a data folder that no server uses, new or not. It changes as a whole when
                      everything is read, or not at all
  --token TOKEN       access to the server: admin to create boards, otherwise write; better: set
                      LAUREL_TOKEN
  --ca FILE           PEM file of the authorities that a TLS server's certificate must come from
                      (default: those of the system)
  --insecure-tls      accept any certificate

checks:
  --dry-run           read and check everything, write nothing
  --force             write even if times lie before 2009 or more than a day ahead, or if all
                      values or all times of 20 rows or more are equal; with --follow, empty a
                      board whose set is gone. Scores of a file that look packed are taken as
                      they are; to skip only that check, say --codec plain
  --rejects FILE      rows that cannot be used, one JSON object a line with line and reason
  --max-rejects N     stop if there are more of them (default 1000)
  --verify            afterwards compare the target with what was read: members, scores,
                      stamps, order. Lists who shared score and time, and what has changed in
                      Redis meanwhile

long imports:
  --follow            after the import scan Redis again and again, write what differs, remove
                      what has vanished; nobody else may write the boards. To move over: stop
                      the writers, send SIGTERM. Then it scans a last time, verifies, and ends
  --interval D        between two scans (default 10s)

Members with several rows become one entry: the latest row under POLICY set, the best under best,
the sum under sum. Rows of equal score and time keep the order in which the source shows them:
they get times one microsecond apart.

codecs of sorted sets:
)";

constexpr std::string_view kHelpAfterCodecs = R"(
examples:
  laurel import --from redis://127.0.0.1:6379 --key lb --codec scaled-time --board lb --verify
  mysql --batch -e 'SELECT uid AS member, points AS score, updated AS at FROM ranking' db |
    laurel import --tsv - --board lb --tz Asia/Shanghai

exit code: 0, 1 if it failed, 2 wrong arguments, 3 done, but rows were rejected or --verify found
differences
)";

// One import, from opening the source to the report.
class ImportRun {
 public:
  ImportRun(const ImportRequest& request, std::ostream& out, std::ostream& err)
      : request_(request),
        err_(err),
        signals_(request.options.follow ? StopSignals::First::kAfterWork
                                        : StopSignals::First::kAtOnce),
        reporter_(out, err, signals_.now()) {}

  Result<int> Run() {
    const Status opened = OpenRejects();
    if (!opened.ok()) return opened.error();
    if (!request_.archive.empty()) return ImportArchive();
    if (request_.file) {
      transfer::FileSourceOptions file = *request_.file;
      file.stop = &signals_.now();
      transfer::FileSource source(std::move(file), &rejects_);
      return ImportFrom(&source);
    }
    transfer::RedisSourceOptions options = *request_.redis;
    options.server = Stoppable(options.server);
    options.untimed_at = SystemNow() - kUntimedAgeUs;
    const auto source = transfer::RedisSource::Open(std::move(options));
    if (!source.ok()) return source.error();
    redis_ = source->get();
    return ImportFrom(source->get());
  }

 private:
  [[nodiscard]] client::ConnectOptions Stoppable(client::ConnectOptions server) const {
    server.waits.stop = &signals_.now();
    return server;
  }

  Status OpenRejects() {
    if (request_.rejects.empty()) {
      rejects_ = transfer::Rejects(request_.max_rejects);
      return Ok{};
    }
    const std::string& source = request_.file ? request_.file->path : request_.archive;
    std::error_code ignored;
    if (std::filesystem::equivalent(request_.rejects, source, ignored)) {
      return Refusal("--rejects " + base::Quote(request_.rejects) + " is the source");
    }
    Result<transfer::Rejects> opened =
        transfer::Rejects::Open(request_.rejects, request_.max_rejects);
    if (!opened.ok()) return opened.error();
    rejects_ = std::move(*opened);
    return Ok{};
  }

  Status OpenTarget() {
    if (request_.data.empty()) {
      target_.name = request_.server.address.Text();
      Result<std::unique_ptr<transfer::ServerSink>> sink =
          transfer::ServerSink::Open(Stoppable(request_.server), request_.replace);
      if (!sink.ok()) return sink.error();
      target_.server = std::move(*sink);
      return Ok{};
    }
    target_.name = request_.data;
    std::error_code error;
    static_cast<void>(std::filesystem::status(request_.data, error));
    const bool is_new = error == std::errc::no_such_file_or_directory;
    if (error && !is_new) {
      return Error{ErrorCode::kErr,
                   "--data " + base::Quote(request_.data) + ": " + error.message()};
    }
    if (request_.options.dry_run && is_new) return Ok{};  // a dry run does not create the folder
    reporter_.Begin("loading", transfer::ProgressUnit::kBytes);
    transfer::FolderOptions options;
    options.now = SystemNow();
    options.replace = request_.replace;
    options.loading = reporter_.Callback();
    Result<std::unique_ptr<transfer::FolderSink>> sink =
        transfer::FolderSink::Open(request_.data, options);
    reporter_.End();
    if (!sink.ok()) return sink.error();
    target_.folder = std::move(*sink);
    return Ok{};
  }

  Result<int> ImportFrom(transfer::BoardSource* source) {
    if (const Status opened = OpenTarget(); !opened.ok()) return opened.error();
    transfer::ImportOptions options = request_.options;
    options.now = SystemNow();
    if (target_.server != nullptr) {
      const Result<Stamp> there = target_.server->Now();
      if (!there.ok()) return there.error();
      options.now = std::min(options.now, *there);
    }
    transfer::Import import(source, &target_, std::move(options), &rejects_, &reporter_);
    Result<transfer::ImportResult> result = import.Run();
    if (result.ok() && request_.options.follow) {
      redis_->AllowVanished();
      result = import.Follow(request_.interval_us, signals_.finish());
    }
    return Report(result);
  }

  Result<int> ImportArchive() {
    reporter_.Begin("loading", transfer::ProgressUnit::kBytes);
    const Result<transfer::LoadedBoards> loaded =
        transfer::LoadedBoards::Open(request_.archive, reporter_.Callback());
    reporter_.End();
    if (!loaded.ok()) return loaded.error();
    Result<std::vector<transfer::ChosenBoard>> chosen =
        transfer::ChooseBoards(*loaded, request_.board, request_.match, request_.rename);
    if (!chosen.ok()) return chosen.error();
    if (request_.data.empty()) {
      transfer::ArchiveSource source(std::move(*chosen));
      return ImportFrom(&source);
    }
    if (const Status opened = OpenTarget(); !opened.ok()) return opened.error();
    transfer::ImportResult result;
    if (request_.options.dry_run) {
      for (const transfer::ChosenBoard& board : *chosen) {
        if (const Status free = CheckFree(board.name); !free.ok()) return free.error();
        reporter_.Say(board.name + ": " + DescribeSpec(board.from->spec()) +
                      " would be copied to " + target_.name);
      }
      return Report(result);
    }
    const Status copied =
        transfer::CopyBoards(*chosen, loaded->last_stamp(), target_.folder.get(), &reporter_);
    if (!copied.ok()) return copied.error();
    if (request_.options.verify) {
      target_.folder.reset();  // unlocks the folder
      const Result<std::uint64_t> differences =
          transfer::CompareCopies(*chosen, request_.data, &reporter_);
      if (!differences.ok()) return differences.error();
      result.differences = *differences;
    }
    return Report(result);
  }

  // EXISTS if the target folder has a board of this name.
  Status CheckFree(const std::string& name) {
    if (target_.folder == nullptr) return Ok{};
    const Result<std::optional<Spec>> found = target_.folder->Find(name);
    if (!found.ok()) return found.error();
    if (!*found) return Ok{};
    return Error{ErrorCode::kExists, target_.name + ": " + base::Quote(name) + " is there already"};
  }

  Result<int> Report(const Result<transfer::ImportResult>& result) {
    reporter_.End();
    if (const Status flushed = rejects_.Flush(); !flushed.ok()) return flushed.error();
    if (rejects_.count() > 0) {
      err_ << base::Counted(rejects_.count(), "row was", "rows were") << " rejected"
           << (rejects_.path().empty() ? "" : "; see " + rejects_.path()) << "\n";
      for (const std::string& line : rejects_.shown()) err_ << "  " << line << "\n";
    }
    if (!result.ok()) return result.error();
    return result->rejected > 0 || result->differences > 0 ? kExitPartly : kExitOk;
  }

  const ImportRequest& request_;
  std::ostream& err_;
  StopSignals signals_;
  transfer::Reporter reporter_;
  transfer::Rejects rejects_;
  transfer::ImportTarget target_;
  transfer::RedisSource* redis_ = nullptr;  // null: the source is not Redis
};

}  // namespace

int Import(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err) {
  const std::string help =
      std::string(kHelpBeforeCodecs) + CodecHelp() + std::string(kHelpAfterCodecs);
  const std::vector<OptionName> options = ImportOptionNames();
  const Command command = {"import", help, options, 0, "at most one file", 1};
  return RunCommand(command, arguments, out, err,
                    [&](const ParsedArguments& parsed) -> Result<int> {
                      const Result<ImportRequest> request = ParseImportRequest(parsed);
                      if (!request.ok()) return RefuseUsage(err, command, request.error().message);
                      return ImportRun(*request, out, err).Run();
                    });
}

}  // namespace laurel::cli
