#include "server/logs/audited_write.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/integer.h"
#include "base/text.h"
#include "base/utf8.h"

namespace laurel::server {
namespace {

using base::IsWord;
using wire::CommandId;
using Arguments = std::span<const std::string_view>;

// The options of a write that the audit log records.
struct WriteOptions {
  bool has_time = false;  // AT
  std::string_view id;

  void Take(std::string_view word, std::string_view value) {
    if (IsWord(word, "AT")) has_time = true;
    if (IsWord(word, "ID")) id = value;
  }
};

// LB.SUBMIT, LB.SET and LB.INCR: board member value… option…. A value is a number, so the first
// other word is an option.
WriteOptions OptionsOfOne(Arguments arguments) {
  constexpr std::size_t kFirstOption = 4;
  WriteOptions options;
  for (std::size_t i = kFirstOption; i + 1 < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (!IsWord(word, "AT") && !IsWord(word, "ID") && !IsWord(word, "META")) continue;
    options.Take(word, arguments[++i]);
  }
  return options;
}

// LB.MSUBMIT: board n (member value…)×n option…. Each of the n groups has the same size, at least
// 2, so that a member called AT is not taken for an option.
WriteOptions OptionsOfMany(Arguments arguments) {
  constexpr std::size_t kFirstMember = 3;
  std::int64_t count = 0;
  if (!base::ParseInteger(arguments[2], &count) || count < 1) return {};
  const auto groups = static_cast<std::uint64_t>(count);
  WriteOptions options;
  std::size_t end = arguments.size();
  while (end >= kFirstMember + 2 && (end - 2 - kFirstMember) / groups >= 2 &&
         (IsWord(arguments[end - 2], "AT") || IsWord(arguments[end - 2], "ID"))) {
    options.Take(arguments[end - 2], arguments[end - 1]);
    end -= 2;
  }
  return options;
}

WriteOptions OptionsOf(const wire::CommandInfo& command, Arguments arguments) {
  switch (command.id) {
    case CommandId::kLbSubmit:
    case CommandId::kLbSet:
    case CommandId::kLbIncr:
      return OptionsOfOne(arguments);
    case CommandId::kLbMSubmit:
      return OptionsOfMany(arguments);
    default:
      return {};
  }
}

bool IsAudited(const wire::CommandInfo& command, Arguments arguments, const WriteOptions& options) {
  switch (command.id) {
    case CommandId::kLbLoad:  // the step that names the board
      return IsWord(arguments[2], "COMMIT");
    case CommandId::kConfigSet:
    case CommandId::kClientKill:
    case CommandId::kShutdown:
      return true;
    default:
      return command.Has(wire::kWrite) && (command.role >= wire::Role::kWrite || options.has_time);
  }
}

// The members that a request names.
struct Members {
  std::size_t first = 0;  // index of the first one
  std::size_t count = 0;
};

constexpr std::string_view kZAddOptions[] = {"NX", "XX", "GT", "LT", "CH", "INCR"};

// ZADD: key option… (score member)…
Members MembersOfZAdd(Arguments arguments) {
  std::size_t first_score = 2;
  const auto is_option = [](std::string_view word) {
    return std::any_of(std::begin(kZAddOptions), std::end(kZAddOptions),
                       [word](std::string_view option) { return IsWord(word, option); });
  };
  while (first_score < arguments.size() && is_option(arguments[first_score])) ++first_score;
  if (first_score + 1 >= arguments.size()) return {};
  return {first_score + 1, (arguments.size() - first_score) / 2};
}

Members MembersOf(const wire::CommandInfo& command, Arguments arguments) {
  switch (command.id) {
    case CommandId::kLbSubmit:
    case CommandId::kLbSet:
    case CommandId::kLbIncr:
    case CommandId::kLbMeta:
      return {2, 1};
    case CommandId::kZIncrBy:
      return {3, 1};
    case CommandId::kLbRemove:
    case CommandId::kLbHide:
    case CommandId::kLbShow:
    case CommandId::kZRem:
      return {2, arguments.size() - 2};
    case CommandId::kZAdd:
      return MembersOfZAdd(arguments);
    case CommandId::kLbMSubmit: {
      std::int64_t count = 0;
      if (!base::ParseInteger(arguments[2], &count) || count < 1) return {};
      return {3, static_cast<std::size_t>(count)};
    }
    default:
      return {};
  }
}

// Returns the text cut off at kMaxAuditedBytes, and between two characters if it is UTF-8.
std::string Cut(std::string_view text) {
  if (text.size() <= kMaxAuditedBytes) return std::string(text);
  const std::string_view head = text.substr(0, kMaxAuditedBytes);
  return std::string(base::IsUtf8(text) ? head.substr(0, base::Utf8PrefixBytes(head)) : head);
}

}  // namespace

std::optional<AuditedWrite> AuditedWriteOf(const wire::CommandInfo& command,
                                           std::span<const std::string_view> arguments) {
  const WriteOptions options = OptionsOf(command, arguments);
  if (!IsAudited(command, arguments, options)) return std::nullopt;
  AuditedWrite write;
  write.command = wire::LowerName(command);
  std::vector<std::string_view> keys;
  wire::KeysOf(command, arguments, &keys);
  write.board_count = keys.size();
  keys.resize(std::min(keys.size(), kMaxAuditedBoards));
  for (const std::string_view key : keys) write.boards.push_back(Cut(key));
  const Members members = MembersOf(command, arguments);
  write.member_count = members.count;
  if (members.count > 0) write.member = Cut(arguments[members.first]);
  if (command.id == CommandId::kLbTemplateSet || command.id == CommandId::kLbTemplateDel) {
    write.pattern = Cut(arguments[2]);
  }
  write.id = Cut(options.id);
  return write;
}

}  // namespace laurel::server
