#include "cli/import_request.h"

#include <array>
#include <utility>

#include "base/integer.h"
#include "base/text.h"
#include "base/time_text.h"
#include "cli/transfer_options.h"
#include "client/redis_url.h"
#include "transfer/text/csv_reader.h"
#include "transfer/text/limits.h"
#include "wire/spec_arguments.h"

namespace laurel::cli {
namespace {

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
  [[nodiscard]] std::string Value(std::string_view name) const { return arguments_.Value(name); }

  // ERR if one of the options is given, which only `what` accepts.
  Status Refuse(std::span<const std::string_view> names, std::string_view what) {
    for (const std::string_view name : names) {
      if (Has(name)) return Refusal(std::string(name) + " is for " + std::string(what));
    }
    return Ok{};
  }

  Status TakeSource() {
    int sources = Has("--from") + Has("--archive") + static_cast<int>(arguments_.others.size());
    for (const FileOption& option : kFileOptions) sources += Has(option.name);
    if (sources == 0) {
      return Refusal("a source is missing: --from, --csv, --tsv, --jsonl, --archive or a file");
    }
    if (sources > 1) return Refusal("there is more than one source");
    const Status member = TakeOption(
        "--member", transfer::ParseMemberEncoding(Has("--member") ? Value("--member") : "raw"),
        &member_);
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
      return Refusal("--from takes redis://HOST:PORT or rediss://HOST:PORT");
    }
    client::ConnectOptions server;
    const Status taken = TakeOption("--from", RedisServer(Value("--from"), arguments_), &server);
    if (!taken.ok()) return taken;
    if (Has("--key") == Has("--match")) return Refusal("--from needs either --key or --match");
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
    if (Has("--member")) return Refusal("--member is for Redis and for files of rows");
    if (Has("--spec")) return Refusal("--spec is not for --archive: its boards have their specs");
    request_.archive = Value("--archive");
    request_.match = Value("--match");
    return Ok{};
  }

  Status TakeFile() {
    if (Has("--match")) return Refusal("--match is for Redis and for archives");
    transfer::FileSourceOptions file;
    if (!arguments_.others.empty()) {
      file.path = arguments_.others[0];
      const std::optional<FileFormat> format = transfer::FormatOfName(file.path);
      if (!format) {
        return Refusal(base::Quote(file.path) +
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
      return Refusal("--board is missing");
    }
    if (file.format == FileFormat::kTsv && Has("--delimiter")) {
      return Refusal("--delimiter is for --csv");
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
      if (!columns.ok()) return Refusal(columns.error().message);
      file.rows.columns = std::move(*columns);
    }
    const Status encoding =
        TakeOption("--encoding",
                   transfer::ParseTextEncoding(Has("--encoding") ? Value("--encoding") : "utf-8"),
                   &file.encoding);
    if (!encoding.ok()) return encoding;
    transfer::TimeUnit unit = transfer::TimeUnit::kSeconds;
    const Status units = TakeOption(
        "--at-unit", transfer::ParseTimeUnit(Has("--at-unit") ? Value("--at-unit") : "s"), &unit);
    if (!units.ok()) return units;
    const Status times =
        TakeOption("--tz", transfer::TimeParser::Of(unit, Value("--tz")), &file.rows.times);
    if (!times.ok()) return times;
    request_.file = std::move(file);
    return Ok{};
  }

  Status TakeBoard() {
    request_.board = Value("--board");
    if (Has("--board") && request_.board.empty()) return Refusal("--board is empty");
    if (request_.file) request_.file->board = request_.board;
    if (request_.redis) request_.redis->board = request_.board;
    if (Has("--rename")) {
      if (request_.file) return Refusal("--rename is for Redis and for archives");
      if (request_.redis && Has("--board")) return Refusal("--board and --rename are two names");
      Result<transfer::Rename> rename = transfer::Rename::Parse(Value("--rename"));
      if (!rename.ok()) return rename.error();
      request_.rename = std::move(*rename);
      if (request_.redis) request_.redis->rename = request_.rename;
    }
    if (Has("--spec")) {
      const Result<wire::SpecArguments> spec = wire::ParseSpecLine(Value("--spec"));
      if (!spec.ok()) return Refusal("--spec: " + spec.error().message);
      if (spec->feed) return Refusal("--spec: FEED is set with LB.ALTER");
      request_.options.spec = spec->spec;
    }
    if (Has("--period")) request_.options.period = Value("--period");
    return Ok{};
  }

  Status TakeTarget() {
    if (Has("--to") && Has("--data")) return Refusal("--to and --data are two targets");
    request_.data = Value("--data");
    if (Has("--data")) {
      return request_.data.empty() ? Status(Refusal("--data is empty")) : Status(Ok{});
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
        return Refusal("--max-rejects takes a number of rows");
      }
      request_.max_rejects = static_cast<std::uint64_t>(most);
    }
    request_.interval_us = kDefaultIntervalUs;
    if (!Has("--interval")) return Ok{};
    const Status interval =
        TakeOption("--interval", base::ParseDuration(Value("--interval")), &request_.interval_us);
    if (!interval.ok() || request_.interval_us >= kLeastIntervalUs) return interval;
    return Refusal("--interval is at least 100ms");
  }

  Status CheckTogether() {
    if (!Value("--match").empty() && !request_.board.empty()) {
      return Refusal("--board is one board, and --match may find several: use --rename");
    }
    if (request_.options.follow && (!request_.data.empty() || request_.options.dry_run)) {
      return Refusal("--follow needs a server to write to");
    }
    if (Has("--interval") && !request_.options.follow) return Refusal("--interval is for --follow");
    if (!request_.archive.empty() && request_.options.period) {
      return Refusal("--period is not for --archive: its boards have their instances");
    }
    if (!request_.data.empty() && Has("--token")) return Refusal("--token is for a server");
    const bool tls = (request_.redis && request_.redis->server.address.tls) ||
                     (request_.data.empty() && request_.server.address.tls);
    if (!tls && (Has("--ca") || Has("--insecure-tls"))) return RefuseTlsOptions();
    if (request_.options.dry_run && request_.options.verify) {
      return Refusal("--dry-run writes nothing, so there is nothing to --verify");
    }
    return Ok{};
  }

  const ParsedArguments& arguments_;
  transfer::MemberEncoding member_ = transfer::MemberEncoding::kRaw;
  ImportRequest request_;
};

}  // namespace

std::vector<OptionName> ImportOptionNames() { return WithTransferOptions(kOwnOptions); }

Result<ImportRequest> ParseImportRequest(const ParsedArguments& arguments) {
  return Parser(arguments).Run();
}

}  // namespace laurel::cli
