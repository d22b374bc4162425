// What the audit log says about a request, found in the words of its command. RESP and HTTP have
// the same words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/command_table.h"

namespace laurel::server {

inline constexpr std::size_t kMaxAuditedBoards = 100;  // of one request
inline constexpr std::size_t kMaxAuditedBytes = 1024;  // of a name; longer ones are cut off

struct AuditedWrite {
  std::string command;              // "zadd"
  std::vector<std::string> boards;  // the first kMaxAuditedBoards
  std::size_t board_count = 0;
  std::string member;  // the first one, if the request names members
  std::size_t member_count = 0;
  std::string pattern;  // of LB.TEMPLATE
  std::string id;       // the request id; empty: none

  bool operator==(const AuditedWrite&) const = default;
};

// None if the audit log has no line for the request. It has one for a command that needs the role
// write or admin and changes something. LB.SUBMIT and LB.MSUBMIT need the role write if they give
// AT. REQUIRES: the number of arguments fits the command.
std::optional<AuditedWrite> AuditedWriteOf(const wire::CommandInfo& command,
                                           std::span<const std::string_view> arguments);

}  // namespace laurel::server
