#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/count_text.h"
#include "base/glob.h"
#include "base/integer.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/program_commands.h"
#include "cli/stop_signals.h"
#include "cli/transfer_options.h"
#include "client/redis_url.h"
#include "transfer/export.h"
#include "transfer/folders/loaded_boards.h"
#include "transfer/report/reporter.h"
#include "transfer/server_boards.h"

namespace laurel::cli {
namespace {

constexpr std::string_view kHelpBeforeCodecs =
    R"(usage: laurel export --board NAME [SOURCE] TARGET [OPTION…]

Writes boards of a server, a data folder or an archive into a file, or into a sorted set of
Redis: exactly the state at one moment, while the server serves. A board of a Redis with the
module is read again if it is written to meanwhile; after three readings each entry is as it
was at some moment of the last one, which the export says.

what:
  --board NAME        one board
  --match PATTERN     all boards whose names match, for --format archive and resp
  --period P          one instance of a board with periods: day, day:-1, day:2026-11-15, all.
                      Without it all instances
  --first N, --last N ranks, from 1 on; negative ones count from the end. Hidden entries are
                      left out then

source, one of:
  --from ADDRESS      HOST:PORT of a Laurel server (default 127.0.0.1:7600), or rediss://HOST:PORT
                      for TLS. It takes a backup, for which there must be room in TMPDIR or /tmp.
                      Or a redis:// URL of a Redis or Valkey with the module
  --data DIR          a data folder that no server uses
  --archive PATH      a .laurel archive or a backup
  --token TOKEN       access to the server, with the role admin for all boards; better: set
                      LAUREL_TOKEN
  --ca FILE, --insecure-tls   as for laurel import

target, one of:
  --format csv        a table with rank, member, scores, reached, meta
  --format jsonl      one JSON object a line, the first one with name and spec. laurel import
                      makes an equal board of it
  --format archive    a .laurel file, or a folder: spec, entries, stamps, meta, hidden marks and
                      instances, without request ids. For laurel import and laurel restore
  --format resp       commands for redis-cli --pipe, into Laurel or Redis with the module
  --output FILE       the file; - is standard output (default, except for archive)
  --to URL            a Redis or Valkey, redis://[USER[:PASSWORD]@]HOST[:PORT][/DB] or rediss://;
                      LAUREL_REDIS_PASSWORD may hold the password
  --key KEY           the sorted set there. Other members of it stay
  --codec NAME        how it holds value and time: below (default plain)
  --lossy             leave out entries that the codec cannot hold, and move times into its range,
                      instead of writing nothing

codecs of sorted sets:
)";

constexpr std::string_view kHelpAfterCodecs = R"(
examples:
  laurel export --board lb --format csv > lb.csv
  laurel export --board lb --to redis://127.0.0.1:6379 --key lb --codec scaled-time

exit code: 0, 1 if it failed, 2 wrong arguments, 3 done, but --lossy has left something out, or a
board was written to all the time
)";

constexpr OptionName kOwnOptions[] = {
    {"--board", true}, {"--match", true},  {"--period", true}, {"--first", true},
    {"--last", true},  {"--from", true},   {"--data", true},   {"--archive", true},
    {"--token", true}, {"--format", true}, {"--output", true}, {"--to", true},
    {"--key", true},   {"--lossy"},
};

struct ExportRequest {
  std::string board;
  std::string match;
  transfer::RowChoice choice;
  std::optional<client::ConnectOptions> server;  // none: reads `path`
  std::string path;
  std::optional<transfer::RowFormat> rows;  // none: writes an archive, or to `redis`
  std::string output;
  std::optional<client::ConnectOptions> redis;
  std::optional<transfer::ZsetSinkOptions> zset;  // of `redis`
};

Status TakeRank(const ParsedArguments& arguments, std::string_view name,
                std::optional<std::int64_t>* rank) {
  if (!arguments.Has(name)) return Ok{};
  std::int64_t number = 0;
  if (!base::ParseInteger(arguments.Value(name), &number) || number == 0) {
    return Err(std::string(name) + " takes a rank: 1, 2, … or, from the end, -1, -2, …");
  }
  *rank = number;
  return Ok{};
}

Status TakeBoards(const ParsedArguments& arguments, ExportRequest* request) {
  if (arguments.Has("--board") == arguments.Has("--match")) {
    return Err("either --board or --match says what to export");
  }
  request->board = arguments.Value("--board");
  request->match = arguments.Value("--match");
  if (request->board.empty() && request->match.empty()) return Err("the name is empty");
  const std::string format = arguments.Value("--format");
  if (!request->match.empty() && (format == "csv" || format == "jsonl")) {
    return Err("a file of rows holds one board: use --board, or --format archive or resp");
  }
  if (request->match.size() > base::kMaxGlobBytes) return Err("--match is too long");
  if (arguments.Has("--period")) request->choice.period = arguments.Value("--period");
  if (const Status taken = TakeRank(arguments, "--first", &request->choice.first); !taken.ok()) {
    return taken;
  }
  return TakeRank(arguments, "--last", &request->choice.last);
}

Status TakeSource(const ParsedArguments& arguments, ExportRequest* request) {
  const int sources =
      arguments.Has("--from") + arguments.Has("--data") + arguments.Has("--archive");
  if (sources > 1) return Err("--from, --data and --archive are different sources");
  request->path =
      arguments.Has("--data") ? arguments.Value("--data") : arguments.Value("--archive");
  if (arguments.Has("--data") || arguments.Has("--archive")) {
    return request->path.empty() ? Status(Err("the path is empty")) : Status(Ok{});
  }
  request->server.emplace();
  return TakeOption("--from", BoardServer(arguments.Value("--from"), arguments), &*request->server);
}

Status TakeRedis(const ParsedArguments& arguments, ExportRequest* request) {
  if (arguments.Has("--output")) return Err("--output is for --format");
  if (!arguments.Has("--key")) return Err("--to needs --key");
  if (!request->match.empty()) return Err("--to takes one board: use --board");
  if (!client::IsRedisUrl(arguments.Value("--to"))) {
    return Err("--to takes redis://HOST:PORT or rediss://HOST:PORT");
  }
  request->redis.emplace();
  const Status redis =
      TakeOption("--to", RedisServer(arguments.Value("--to"), arguments), &*request->redis);
  if (!redis.ok()) return redis;
  Result<Codec> codec = CodecOf(arguments);
  if (!codec.ok()) return codec.error();
  if (!codec->info().encodes) {
    return Err(std::string(codec->name()) + " is for laurel import only");
  }
  request->zset = {arguments.Value("--key"), std::move(*codec), arguments.Has("--lossy")};
  return Ok{};
}

Status TakeTarget(const ParsedArguments& arguments, ExportRequest* request) {
  if (arguments.Has("--to") == arguments.Has("--format")) {
    return Err("either --format or --to says where to export to");
  }
  if (arguments.Has("--to")) return TakeRedis(arguments, request);
  if (const Status none = RefuseCodecOptions(arguments); !none.ok()) return none;
  for (const std::string_view name : {"--key", "--lossy"}) {
    if (arguments.Has(name)) return Err(std::string(name) + " is for --to");
  }
  const std::string format = arguments.Value("--format");
  request->output = arguments.Value("--output", "-");
  if (request->output.empty()) return Err("--output is empty");
  if (format == "archive") {
    if (request->output == "-") return Err("--format archive needs --output FILE.laurel");
    if (request->choice.period || request->choice.has_ranks()) {
      return Err("--format archive holds whole boards, no --period and no ranks");
    }
    return Ok{};
  }
  if (format == "csv") request->rows = transfer::RowFormat::kCsv;
  if (format == "jsonl") request->rows = transfer::RowFormat::kJsonl;
  if (format == "resp") request->rows = transfer::RowFormat::kResp;
  if (request->rows) return Ok{};
  return Err("--format " + base::Quote(format) + " is none of csv, jsonl, archive and resp");
}

Result<ExportRequest> ParseExportRequest(const ParsedArguments& arguments) {
  ExportRequest request;
  for (const auto take : {&TakeBoards, &TakeSource, &TakeTarget}) {
    if (const Status taken = take(arguments, &request); !taken.ok()) return taken.error();
  }
  if (!request.server && arguments.Has("--token")) return Err("--token is for a server");
  const bool tls = (request.server && request.server->address.tls) ||
                   (request.redis && request.redis->address.tls);
  if (!tls && (arguments.Has("--ca") || arguments.Has("--insecure-tls"))) return RefuseTlsOptions();
  return request;
}

class ExportRun {
 public:
  // Reports go to `err` if the file is written to standard output.
  ExportRun(const ExportRequest& request, std::ostream& out, std::ostream& err)
      : request_(request),
        signals_(StopSignals::First::kAtOnce),
        reporter_(request.output == "-" ? err : out, err, signals_.now()) {}

  Result<int> Run() {
    const Result<transfer::LoadedBoards> loaded = Load();
    reporter_.End();
    if (!loaded.ok()) return loaded.error();
    for (const std::string& warning : loaded->warnings()) reporter_.Say("warning: " + warning);
    const Result<std::vector<const engine::NamedBoard*>> boards = Choose(*loaded);
    if (!boards.ok()) return boards.error();
    const Result<int> code = request_.redis  ? ToRedis(**boards->begin())
                             : request_.rows ? ToRows(*boards)
                                             : ToArchive(*loaded, *boards);
    if (!code.ok() || changed_.empty()) return code;
    for (const std::string& board : changed_) {
      reporter_.Say(base::Quote(board) + " was written to during each of " +
                    std::to_string(transfer::kWalkAttempts) + " readings: the export has each " +
                    "entry as it was at some moment of the last one");
    }
    return kExitPartly;
  }

 private:
  storage::ProgressCallback Show(std::string work) {
    return
        [this, work = std::move(work), show = reporter_.Callback()](const storage::Progress& at) {
          if (work != shown_) reporter_.Begin(work, transfer::ProgressUnit::kBytes);
          shown_ = work;
          return show(at);
        };
  }

  Result<transfer::LoadedBoards> Load() {
    if (!request_.server) return transfer::LoadedBoards::Open(request_.path, Show("loading"));
    Result<client::PatientConnection> server =
        client::PatientConnection::Open(Stoppable(*request_.server, signals_));
    if (!server.ok()) return server.error();
    Result<transfer::ServerBoards> loaded =
        transfer::LoadServer(&*server, request_.board, request_.match,
                             [this](std::string work) { return Show(std::move(work)); });
    if (!loaded.ok()) return loaded.error();
    changed_ = std::move(loaded->changed);
    return std::move(loaded->boards);
  }

  Result<std::vector<const engine::NamedBoard*>> Choose(const transfer::LoadedBoards& loaded) {
    std::vector<const engine::NamedBoard*> boards = loaded.Choose(request_.board, request_.match);
    if (!boards.empty()) return boards;
    return Err(request_.match.empty() ? "there is no board " + base::Quote(request_.board)
                                      : "no board matches " + base::Quote(request_.match));
  }

  [[nodiscard]] transfer::RowChoice Choice() const {
    transfer::RowChoice choice = request_.choice;
    choice.now = SystemNow();
    return choice;
  }

  Result<int> ToRows(const std::vector<const engine::NamedBoard*>& boards) {
    transfer::RowExport wanted;
    wanted.format = *request_.rows;
    wanted.path = request_.output;
    wanted.choice = Choice();
    const Result<std::uint64_t> rows = transfer::ExportRows(boards, wanted, &reporter_);
    if (!rows.ok()) return rows.error();
    if (request_.output != "-") {
      reporter_.Say(base::Counted(*rows, "row", "rows") + " in " + request_.output);
    }
    return kExitOk;
  }

  Result<int> ToArchive(const transfer::LoadedBoards& loaded,
                        const std::vector<const engine::NamedBoard*>& boards) {
    transfer::ArchiveOptions options;
    options.path = request_.output;
    options.last_stamp = loaded.last_stamp();
    options.taken_us = SystemNow();
    reporter_.Begin("writing", transfer::ProgressUnit::kRows);
    options.progress = [this](std::uint64_t done) { reporter_.Progress(done, 0); };
    const Result<storage::Manifest> written = transfer::WriteArchive(boards, options);
    reporter_.End();
    if (!written.ok()) return written.error();
    reporter_.Say(base::Counted(boards.size(), "board", "boards") + " in " + request_.output);
    return kExitOk;
  }

  Result<int> ToRedis(const engine::NamedBoard& board) {
    Result<client::PatientConnection> server =
        client::PatientConnection::Open(Stoppable(*request_.redis, signals_));
    if (!server.ok()) return server.error();
    const Result<transfer::ZsetReport> report =
        transfer::ExportZset(board, Choice(), *request_.zset, &*server, &reporter_);
    if (!report.ok()) return report.error();
    reporter_.Say(base::Counted(report->written, "entry", "entries") + " written to " +
                  base::Quote(request_.zset->key) + " of " + server->address());
    if (report->removed > 0) {
      reporter_.Say(base::Counted(report->removed, "older member was", "older members were") +
                    " removed");
    }
    if (report->reordered > 0) {
      reporter_.Say(base::Counted(report->reordered, "entry changes", "entries change") +
                    " places: Redis puts equal scores in the order of their members");
    }
    if (report->left_out + report->moved == 0) return kExitOk;
    reporter_.Say(base::Counted(report->left_out, "entry was", "entries were") + " left out, " +
                  base::Counted(report->moved, "time was", "times were") + " moved");
    return kExitPartly;
  }

  const ExportRequest& request_;
  StopSignals signals_;
  transfer::Reporter reporter_;
  std::string shown_;
  std::vector<std::string> changed_;  // boards that were written to while they were read
};

Result<int> Run(const ParsedArguments& arguments, std::ostream& out, std::ostream& err) {
  const Result<ExportRequest> request = ParseExportRequest(arguments);
  if (!request.ok()) return RefuseUsage(err, "laurel export", request.error().message);
  return ExportRun(*request, out, err).Run();
}

}  // namespace

Command ExportCommand() {
  std::string help = std::string(kHelpBeforeCodecs) + CodecHelp() + std::string(kHelpAfterCodecs);
  return {"export",
          std::move(help),
          WithTransferOptions(kOwnOptions),
          0,
          "no arguments besides options",
          Run};
}

}  // namespace laurel::cli
