// Parses and checks the arguments of `laurel import`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "client/redis_connection.h"
#include "laurel/result.h"
#include "transfer/folders/board_names.h"
#include "transfer/import.h"
#include "transfer/sources/file_source.h"
#include "transfer/sources/redis_source.h"

namespace laurel::cli {

struct ImportRequest {
  // The source: one of these three.
  std::optional<transfer::RedisSourceOptions> redis;
  std::optional<transfer::FileSourceOptions> file;
  std::string archive;

  // For an archive: the boards to take.
  std::string match;
  std::string board;
  transfer::Rename rename;

  // The target: one of these two.
  client::ConnectOptions server;
  std::string data;  // empty: writes to the server

  transfer::ImportOptions options;  // without the time
  bool replace = false;
  std::int64_t interval_us = 0;
  std::string rejects;  // path; empty: no reject file
  std::uint64_t max_rejects = 0;
};

// The options of the command.
std::vector<OptionName> ImportOptionNames();

// ERR with the first argument that is wrong, missing, or incompatible with another.
Result<ImportRequest> ParseImportRequest(const ParsedArguments& arguments);

}  // namespace laurel::cli
