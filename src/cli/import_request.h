// Parses and checks the arguments of `laurel import`.
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
#include "transfer/folders/board_names.h"
#include "transfer/sources/file_source.h"

namespace laurel::cli {

struct ImportRequest {
  // The source: one of these three.
  std::optional<client::ConnectOptions> redis;
  std::optional<transfer::FileSourceOptions> file;
  std::string archive;

  std::string key;    // for Redis
  std::string match;  // for Redis and archives
  std::string board;
  transfer::Rename rename;
  std::optional<Codec> codec;  // for Redis
  bool codec_given = false;    // --codec names it
  transfer::MemberEncoding member = transfer::MemberEncoding::kRaw;

  // The target: one of these two.
  client::ConnectOptions server;
  std::string data;  // empty: writes to the server

  std::optional<Spec> spec;
  std::optional<std::string> period;
  bool dry_run = false;
  bool force = false;
  bool verify = false;
  bool replace = false;
  bool follow = false;
  std::int64_t interval_us = 0;
  std::string rejects;  // path; empty: no reject file
  std::uint64_t max_rejects = 0;
};

// The options of the command.
std::vector<OptionName> ImportOptionNames();

// ERR with the first argument that is wrong, missing, or incompatible with another.
Result<ImportRequest> ParseImportRequest(const ParsedArguments& arguments);

}  // namespace laurel::cli
