// The arguments of `laurel import`, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "client/redis_connection.h"
#include "laurel/codecs.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "transfer/board_names.h"
#include "transfer/file_source.h"

namespace laurel::cli {

struct ImportRequest {
  // The source, one of the three.
  std::optional<client::ConnectOptions> redis;
  std::optional<transfer::FileSourceOptions> file;
  std::string archive;

  std::string key;    // of Redis
  std::string match;  // of Redis and archives
  std::string board;
  transfer::Rename rename;
  std::optional<Codec> codec;  // of Redis
  bool codec_given = false;    // --codec names it
  transfer::MemberEncoding member = transfer::MemberEncoding::kRaw;

  // The target, one of the two.
  client::ConnectOptions server;
  std::string data;  // empty: the server

  std::optional<Spec> spec;
  std::optional<std::string> period;
  bool dry_run = false;
  bool force = false;
  bool verify = false;
  bool replace = false;
  bool follow = false;
  std::int64_t interval_us = 0;
  std::string rejects;  // path; empty: none
  std::uint64_t max_rejects = 0;
};

// The options of the command.
std::vector<OptionName> ImportOptionNames();

// ERR about the first thing that is wrong or missing, or that does not go together.
Result<ImportRequest> ParseImportRequest(const ParsedArguments& arguments);

}  // namespace laurel::cli
