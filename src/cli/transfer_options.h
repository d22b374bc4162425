// Options that `laurel import` and `laurel export` share: servers, TLS, codecs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "client/redis_connection.h"
#include "laurel/codecs.h"
#include "laurel/result.h"

namespace laurel::cli {

// Returns the options of codecs ("--digits", …), --ca, --insecure-tls, and `own`.
std::vector<OptionName> WithTransferOptions(std::span<const OptionName> own);

// Returns the lines of a help text that describe the codecs and their parameters.
std::string CodecHelp();

// Returns the codec that --codec names, by default `plain`, with its parameters.
Result<Codec> CodecOf(const ParsedArguments& arguments);
// ERR, naming it, if an option of a codec is given. For work without a codec. With `may_be_plain`,
// --codec plain is accepted.
Status RefuseCodecOptions(const ParsedArguments& arguments, bool may_be_plain = false);

// Takes the value of an option, which a parser has returned. The error names the option.
template <typename T>
Status TakeOption(std::string_view name, Result<T> parsed, T* to) {
  if (!parsed.ok()) return Err(std::string(name) + ": " + parsed.error().message);
  *to = std::move(*parsed);
  return Ok{};
}

// Returns the error for --ca or --insecure-tls without a server that uses TLS.
Error RefuseTlsOptions();

// Parses the address of a server with sorted sets. Its password may come from
// LAUREL_REDIS_PASSWORD.
Result<client::ConnectOptions> RedisServer(const std::string& address,
                                           const ParsedArguments& arguments);
// Parses the address of a server with leaderboards. Its password or token may come from --token or
// LAUREL_TOKEN.
Result<client::ConnectOptions> BoardServer(const std::string& address,
                                           const ParsedArguments& arguments);

}  // namespace laurel::cli
