#include "server/config/option_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "engine/supported_spec.h"
#include "laurel/limits.h"
#include "server/config/address_range.h"
#include "server/config/toml_text.h"
#include "server/config/web_names.h"
#include "wire/spec_arguments.h"

namespace laurel::server {
namespace {

using base::Quote;

constexpr std::uint64_t kKiB = 1ULL << 10;
constexpr std::uint64_t kMiB = 1ULL << 20;
constexpr std::uint64_t kGiB = 1ULL << 30;

// Checks of text values --------------------------------------------------------------------------

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool IsPath(std::string_view text) { return text.size() < 4096 && !HasControl(text); }
bool IsPathNotEmpty(std::string_view text) { return !text.empty() && IsPath(text); }

bool IsAddress(std::string_view text) { return text == "localhost" || IpAddress::Parse(text); }

// Number options for members of any integer type -------------------------------------------------

template <typename T>
struct Unwrapped {
  using Type = T;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};

template <auto kMember>
NumberValue Number(std::uint64_t min, std::uint64_t max) {
  using Member = std::decay_t<decltype(std::declval<Config&>().*kMember)>;
  return {min, max,
          [](Config* config, std::uint64_t value) {
            config->*kMember = static_cast<typename Unwrapped<Member>::Type>(value);
          },
          [](const Config& config) { return std::optional<std::uint64_t>(config.*kMember); }};
}

// A number that the word "none" unsets. REQUIRES: the member is a std::optional.
template <auto kMember>
NumberValue NumberOrNone(std::uint64_t min, std::uint64_t max) {
  NumberValue value = Number<kMember>(min, max);
  value.unset = [](Config* config) { (config->*kMember).reset(); };
  return value;
}

// Lists of texts ---------------------------------------------------------------------------------

std::string TextOf(const std::string& item) { return item; }
std::string TextOf(const AddressRange& item) { return item.ToString(); }

// kParse makes an item from a text, or returns none if the text is not accepted.
template <auto kMember, auto kParse>
TextsValue Texts(std::string_view expected) {
  return {expected,
          [](Config* config, std::string_view text) {
            auto item = kParse(text);
            if (!item) return false;
            (config->*kMember).push_back(std::move(*item));
            return true;
          },
          [](Config* config) { (config->*kMember).clear(); },
          [](const Config& config) {
            std::vector<std::string> texts;
            for (const auto& item : config.*kMember) texts.push_back(TextOf(item));
            return texts;
          }};
}

// Tokens -----------------------------------------------------------------------------------------

constexpr std::array<ItemKey, 4> kTokenKeys = {{
    {"name", std::nullopt, "admin", "What the log calls it; unique."},
    {"role", std::nullopt, "admin",
     "`read`: reads; `submit`: also LB.SUBMIT and LB.MSUBMIT without AT; `write`: also every other "
     "write of entries; `admin`: everything."},
    {"hash", std::nullopt,
     "sha256:0000000000000000000000000000000000000000000000000000000000000000",
     "The SHA-256 of the token, as `laurel token` prints it. The token itself is stored nowhere."},
    {"boards", "*", "*",
     "A glob pattern of boards' own names: the role holds on those boards and their periods."},
}};

// Splits "name:role:sha256:hex" or "name:role:sha256:hex:boards". The pattern comes last because it
// may contain colons.
Result<std::vector<std::string>> SplitTokenFlag(std::string_view flag) {
  std::vector<std::string> parts;
  std::string_view left = flag;
  for (int i = 0; i < 4; ++i) {
    const std::size_t colon = left.find(':');
    parts.emplace_back(left.substr(0, colon));
    if (colon == std::string_view::npos) {
      left = kTokenKeys[3].default_text.value();
      break;
    }
    left.remove_prefix(colon + 1);
  }
  if (parts.size() != 4) {
    return Err("expected NAME:ROLE:sha256:HASH or NAME:ROLE:sha256:HASH:BOARDS, got " +
               Quote(flag));
  }
  return std::vector<std::string>{parts[0], parts[1], parts[2] + ":" + parts[3], std::string(left)};
}

Status AddToken(Config* config, std::span<const std::string> values) {
  Token token;
  token.name = values[0];
  token.boards = values[3];
  const Result<wire::Role> role = ParseRole(values[1]);
  if (!role.ok()) return role.error();
  token.role = *role;
  const Result<TokenHash> hash = ParseTokenHash(values[2]);
  if (!hash.ok()) return hash.error();
  token.hash = *hash;
  if (Status checked = CheckToken(token); !checked.ok()) return checked;
  if (config->tokens.size() == kMaxTokens) {
    return Err("expected at most " + std::to_string(kMaxTokens) + " tokens");
  }
  for (const Token& other : config->tokens) {
    if (other.name == token.name) return Err("two tokens are called " + Quote(token.name));
    if (other.hash == token.hash) {
      return Err("tokens " + Quote(other.name) + " and " + Quote(token.name) +
                 " have the same hash");
    }
  }
  config->tokens.push_back(std::move(token));
  return Ok{};
}

// Templates --------------------------------------------------------------------------------------

constexpr std::array<ItemKey, 2> kTemplateKeys = {{
    {"pattern", std::nullopt, "rank:*", "A glob pattern of board names."},
    {"spec", "", "FIELDS 1 score:int:desc TIE first",
     "What follows the name in LB.CREATE; empty for one `int` field, best first."},
}};

// Splits "pattern" or "pattern=spec".
Result<std::vector<std::string>> SplitTemplateFlag(std::string_view flag) {
  const std::size_t equals = std::min(flag.find('='), flag.size());
  const auto split = equals == flag.size() ? wire::SpecInPattern(flag) : std::nullopt;
  if (split) {
    return Err(Quote(flag) + " has no '=' in front of its options; did you mean '" +
               std::string(split->pattern) + "=" + std::string(split->spec) + "'?");
  }
  const std::string_view spec = flag.substr(std::min(equals + 1, flag.size()));
  return std::vector<std::string>{std::string(flag.substr(0, equals)), std::string(spec)};
}

Status AddTemplate(Config* config, std::span<const std::string> values) {
  TemplateOption option{values[0], values[1]};
  if (!IsBoardPattern(option.pattern)) {
    return Err(
        "expected a pattern of board names, 1 to 512 bytes without control characters, got " +
        Quote(option.pattern));
  }
  const auto split = option.spec.empty() ? wire::SpecInPattern(option.pattern) : std::nullopt;
  if (split) {
    return Err("pattern " + Quote(option.pattern) + " has options in it; did you mean pattern = " +
               TomlString(split->pattern) + " and spec = " + TomlString(split->spec) + "?");
  }
  const Status usable = wire::CheckTemplatePattern(option.pattern);
  if (!usable.ok()) {
    return Err("pattern " + Quote(option.pattern) + ": " + usable.error().message);
  }
  for (const TemplateOption& other : config->templates) {
    if (other.pattern == option.pattern) {
      return Err("two templates have the pattern " + Quote(option.pattern));
    }
  }
  const Result<wire::SpecArguments> wanted = wire::ParseSpecLine(option.spec);
  const Status supported = wanted.ok() ? engine::CheckSupported(*wanted) : Status(wanted.error());
  if (!supported.ok()) {
    return Err("pattern " + Quote(option.pattern) + ": " + supported.error().message);
  }
  config->templates.push_back(std::move(option));
  return Ok{};
}

// The table --------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 3> kSyncModes = {"always", "everysec", "off"};
constexpr std::array<std::string_view, 4> kLogLevels = {"debug", "info", "warning", "error"};
constexpr std::string_view kExpectedPath =
    "a path of at most 4095 bytes without control characters";

std::vector<Option> NetworkOptions() {
  return {
      {"bind", Section::kNetwork, "ADDRESS", "",
       "The address to listen on. Any other than loopback (127.0.0.0/8, ::1, localhost) needs a "
       "token or --insecure.",
       TextValue{&Config::bind, IsAddress, "an IPv4 or IPv6 address or localhost"}},
      {"port", Section::kNetwork, "PORT", "",
       "The port for Redis clients. 0 picks a free one; the line printed when ready names it.",
       Number<&Config::port>(0, 65'535)},
      {"threads", Section::kNetwork, "COUNT", "",
       "Threads that serve clients. 0 lets the server choose.", Number<&Config::threads>(0, 64)},
      {"max-clients", Section::kNetwork, "COUNT", "",
       "Clients connected at the same time. A further one is told so and closed.",
       Number<&Config::max_clients>(1, 1'000'000)},
      {"idle-timeout", Section::kNetwork, "DURATION", "",
       "A client that sends nothing for so long is closed. 0 means never.",
       DurationValue{&Config::idle_timeout_ms, 1000}},
      {"stall-timeout", Section::kNetwork, "DURATION", "",
       "A client that stops in the middle of a request, or takes nothing of a waiting reply, for "
       "so "
       "long is closed. 0 means never.",
       DurationValue{&Config::stall_timeout_ms, 1000}},
      {"auth-timeout", Section::kNetwork, "DURATION", "",
       "Where there are tokens, a client that presents none of them for so long is closed. 0 means "
       "never.",
       DurationValue{&Config::auth_timeout_ms, 1000}},
      {"drain", Section::kNetwork, "DURATION", "",
       "When the server is told to stop, requests under way may take so long. Clients that are "
       "still connected then are closed.",
       DurationValue{&Config::drain_ms, 1000}},
  };
}

std::vector<Option> HttpOptions() {
  return {
      {"http-port", Section::kHttp, "PORT", "",
       "The port for HTTP. 0 picks a free one; the line printed when ready names it. none turns "
       "HTTP off.",
       NumberOrNone<&Config::http_port>(0, 65'535)},
      {"http-tls-port", Section::kHttp, "PORT", "7681",
       "A second port, for HTTP over TLS; needs tls-cert and tls-key. 0 picks a free one.",
       Number<&Config::http_tls_port>(0, 65'535)},
      {"max-streams", Section::kHttp, "COUNT", "",
       "Streams of server-sent events at the same time. A further one is refused with status 503.",
       Number<&Config::max_streams>(0, 1'000'000)},
      {"max-body", Section::kHttp, "SIZE", "",
       "The largest body of a request. A larger one is refused with status 413. At most "
       "max-buffers.",
       SizeValue{&Config::max_body, kKiB, 64 * kMiB}},
      {"anonymous", Section::kHttp, "read:PATTERN", "\"read:public:*\"",
       "Over HTTP, boards that match the pattern are read without a token. Not set, every request "
       "needs one where there are tokens.",
       TextValue{&Config::anonymous, IsBoardPattern,
                 "read: and a pattern of board names, 1 to 512 bytes without control characters; "
                 "read is the only role that works without a token",
                 "read:"}},
      {"metrics-open", Section::kHttp, "", "",
       "Lets everybody who reaches the port read /metrics. Otherwise it needs a token whose "
       "pattern is '*'.",
       SwitchValue{&Config::metrics_open}},
      {"http-hosts", Section::kHttp, "NAME", "[\"scores.game.example\"]",
       "Host names that clients may use for this server, without ports. IP addresses and "
       "localhost are always accepted. A request for another host is refused, so that no web page "
       "reaches the server through a name of its own.",
       Texts<&Config::http_hosts, ParseHostName>("a host name without a port")},
      {"cors-origins", Section::kHttp, "ORIGIN", "[\"https://game.example\"]",
       "Web pages of these origins may call the server from a browser; '*' means all. Requests "
       "with another origin are refused.",
       Texts<&Config::cors_origins, ParseOrigin>(
           "an origin such as https://game.example or http://127.0.0.1:3000, or '*'")},
      {"trusted-proxies", Section::kHttp, "ADDRESS[/BITS]", "[\"10.0.0.0/8\", \"fd00::1\"]",
       "Addresses or networks of proxies whose header X-Forwarded-For names the client. The "
       "header of others is ignored.",
       Texts<&Config::trusted_proxies, AddressRange::Parse>(
           "an address or a network such as 10.0.0.0/8 or fd00::/8, with no bits set behind the "
           "prefix")},
  };
}

std::vector<Option> AccessOptions() {
  return {
      {"tls-port", Section::kTls, "PORT", "7601",
       "A second port, for Redis clients that speak TLS; needs tls-cert and tls-key. 0 picks a "
       "free one.",
       Number<&Config::tls_port>(0, 65'535)},
      {"tls-cert", Section::kTls, "FILE", "\"server.crt\"",
       "The server's certificate and the chain above it, in PEM. SIGHUP reads the files of TLS "
       "again.",
       TextValue{&Config::tls_cert, IsPath, kExpectedPath}},
      {"tls-key", Section::kTls, "FILE", "\"server.key\"",
       "The private key of the certificate, in PEM.",
       TextValue{&Config::tls_key, IsPath, kExpectedPath}},
      {"tls-ca", Section::kTls, "FILE", "\"clients-ca.crt\"",
       "Clients must show a certificate that one of these authorities has signed, in PEM. Not set, "
       "none is asked for.",
       TextValue{&Config::tls_ca, IsPath, kExpectedPath}},
      {"token", Section::kAccess, "NAME:ROLE:sha256:HASH[:BOARDS]", "",
       "A token that clients may present with AUTH; laurel token makes one. With tokens, a client "
       "without one may do nothing. SIGHUP reads the tokens of the file again.",
       ListValue{kTokenKeys, SplitTokenFlag, AddToken,
                 [](Config* config) { config->tokens.clear(); },
                 [](const Config& a, const Config& b) { return a.tokens == b.tokens; }}},
      {"insecure", Section::kAccess, "", "",
       "Listens on any address without tokens: whoever reaches the port may do everything.",
       SwitchValue{&Config::insecure}},
  };
}

std::vector<Option> DiskOptions() {
  return {
      {"data", Section::kDisk, "DIR", "",
       "The folder that boards are kept in; made if it is not there. One server at a time.",
       TextValue{&Config::data, IsPathNotEmpty, kExpectedPath}},
      {"in-memory", Section::kDisk, "", "",
       "Keeps boards in memory only: no folder is used, and everything is gone when the server "
       "stops.",
       SwitchValue{&Config::in_memory}},
      {"fsync", Section::kDisk, "WHEN", "",
       "When a write is on disk. always: before its reply. everysec: within a second, so a crash "
       "may lose the last one. off: when the operating system likes.",
       ChoiceValue{&Config::fsync, kSyncModes}},
      {"keep-log", Section::kDisk, "SIZE", "",
       "Log that no snapshot needs any more is kept for the change feed, at most so much, and "
       "less if the disk is full. 0 keeps none.",
       SizeValue{&Config::keep_log, kMiB, kGiB << 20, true}},
      {"keep-log-time", Section::kDisk, "DURATION", "", "And at most for so long.",
       DurationValue{&Config::keep_log_us, 1}},
      {"snapshot-log", Section::kDisk, "SIZE", "",
       "A snapshot is taken when the log has grown by so much, and by the size of the last "
       "snapshot. Smaller is quicker to start and more to write.",
       SizeValue{&Config::snapshot_log, kMiB, kGiB << 10}},
      {"log-segment", Section::kDisk, "SIZE", "", "The size of a file of the log.",
       SizeValue{&Config::log_segment, 64 * kKiB, 4 * kGiB}},
      {"disk-reserve", Section::kDisk, "SIZE", "",
       "Room that is kept in the folder for when the disk is full, so that a snapshot can be taken "
       "and removals logged: at least so much, or an eighth of a smaller disk. 0 keeps none.",
       SizeValue{&Config::disk_reserve, kMiB, kGiB << 10, true}},
  };
}

std::vector<Option> BoardOptions() {
  return {
      {"clock-offset", Section::kBoards, "DURATION", "",
       "Sets the server's clock ahead, so that a test sees next week today. INFO and the line "
       "printed when ready say so.",
       DurationValue{&Config::clock_offset_us, 1}},
      {"template", Section::kBoards, "PATTERN[=SPEC]", "",
       "A write that would create a key under a matching name creates a leaderboard of this spec "
       "instead of a sorted set. The longest pattern wins; '*' makes every new key a leaderboard.",
       ListValue{kTemplateKeys, SplitTemplateFlag, AddTemplate,
                 [](Config* config) { config->templates.clear(); },
                 [](const Config& a, const Config& b) { return a.templates == b.templates; }}},
  };
}

std::vector<Option> LimitOptions() {
  return {
      {"max-memory", Section::kLimits, "SIZE", "",
       "Beyond this much memory writes are refused with OOM; reads and removals go on. 0 means no "
       "bound.",
       SizeValue{&Config::max_memory, kMiB, kGiB << 20, true}},
      {"max-work", Section::kLimits, "COUNT", "",
       "Entries or names that one command, or one EXEC, may touch beyond those it returns: ZUNION "
       "and its kin, ZRANGESTORE, ZRANDMEMBER, KEYS, removals on many instances. More are refused "
       "with LIMIT before they begin. 0 means no bound.",
       Number<&Config::max_work>(0, 1'000'000'000'000)},
      {"max-exec-entries", Section::kLimits, "COUNT", "",
       "Entries, buckets, names and members asked for that the reads of one EXEC, or of one POST "
       "/v1/read, may return together. The read that exceeds it and the reads after it are refused "
       "with LIMIT; writes are executed all the same and do not count. 0 means no bound.",
       Number<&Config::max_exec_entries>(0, 1'000'000'000'000)},
      {"max-request", Section::kLimits, "SIZE", "",
       "The largest request of a client. A larger one closes it.",
       SizeValue{&Config::max_request, 64 * kKiB, 4 * kGiB}},
      {"max-reply", Section::kLimits, "SIZE", "",
       "The largest reply to one request. A larger one is refused with LIMIT. At most max-output.",
       SizeValue{&Config::max_reply, 64 * kKiB, 4 * kGiB}},
      {"max-output", Section::kLimits, "SIZE", "",
       "Replies that may wait for one client. A client with more is closed. At most max-buffers.",
       SizeValue{&Config::max_output, 64 * kKiB, 64 * kGiB}},
      {"max-buffers", Section::kLimits, "SIZE", "",
       "Requests and replies of all clients together. Beyond it clients are closed.",
       SizeValue{&Config::max_buffers, kMiB, kGiB << 10}},
  };
}

std::vector<Option> LogOptions() {
  return {
      {"log-file", Section::kLog, "FILE", "\"laurel.log\"",
       "Where the administrative log goes. Not set, to standard error.",
       TextValue{&Config::log_file, IsPath, kExpectedPath}},
      {"log-level", Section::kLog, "LEVEL", "",
       "The least important kind of line that is logged: debug, info, warning or error.",
       ChoiceValue{&Config::log_level, kLogLevels}},
      {"slowlog-slower-than", Section::kLog, "DURATION", "",
       "Commands that take at least this long are kept for SLOWLOG. 0 keeps every command.",
       DurationValue{&Config::slowlog_slower_than_us, 1}},
      {"slowlog-max-len", Section::kLog, "COUNT", "",
       "How many commands SLOWLOG keeps. 0 keeps none.",
       Number<&Config::slowlog_max_len>(0, 100'000)},
      {"access-log", Section::kLog, "FILE", "\"access.log\"",
       "A file that gets a line of JSON for every HTTP request. Not set, there is none.",
       TextValue{&Config::access_log, IsPath, kExpectedPath}},
      {"audit-log", Section::kLog, "FILE", "\"audit.log\"",
       "A file that gets a line of JSON for every command that needs the role write or admin and "
       "changes something, over RESP and HTTP. SIGHUP opens it again. Not set, there is none.",
       TextValue{&Config::audit_log, IsPath, kExpectedPath}},
  };
}

}  // namespace

std::string_view SectionTitle(Section section) {
  static constexpr std::string_view kTitles[] = {"Network", "HTTP",   "TLS",    "Access",
                                                 "Disk",    "Boards", "Limits", "Log"};
  static_assert(std::size(kTitles) == std::size(kSections));
  return kTitles[static_cast<std::size_t>(section)];
}

std::span<const Option> OptionTable() {
  static const std::vector<Option> table = [] {
    std::vector<Option> options;
    for (const auto& part : {NetworkOptions(), HttpOptions(), AccessOptions(), DiskOptions(),
                             BoardOptions(), LimitOptions(), LogOptions()}) {
      options.insert(options.end(), part.begin(), part.end());
    }
    return options;
  }();
  return table;
}

}  // namespace laurel::server
