#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/count_text.h"
#include "base/integer.h"
#include "base/text.h"
#include "base/time_text.h"
#include "cli/arguments.h"
#include "cli/program_commands.h"
#include "cli/stop_signals.h"
#include "cli/transfer_options.h"
#include "client/redis_connection.h"
#include "client/redis_url.h"
#include "laurel/result.h"
#include "transfer/folders/board_names.h"
#include "transfer/folders/loaded_boards.h"
#include "transfer/import.h"
#include "transfer/report/reporter.h"
#include "transfer/sources/archive_source.h"
#include "transfer/sources/file_source.h"
#include "transfer/sources/redis_source.h"
#include "transfer/text/csv_reader.h"
#include "transfer/text/limits.h"
#include "wire/spec_arguments.h"

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

struct ImportRequest {
  // The source: one of these three.
  std::optional<transfer::RedisSourceOptions> redis;
  std::optional<transfer::FileSourceOptions> file;
  std::string archive;

  // For an archive: the boards to take.
  std::string match;
  std::string board;
  transfer::Rename rename;

  // The target: one of these two.
  client::ConnectOptions server;
  std::string data;  // empty: writes to the server

  transfer::ImportOptions options;  // without the time
  bool replace = false;
  std::int64_t interval_us = 0;
  std::string rejects;  // path; empty: no reject file
  std::uint64_t max_rejects = 0;
};

using transfer::FileFormat;

constexpr OptionName kOwnOptions[] = {
    {"--from", true},     {"--key", true},       {"--match", true},   {"--csv", true},
    {"--tsv", true},      {"--jsonl", true},     {"--archive", true}, {"--board", true},
    {"--rename", true},   {"--spec", true},      {"--period", true},  {"--columns", true},
    {"--no-header"},      {"--delimiter", true}, {"--tz", true},      {"--at-unit", true},
    {"--member", true},   {"--to", true},        {"--data", true},    {"--token", true},
    {"--dry-run"},        {"--force"},           {"--rejects", true}, {"--max-rejects", true},
    {"--encoding", true}, {"--verify"},          {"--replace"},       {"--follow"},
    {"--interval", true},
};

constexpr std::int64_t kDefaultIntervalUs = 10'000'000;
constexpr std::int64_t kLeastIntervalUs = 100'000;

struct FileOption {
  std::string_view name;
  FileFormat format;
};
constexpr std::array<FileOption, 3> kFileOptions = {
    {{"--csv", FileFormat::kCsv}, {"--tsv", FileFormat::kTsv}, {"--jsonl", FileFormat::kJsonl}}};

// Options that only some sources accept; others refuse them.
constexpr std::string_view kOnlyFiles[] = {"--columns", "--tz", "--at-unit", "--encoding"};
constexpr std::string_view kOnlyTables[] = {"--no-header", "--delimiter"};
constexpr std::string_view kOnlyRedis[] = {"--key", "--follow", "--interval"};

class Parser {
 public:
  explicit Parser(const ParsedArguments& arguments) : arguments_(arguments) {}

  Result<ImportRequest> Run() {
    for (const auto part : {&Parser::TakeSource, &Parser::TakeBoard, &Parser::TakeTarget,
                            &Parser::TakeChecks, &Parser::CheckTogether}) {
      if (const Status taken = (this->*part)(); !taken.ok()) return taken.error();
    }
    return std::move(request_);
  }

 private:
  [[nodiscard]] bool Has(std::string_view name) const { return arguments_.Has(name); }
  [[nodiscard]] std::string Value(std::string_view name, std::string_view otherwise = "") const {
    return arguments_.Value(name, otherwise);
  }

  // ERR if one of the options is given, which only `what` accepts.
  Status Refuse(std::span<const std::string_view> names, std::string_view what) {
    for (const std::string_view name : names) {
      if (Has(name)) return Err(std::string(name) + " is for " + std::string(what));
    }
    return Ok{};
  }

  Status TakeSource() {
    int sources = Has("--from") + Has("--archive") + static_cast<int>(arguments_.others.size());
    for (const FileOption& option : kFileOptions) sources += Has(option.name);
    if (sources == 0) {
      return Err("a source is missing: --from, --csv, --tsv, --jsonl, --archive or a file");
    }
    if (sources > 1) return Err("there is more than one source");
    const Status member =
        TakeOption("--member", transfer::ParseMemberEncoding(Value("--member", "raw")), &member_);
    if (!member.ok()) return member;
    if (Has("--from")) return TakeRedis();
    const Status none_given = RefuseCodecOptions(arguments_, /*may_be_plain=*/!Has("--archive"));
    if (!none_given.ok()) return none_given;
    if (const Status none = Refuse(kOnlyRedis, "sorted sets of Redis"); !none.ok()) return none;
    return Has("--archive") ? TakeArchive() : TakeFile();
  }

  Status TakeRedis() {
    if (const Status none = Refuse(kOnlyFiles, "files"); !none.ok()) return none;
    if (const Status none = Refuse(kOnlyTables, "--csv and --tsv"); !none.ok()) return none;
    if (!client::IsRedisUrl(Value("--from"))) {
      return Err("--from takes redis://HOST:PORT or rediss://HOST:PORT");
    }
    client::ConnectOptions server;
    const Status taken = TakeOption("--from", RedisServer(Value("--from"), arguments_), &server);
    if (!taken.ok()) return taken;
    if (Has("--key") == Has("--match")) return Err("--from needs either --key or --match");
    Result<Codec> codec = CodecOf(arguments_);
    if (!codec.ok()) return codec.error();
    request_.redis = {.server = std::move(server),
                      .key = Value("--key"),
                      .pattern = Value("--match"),
                      .codec = std::move(*codec),
                      .codec_given = Has("--codec"),
                      .member = member_};
    return Ok{};
  }

  Status TakeArchive() {
    if (const Status none = Refuse(kOnlyFiles, "files of rows"); !none.ok()) return none;
    if (const Status none = Refuse(kOnlyTables, "--csv and --tsv"); !none.ok()) return none;
    if (Has("--member")) return Err("--member is for Redis and for files of rows");
    if (Has("--spec")) return Err("--spec is not for --archive: its boards have their specs");
    request_.archive = Value("--archive");
    request_.match = Value("--match");
    return Ok{};
  }

  Status TakeFile() {
    if (Has("--match")) return Err("--match is for Redis and for archives");
    transfer::FileSourceOptions file;
    if (!arguments_.others.empty()) {
      file.path = arguments_.others[0];
      const std::optional<FileFormat> format = transfer::FormatOfName(file.path);
      if (!format) {
        return Err(base::Quote(file.path) +
                   " has no name of a known format: use --csv, --tsv, --jsonl or --archive");
      }
      file.format = *format;
    }
    for (const FileOption& option : kFileOptions) {
      if (!Has(option.name)) continue;
      file.path = Value(option.name);
      file.format = option.format;
    }
    if (file.format == FileFormat::kJsonl) {
      if (const Status none = Refuse(kOnlyTables, "--csv and --tsv"); !none.ok()) return none;
    } else if (!Has("--board")) {
      return Err("--board is missing");
    }
    if (file.format == FileFormat::kTsv && Has("--delimiter")) {
      return Err("--delimiter is for --csv");
    }
    file.rows.member = member_;
    file.is_plain = Has("--codec");
    file.rows.has_header = !Has("--no-header");
    if (Has("--delimiter")) {
      const Status delimiter = TakeOption(
          "--delimiter", transfer::ParseDelimiter(Value("--delimiter")), &file.rows.delimiter);
      if (!delimiter.ok()) return delimiter;
    }
    if (Has("--columns")) {
      Result<std::vector<transfer::ColumnChoice>> columns =
          transfer::ParseColumns(Value("--columns"));
      if (!columns.ok()) return Err(columns.error().message);
      file.rows.columns = std::move(*columns);
    }
    const Status encoding = TakeOption(
        "--encoding", transfer::ParseTextEncoding(Value("--encoding", "utf-8")), &file.encoding);
    if (!encoding.ok()) return encoding;
    transfer::TimeUnit unit = transfer::TimeUnit::kSeconds;
    const Status units =
        TakeOption("--at-unit", transfer::ParseTimeUnit(Value("--at-unit", "s")), &unit);
    if (!units.ok()) return units;
    const Status times =
        TakeOption("--tz", transfer::TimeParser::Of(unit, Value("--tz")), &file.rows.times);
    if (!times.ok()) return times;
    request_.file = std::move(file);
    return Ok{};
  }

  Status TakeBoard() {
    request_.board = Value("--board");
    if (Has("--board") && request_.board.empty()) return Err("--board is empty");
    if (request_.file) request_.file->board = request_.board;
    if (request_.redis) request_.redis->board = request_.board;
    if (Has("--rename")) {
      if (request_.file) return Err("--rename is for Redis and for archives");
      if (request_.redis && Has("--board")) return Err("--board and --rename are two names");
      Result<transfer::Rename> rename = transfer::Rename::Parse(Value("--rename"));
      if (!rename.ok()) return rename.error();
      request_.rename = std::move(*rename);
      if (request_.redis) request_.redis->rename = request_.rename;
    }
    if (Has("--spec")) {
      const Result<wire::SpecArguments> spec = wire::ParseSpecLine(Value("--spec"));
      if (!spec.ok()) return Err("--spec: " + spec.error().message);
      if (spec->feed) return Err("--spec: FEED is set with LB.ALTER");
      request_.options.spec = spec->spec;
    }
    if (Has("--period")) request_.options.period = Value("--period");
    return Ok{};
  }

  Status TakeTarget() {
    if (Has("--to") && Has("--data")) return Err("--to and --data are two targets");
    request_.data = Value("--data");
    if (Has("--data")) {
      return request_.data.empty() ? Status(Err("--data is empty")) : Status(Ok{});
    }
    return TakeOption("--to", BoardServer(Value("--to"), arguments_), &request_.server);
  }

  Status TakeChecks() {
    request_.options.dry_run = Has("--dry-run");
    request_.options.force = Has("--force");
    request_.options.verify = Has("--verify");
    request_.replace = Has("--replace");
    request_.options.follow = Has("--follow");
    request_.rejects = Value("--rejects");
    request_.max_rejects = transfer::kDefaultMaxRejects;
    if (Has("--max-rejects")) {
      std::int64_t most = 0;
      if (!base::ParseInteger(Value("--max-rejects"), &most) || most < 0) {
        return Err("--max-rejects takes a number of rows");
      }
      request_.max_rejects = static_cast<std::uint64_t>(most);
    }
    request_.interval_us = kDefaultIntervalUs;
    if (!Has("--interval")) return Ok{};
    const Status interval =
        TakeOption("--interval", base::ParseDuration(Value("--interval")), &request_.interval_us);
    if (!interval.ok() || request_.interval_us >= kLeastIntervalUs) return interval;
    return Err("--interval is at least 100ms");
  }

  Status CheckTogether() {
    if (!Value("--match").empty() && !request_.board.empty()) {
      return Err("--board is one board, and --match may find several: use --rename");
    }
    if (request_.options.follow && (!request_.data.empty() || request_.options.dry_run)) {
      return Err("--follow needs a server to write to");
    }
    if (Has("--interval") && !request_.options.follow) return Err("--interval is for --follow");
    if (!request_.archive.empty() && request_.options.period) {
      return Err("--period is not for --archive: its boards have their instances");
    }
    if (!request_.data.empty() && Has("--token")) return Err("--token is for a server");
    const bool tls = (request_.redis && request_.redis->server.address.tls) ||
                     (request_.data.empty() && request_.server.address.tls);
    if (!tls && (Has("--ca") || Has("--insecure-tls"))) return RefuseTlsOptions();
    if (request_.options.dry_run && request_.options.verify) {
      return Err("--dry-run writes nothing, so there is nothing to --verify");
    }
    return Ok{};
  }

  const ParsedArguments& arguments_;
  transfer::MemberEncoding member_ = transfer::MemberEncoding::kRaw;
  ImportRequest request_;
};

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
    options.server = Stoppable(options.server, signals_);
    options.untimed_at = SystemNow() - kUntimedAgeUs;
    const auto source = transfer::RedisSource::Open(std::move(options));
    if (!source.ok()) return source.error();
    redis_ = source->get();
    return ImportFrom(source->get());
  }

 private:
  Status OpenRejects() {
    if (request_.rejects.empty()) {
      rejects_ = transfer::Rejects(request_.max_rejects);
      return Ok{};
    }
    const std::string& source = request_.file ? request_.file->path : request_.archive;
    std::error_code ignored;
    if (std::filesystem::equivalent(request_.rejects, source, ignored)) {
      return Err("--rejects " + base::Quote(request_.rejects) + " is the source");
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
          transfer::ServerSink::Open(Stoppable(request_.server, signals_), request_.replace);
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

Result<int> Run(const ParsedArguments& arguments, std::ostream& out, std::ostream& err) {
  const Result<ImportRequest> request = Parser(arguments).Run();
  if (!request.ok()) return RefuseUsage(err, "laurel import", request.error().message);
  return ImportRun(*request, out, err).Run();
}

}  // namespace

Command ImportCommand() {
  std::string help = std::string(kHelpBeforeCodecs) + CodecHelp() + std::string(kHelpAfterCodecs);
  return {"import", std::move(help), WithTransferOptions(kOwnOptions), 0, "at most one file", Run,
          1};
}

}  // namespace laurel::cli
