#include "cli/transfer_options.h"

#include <cstdlib>

#include "client/redis_url.h"

namespace laurel::cli {
namespace {

// Returns the option names of codecs, such as "--digits". The texts are static.
const std::vector<std::string>& CodecOptionNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const CodecOption& option : CodecOptions())
      made.push_back("--" + std::string(option.name));
    return made;
  }();
  return names;
}

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<client::ConnectOptions> Server(const std::string& address,
                                      const ParsedArguments& arguments) {
  Result<client::ServerAddress> parsed = client::ParseServerAddress(address);
  if (!parsed.ok()) return parsed.error();
  client::ConnectOptions options;
  options.address = std::move(*parsed);
  options.tls.ca_file = arguments.Value("--ca");
  options.tls.verify = !arguments.Has("--insecure-tls");
  return options;
}

}  // namespace

std::vector<OptionName> WithTransferOptions(std::span<const OptionName> own) {
  std::vector<OptionName> all(own.begin(), own.end());
  all.push_back({"--codec", true});
  for (const std::string& name : CodecOptionNames()) all.push_back({name, true});
  all.push_back({"--ca", true});
  all.push_back({"--insecure-tls"});
  return all;
}

std::string CodecHelp() {
  std::string text;
  for (const CodecInfo& codec : Codecs()) {
    text += "  " + std::string(codec.name);
    if (!codec.usage.empty()) text += " " + std::string(codec.usage);
    text += "\n      the score is " + std::string(codec.score) + "\n";
  }
  text += "\n";
  for (const CodecOption& option : CodecOptions()) {
    const std::string name = "--" + std::string(option.name) + " " + std::string(option.value);
    text += "  " + name + std::string(name.size() < 20 ? 20 - name.size() : 1, ' ') +
            std::string(option.help) + "\n";
  }
  return text;
}

Result<Codec> CodecOf(const ParsedArguments& arguments) {
  CodecParameters parameters;
  for (const std::string& name : CodecOptionNames()) {
    if (!arguments.Has(name)) continue;
    const Status set =
        SetCodecParameter(std::string_view(name).substr(2), arguments.Value(name), &parameters);
    if (!set.ok()) return set.error();
  }
  return Codec::Make(arguments.Value("--codec", "plain"), parameters);
}

Status RefuseCodecOptions(const ParsedArguments& arguments, bool may_be_plain) {
  if (arguments.Has("--codec") && !(may_be_plain && arguments.Value("--codec") == "plain")) {
    return Err(std::string("--codec is for sorted sets of Redis") +
               (may_be_plain ? "; for a file it can only be plain" : ""));
  }
  for (const std::string& name : CodecOptionNames()) {
    if (arguments.Has(name)) return Err(name + " is for sorted sets of Redis");
  }
  return Ok{};
}

Error RefuseTlsOptions() {
  return Err("--ca and --insecure-tls are for TLS: use an address with rediss://");
}

Result<client::ConnectOptions> RedisServer(const std::string& address,
                                           const ParsedArguments& arguments) {
  Result<client::ConnectOptions> options = Server(address, arguments);
  if (options.ok() && options->address.password.empty()) {
    options->address.password = FromEnvironment("LAUREL_REDIS_PASSWORD");
  }
  if (options.ok()) options->login_hint = "set LAUREL_REDIS_PASSWORD";
  return options;
}

Result<client::ConnectOptions> BoardServer(const std::string& address,
                                           const ParsedArguments& arguments) {
  Result<client::ConnectOptions> options = Server(address, arguments);
  if (!options.ok()) return options;
  options->login_hint = "set LAUREL_TOKEN to a token of the role admin";
  if (!options->address.password.empty()) {
    if (arguments.Has("--token")) return Err("the address has a password: --token is another");
    return options;
  }
  options->address.password =
      arguments.Has("--token") ? arguments.Value("--token") : FromEnvironment("LAUREL_TOKEN");
  return options;
}

}  // namespace laurel::cli
