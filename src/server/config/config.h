// The configuration of `laurel serve`, and the functions that read it from flags and a TOML file.
// One table, option_table.cc, defines the options; flags, file keys, --help, the default file and
// docs/configuration.md are all derived from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"
#include "server/config/address_range.h"
#include "server/config/tokens.h"
#include "wire/limits.h"

namespace laurel::server {

// A name pattern with a spec: a write to a missing key that matches creates a leaderboard.
struct TemplateOption {
  std::string pattern;
  std::string spec;  // the arguments of LB.CREATE after the name; may be empty

  bool operator==(const TemplateOption&) const = default;
};

// The table of options explains each member, under the same name with dashes. The unit of a
// duration is part of the member's name here, but part of the value there.
struct Config {
  std::string bind = "127.0.0.1";
  std::uint16_t port = 7600;  // 0: any free one
  std::uint32_t threads = 0;  // 0: chosen by the server
  std::uint32_t max_clients = 10'000;
  std::int64_t idle_timeout_ms = 0;  // 0: never, also in the members below
  std::int64_t stall_timeout_ms = 60'000;
  std::int64_t auth_timeout_ms = 10'000;
  std::int64_t drain_ms = 5'000;

  std::optional<std::uint16_t> http_port = 7680;  // none: no HTTP; 0: any free one
  std::optional<std::uint16_t> http_tls_port;     // none: no HTTP over TLS; 0: any free one
  std::uint32_t max_streams = 10'000;
  std::uint64_t max_body = 1ULL << 20;  // <= max_buffers
  std::string anonymous;                // a glob pattern of boards; empty: none are public
  bool metrics_open = false;
  std::vector<std::string> http_hosts;    // in lower case
  std::vector<std::string> cors_origins;  // as ParseOrigin returns them
  std::vector<AddressRange> trusted_proxies;

  std::optional<std::uint16_t> tls_port;  // none: no TLS; 0: any free one
  std::string tls_cert;
  std::string tls_key;
  std::string tls_ca;  // empty: no client certificates are asked for

  std::vector<Token> tokens;
  bool insecure = false;

  std::string data = "./laurel-data";
  bool in_memory = false;
  std::string fsync = "always";
  std::uint64_t keep_log = 1024ULL << 20;
  std::uint64_t disk_reserve = 16ULL << 20;
  std::int64_t clock_offset_us = 0;  // how far the engine's clock is ahead of the system's
  std::int64_t keep_log_us = std::int64_t{24} * 3600 * 1'000'000;
  std::uint64_t snapshot_log = 64ULL << 20;
  std::uint64_t log_segment = 64ULL << 20;
  std::vector<TemplateOption> templates;

  std::uint64_t max_memory = 0;                    // 0: no bound
  std::uint64_t max_work = wire::kDefaultMaxWork;  // 0: no bound
  std::uint64_t max_exec_entries = 20'000;         // 0: no bound
  std::uint64_t max_request = 64ULL << 20;         // <= max_buffers
  std::uint64_t max_reply = 256ULL << 20;          // <= max_output
  std::uint64_t max_output = 256ULL << 20;         // <= max_buffers
  std::uint64_t max_buffers = 1024ULL << 20;

  std::string log_file;  // empty: standard error
  std::string log_level = "info";
  std::int64_t slowlog_slower_than_us = 10'000;
  std::uint32_t slowlog_max_len = 128;
  std::string access_log;  // empty: none, also in the members below
  std::string audit_log;

  bool operator==(const Config&) const = default;
};

inline constexpr std::size_t kMaxConfigFileBytes = 1 << 20;

struct ServeOptions {
  Config config;
  bool data_given = false;                 // the file or a flag names a data folder
  std::optional<std::string> config_path;  // of --config
  // Set if --help was given: the text to print before exiting. `config` is not filled then.
  std::optional<std::string> help;
};

// Parses the arguments that follow `laurel serve`: starts from the defaults, then applies the file
// of --config, then the flags. A flag that may be repeated replaces the file's whole list. ERR with
// one line that names the flag or the file's line and column, the value and what is expected.
Result<ServeOptions> ParseServeOptions(std::span<const std::string_view> arguments);

// Reads the text of a configuration file into *config; keys that the text does not set keep their
// values. `path` is for messages.
Status ReadConfigText(std::string_view text, std::string_view path, Config* config);

// ERR if the address to listen on is reached from other machines, and there are neither tokens nor
// --insecure.
Status CheckAccess(const Config& config);

// The names of the options whose values differ, in the order of the table.
std::vector<std::string_view> DifferentOptions(const Config& a, const Config& b);

// True for 127.0.0.0/8, ::1 and localhost.
bool IsLoopback(std::string_view address);

std::string ServeHelp();          // laurel serve --help
std::string DefaultConfigFile();  // laurel config

}  // namespace laurel::server
