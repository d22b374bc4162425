// Options that `laurel import` and `laurel export` share: servers, TLS, codecs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "client/redis_connection.h"
#include "laurel/codecs.h"
#include "laurel/result.h"

namespace laurel::cli {

// The options of codecs ("--digits", …), --ca and --insecure-tls, and `own`.
std::vector<OptionName> WithTransferOptions(std::span<const OptionName> own);

// Lines for a help text: the codecs, each with its parameters.
std::string CodecHelp();

// The codec that --codec names, `plain` by default, with its parameters.
Result<Codec> CodecOf(const ParsedArguments& arguments);
// ERR, naming it, if an option of a codec is given. For work without one.
Status RefuseCodecOptions(const ParsedArguments& arguments);

// Of --ca and --insecure-tls without a server that speaks TLS.
Error RefuseTlsOptions();

// A server that holds sorted sets. Its password may come from LAUREL_REDIS_PASSWORD.
Result<client::ConnectOptions> RedisServer(const std::string& address,
                                           const ParsedArguments& arguments);
// A server that holds leaderboards. Its password or token may come from --token or LAUREL_TOKEN.
Result<client::ConnectOptions> BoardServer(const std::string& address,
                                           const ParsedArguments& arguments);

}  // namespace laurel::cli
