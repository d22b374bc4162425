#include "server/config/config.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/nearest.h"
#include "base/text.h"
#include "server/config/option_table.h"

namespace laurel::server {
namespace {

using base::Quote;

std::string FlagName(std::string_view name) { return "--" + std::string(name); }

// Flags ------------------------------------------------------------------------------------------

struct GivenFlags {
  bool help = false;
  std::optional<std::string> config_path;
  std::vector<std::pair<const Option*, std::vector<std::string>>> options;
};

Error UnknownArgument(std::string_view argument) {
  if (!argument.starts_with('-')) return Err("unexpected argument " + Quote(argument));
  const std::string_view flag = argument.substr(0, argument.find('='));
  std::string message = "unknown option " + Quote(flag);
  std::vector<std::string_view> names = {kConfigFlag.name, kHelpFlag.name};
  for (const Option& option : OptionTable()) names.push_back(option.name);
  const std::string_view name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  if (const auto nearest = base::Nearest(name, names)) {
    message += "; did you mean '" + FlagName(*nearest) + "'?";
  }
  return Err(message);
}

// CLI11 takes the value of "--name=" from the next argument, as if there were no '='.
Status RefuseEmptyAssignments(std::span<const std::string_view> arguments) {
  const auto found = std::find_if(arguments.begin(), arguments.end(), [](std::string_view text) {
    return text.starts_with("--") && text.size() > 3 && text.find('=') == text.size() - 1;
  });
  if (found == arguments.end()) return Ok{};
  const std::string flag(found->substr(0, found->size() - 1));
  return Err(flag + ": expected a value behind '='; an empty one is written " + flag + " ''");
}

// Adds a flag that takes one value each time it is given, even a value that looks like a flag. A
// switch may have no value.
CLI::Option* AddFlag(CLI::App& app, std::string_view name, bool is_switch) {
  CLI::Option* flag =
      is_switch ? app.add_flag(FlagName(name)) : app.add_option(FlagName(name))->expected(1);
  // CLI11 must not split values in brackets into lists: [ab] is a glob pattern.
  return flag->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Status RefuseTwice(std::string_view name, std::size_t times) {
  if (times < 2) return Ok{};
  return Err(FlagName(name) + ": is given " + std::to_string(times) + " times; expected once");
}

Result<GivenFlags> ReadFlags(std::span<const std::string_view> arguments) {
  if (const Status checked = RefuseEmptyAssignments(arguments); !checked.ok()) {
    return checked.error();
  }
  CLI::App app;
  app.allow_extras();
  app.set_help_flag();
  const CLI::Option* help = app.add_flag("-h," + FlagName(kHelpFlag.name));
  const CLI::Option* config = AddFlag(app, kConfigFlag.name, false);
  std::vector<std::pair<const Option*, const CLI::Option*>> flags;
  for (const Option& option : OptionTable()) {
    flags.emplace_back(&option, AddFlag(app, option.name, option.IsSwitch()));
  }
  // CLI11 takes the arguments in reverse order.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ArgumentMismatch&) {
    // A flag takes the argument after it, so only the last argument can lack a value.
    return Err(std::string(arguments.back()) + ": expected a value");
  }
  GivenFlags given;
  given.help = help->count() > 0;
  if (given.help) return given;
  if (const auto unknown = app.remaining(); !unknown.empty()) return UnknownArgument(unknown[0]);
  if (const Status once = RefuseTwice(kConfigFlag.name, config->count()); !once.ok()) {
    return once.error();
  }
  if (config->count() > 0) given.config_path = config->results()[0];
  for (const auto& [option, flag] : flags) {
    if (flag->count() == 0) continue;
    const Status once = RefuseTwice(option->name, option->MayBeRepeated() ? 1 : flag->count());
    if (!once.ok()) return once.error();
    given.options.emplace_back(option, flag->results());
  }
  return given;
}

Status ApplyFlags(const GivenFlags& given, Config* config) {
  for (const auto& [option, texts] : given.options) {
    if (option->MayBeRepeated()) ClearOption(*option, config);
    for (const std::string& text : texts) {
      const Status set = SetOption(*option, text, config);
      if (!set.ok()) return Err(FlagName(option->name) + ": " + set.error().message);
    }
  }
  return Ok{};
}

// Reading the file -------------------------------------------------------------------------------

Result<std::string> ReadFile(const std::string& path) {
  const auto failed = [&path] {
    return Err("--config: cannot read " + Quote(path) + ": " + std::strerror(errno));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) return failed();
  std::string text(kMaxConfigFileBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return failed();
  if (text.size() > kMaxConfigFileBytes) {
    return Err("--config: " + Quote(path) + " is larger than 1mb");
  }
  return text;
}

// Checks across options --------------------------------------------------------------------------

Status CheckTls(const Config& config) {
  if (config.tls_cert.empty() != config.tls_key.empty()) {
    return Err(config.tls_cert.empty() ? "tls-key is given without tls-cert; expected both"
                                       : "tls-cert is given without tls-key; expected both");
  }
  if (config.tls_cert.empty() && (config.tls_port || config.http_tls_port)) {
    return Err(std::string(config.tls_port ? "tls-port" : "http-tls-port") +
               " is given without tls-cert and tls-key; expected all three");
  }
  if (config.tls_port || config.http_tls_port) return Ok{};
  if (!config.tls_cert.empty()) {
    return Err("tls-cert and tls-key are given without tls-port or http-tls-port; expected a port");
  }
  if (!config.tls_ca.empty()) {
    return Err("tls-ca is given without tls-cert and tls-key; expected them and a port too");
  }
  return Ok{};
}

Status CheckPorts(const Config& config) {
  const std::array<std::pair<std::string_view, std::optional<std::uint16_t>>, 4> ports = {
      {{"port", config.port},
       {"tls-port", config.tls_port},
       {"http-port", config.http_port},
       {"http-tls-port", config.http_tls_port}}};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto& [name, port] = ports[i];
    if (port.value_or(0) == 0) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (ports[j].second != port) continue;
      return Err(std::string(name) + " and " + std::string(ports[j].first) + " are both " +
                 std::to_string(*port) + "; expected two different ports");
    }
  }
  return Ok{};
}

Status CheckLimits(const Config& config) {
  struct Relation {
    std::string_view less;
    std::uint64_t less_bytes;
    std::string_view more;
    std::uint64_t more_bytes;
  };
  const std::array<Relation, 4> relations = {
      {{"max-reply", config.max_reply, "max-output", config.max_output},
       {"max-output", config.max_output, "max-buffers", config.max_buffers},
       {"max-request", config.max_request, "max-buffers", config.max_buffers},
       {"max-body", config.max_body, "max-buffers", config.max_buffers}}};
  for (const Relation& relation : relations) {
    if (relation.less_bytes <= relation.more_bytes) continue;
    return Err(std::string(relation.less) + " is " + std::to_string(relation.less_bytes) +
               " bytes; expected at most " + std::string(relation.more) + ", which is " +
               std::to_string(relation.more_bytes) + " bytes");
  }
  return Ok{};
}

Result<ServeOptions> Parse(std::span<const std::string_view> arguments) {
  const Result<GivenFlags> given = ReadFlags(arguments);
  if (!given.ok()) return given.error();
  ServeOptions options;
  if (given->help) {
    options.help = ServeHelp();
    return options;
  }
  Config& config = options.config;
  options.config_path = given->config_path;
  if (given->config_path) {
    const Result<std::string> text = ReadFile(*given->config_path);
    if (!text.ok()) return text.error();
    const Status read = ReadConfigText(*text, *given->config_path, &config);
    if (!read.ok()) return read.error();
  }
  options.data_given = config.data != Config().data;
  if (const Status set = ApplyFlags(*given, &config); !set.ok()) return set.error();
  for (const auto& [option, texts] : given->options) {
    if (option->name == "data") options.data_given = true;
  }
  if (options.data_given && config.in_memory) {
    return Err("in-memory and data exclude each other: data in memory is in no folder");
  }
  for (const auto& check : {CheckTls, CheckPorts, CheckLimits, CheckAccess}) {
    if (const Status checked = check(config); !checked.ok()) return checked.error();
  }
  return options;
}

// Puts the message on one line: paths and library texts in it may contain control characters.
Error OneLine(Error error) {
  for (char& c : error.message) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return error;
}

}  // namespace

bool IsLoopback(std::string_view address) {
  const std::string text(address);
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  if (inet_pton(AF_INET6, text.c_str(), &v6) == 1) {
    return std::memcmp(&v6, &in6addr_loopback, sizeof(v6)) == 0;
  }
  return text == "localhost";
}

Status CheckAccess(const Config& config) {
  if (IsLoopback(config.bind) || !config.tokens.empty() || config.insecure) return Ok{};
  return Err(
      "bind: " + Quote(config.bind) +
      " is reached from other machines and there are no tokens; make one with 'laurel token' "
      "and configure it, bind to 127.0.0.1, or say --insecure to let everybody in");
}

std::vector<std::string_view> DifferentOptions(const Config& a, const Config& b) {
  std::vector<std::string_view> names;
  for (const Option& option : OptionTable()) {
    if (!IsSame(option, a, b)) names.push_back(option.name);
  }
  return names;
}

Result<ServeOptions> ParseServeOptions(std::span<const std::string_view> arguments) {
  try {
    Result<ServeOptions> options = Parse(arguments);
    if (!options.ok()) return OneLine(options.error());
    return options;
  } catch (const std::exception& exception) {
    return OneLine(Err(exception.what()));
  }
}

}  // namespace laurel::server
