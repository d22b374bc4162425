// Derives the audit log's entry from the words of a command, which RESP and HTTP share.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/command_table.h"

namespace laurel::server {

inline constexpr std::size_t kMaxAuditedBoards = 100;  // per request
inline constexpr std::size_t kMaxAuditedBytes = 1024;  // per name; longer names are cut off

struct AuditedWrite {
  std::string command;              // "zadd"
  std::vector<std::string> boards;  // the first kMaxAuditedBoards
  std::size_t board_count = 0;
  std::string member;  // the first one, if the request names members
  std::size_t member_count = 0;
  std::string pattern;  // the pattern of LB.TEMPLATE
  std::string id;       // the request id; empty: none

  bool operator==(const AuditedWrite&) const = default;
};

// Returns none if the request is not audited. Audited are commands that need the role write or
// admin and change something. LB.SUBMIT and LB.MSUBMIT need the role write if they have AT.
// REQUIRES: the number of arguments fits the command.
std::optional<AuditedWrite> AuditedWriteOf(const wire::CommandInfo& command,
                                           std::span<const std::string_view> arguments);

}  // namespace laurel::server
