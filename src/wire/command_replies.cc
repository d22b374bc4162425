#include "wire/command_replies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/glob.h"
#include "base/text.h"
#include "wire/command_syntax.h"
#include "wire/command_table.h"
#include "wire/error_texts.h"

namespace laurel::wire {
namespace {

using Arguments = std::span<const std::string_view>;
using Names = std::vector<std::string_view>;
using Commands = std::vector<const CommandInfo*>;

// The version of Laurel that introduced the commands.
constexpr std::string_view kSince = "0.1.0";

// CLUSTER|OTHER stands for many subcommands, so it is not a name.
bool IsListed(const CommandInfo& command) { return command.id != CommandId::kClusterOther; }

Commands Listed(std::span<const CommandInfo> rows) {
  Commands listed;
  for (const CommandInfo& row : rows) {
    if (IsListed(row)) listed.push_back(&row);
  }
  return listed;
}

Commands WithoutSubcommands() {
  Commands commands = Listed(CommandTable());
  std::erase_if(commands, [](const CommandInfo* row) { return IsSubcommand(*row); });
  return commands;
}

// Finds a command by a name such as "get" or "client|setname"; null if there is none.
const CommandInfo* FindByFullName(std::string_view name) {
  const std::size_t bar = name.find('|');
  const CommandInfo* command = FindCommand(name.substr(0, bar));
  if (bar == std::string_view::npos || command == nullptr) return command;
  if (!command->Has(kContainer)) return nullptr;
  const CommandInfo* subcommand = FindSubcommand(*command, name.substr(bar + 1));
  return subcommand != nullptr && IsListed(*subcommand) ? subcommand : nullptr;
}

void WriteNameSet(const Names& names, std::string_view prefix, Reply* reply) {
  reply->Set(names.size());
  for (const std::string_view name : names) reply->Simple(std::string(prefix).append(name));
}

// COMMAND INFO ---------------------------------------------------------------------------------

void WriteKeyPlace(const KeyPlace& place, Reply* reply) {
  const auto header = [reply](std::string_view name, std::string_view type, std::size_t fields) {
    reply->Bulk(name);
    reply->Map(2);
    reply->Pair("type", type);
    reply->Bulk("spec");
    reply->Map(fields);
  };
  reply->Map(3);
  reply->Bulk("flags");
  WriteNameSet(place.flags, "", reply);
  header("begin_search", "index", 1);
  reply->Pair("index", place.begin);
  header("find_keys", place.counted ? "keynum" : "range", 3);
  if (place.counted) {
    reply->Pair("keynumidx", 0);
    reply->Pair("firstkey", 1);
    reply->Pair("keystep", place.step);
  } else {
    reply->Pair("lastkey", place.last);
    reply->Pair("keystep", place.step);
    reply->Pair("limit", 0);
  }
}

void WriteInfo(const CommandInfo& command, Reply* reply) {
  reply->Array(10);
  reply->Bulk(LowerName(command));
  reply->Integer(command.arity);
  WriteNameSet(FlagNames(command), "", reply);
  reply->Integer(command.keys.first);
  reply->Integer(command.keys.last);
  reply->Integer(command.keys.step);
  WriteNameSet(CategoryNames(command), "@", reply);
  reply->Set(0);  // no hints for cluster proxies
  const std::vector<KeyPlace> places = KeyPlaces(command);
  reply->Set(places.size());
  for (const KeyPlace& place : places) WriteKeyPlace(place, reply);
  if (!command.Has(kContainer)) return reply->Set(0);
  const Commands subcommands = Listed(SubcommandsOf(command));
  reply->Array(subcommands.size());
  for (const CommandInfo* subcommand : subcommands) WriteInfo(*subcommand, reply);
}

void WriteInfos(const Commands& commands, Reply* reply) {
  reply->Array(commands.size());
  for (const CommandInfo* command : commands) {
    command == nullptr ? reply->Null() : WriteInfo(*command, reply);
  }
}

// COMMAND DOCS ---------------------------------------------------------------------------------

// *keys counts the key arguments so far; it is the index into the key specs of COMMAND INFO.
void WriteSyntax(const std::vector<SyntaxNode>& nodes, std::int64_t* keys, Reply* reply) {
  reply->Array(nodes.size());
  for (const SyntaxNode& node : nodes) {
    const bool is_key = node.type == SyntaxNode::Type::kKey;
    const bool has_flags = node.optional || node.multiple;
    const bool has_token = !node.token.empty();
    const bool has_arguments = !node.arguments.empty();
    reply->Map(2U + (is_key ? 1 : 0) + (has_token ? 1 : 0) + (has_flags ? 1 : 0) +
               (has_arguments ? 1 : 0));
    reply->Pair("name", node.name);
    reply->Pair("type", TypeName(node.type));
    if (is_key) {
      reply->Pair("key_spec_index", (*keys)++);
    }
    if (has_token) reply->Pair("token", node.token);
    if (has_flags) {
      reply->Bulk("flags");
      reply->Set((node.optional ? 1U : 0U) + (node.multiple ? 1U : 0U));
      if (node.optional) reply->Simple("optional");
      if (node.multiple) reply->Simple("multiple");
    }
    if (has_arguments) {
      reply->Bulk("arguments");
      WriteSyntax(node.arguments, keys, reply);
    }
  }
}

void WriteDocs(const Commands& commands, Reply* reply) {
  reply->Map(commands.size());
  for (const CommandInfo* command : commands) {
    const bool container = command->Has(kContainer);
    const bool has_arguments = !container && !command->syntax.empty();
    reply->Bulk(LowerName(*command));
    reply->Map(4U + (has_arguments ? 1 : 0) + (container ? 1 : 0));
    reply->Pair("summary", command->summary);
    reply->Pair("since", kSince);
    reply->Pair("group", GroupName(command->group));
    reply->Pair("complexity", command->complexity);
    if (has_arguments) {
      reply->Bulk("arguments");
      std::int64_t keys = 0;
      WriteSyntax(ParseSyntax(command->syntax), &keys, reply);
    }
    if (container) {
      reply->Bulk("subcommands");
      WriteDocs(Listed(SubcommandsOf(*command)), reply);
    }
  }
}

// COMMAND INFO and COMMAND DOCS. Without names: all commands. INFO answers nil for an unknown name,
// DOCS omits it.
void WriteNamed(const CommandInfo& command, Arguments names, Reply* reply) {
  if (names.size() > kMaxCommandNames) {
    return reply->Error("LIMIT at most " + std::to_string(kMaxCommandNames) + " names at once");
  }
  Commands commands = names.empty() ? WithoutSubcommands() : Commands();
  for (const std::string_view name : names) commands.push_back(FindByFullName(name));
  if (command.id == CommandId::kCommandInfo) return WriteInfos(commands, reply);
  std::erase(commands, nullptr);
  WriteDocs(commands, reply);
}

// Other subcommands ----------------------------------------------------------------------------

// Handles COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern].
void WriteList(Arguments arguments, Reply* reply) {
  Commands commands = Listed(CommandTable());
  if (arguments.size() > 2) {
    if (arguments.size() != 5 || base::Lower(arguments[2]) != "filterby") {
      return reply->Error("ERR syntax error");
    }
    const std::string filter = base::Lower(arguments[3]);
    const std::string value = base::Lower(arguments[4]);
    if (filter == "module") {
      commands.clear();
    } else if (filter == "aclcat") {
      std::erase_if(commands, [&value](const CommandInfo* command) {
        const Names categories = CategoryNames(*command);
        return std::find(categories.begin(), categories.end(), value) == categories.end();
      });
    } else if (filter == "pattern") {
      if (value.size() > base::kMaxGlobBytes) {
        return reply->Error({ErrorCode::kLimit, std::string(kPatternTooLong)});
      }
      const base::Glob pattern(value);
      std::erase_if(commands, [&pattern](const CommandInfo* command) {
        return !pattern.Matches(LowerName(*command));
      });
    } else {
      return reply->Error("ERR syntax error");
    }
  }
  reply->Array(commands.size());
  for (const CommandInfo* command : commands) reply->Bulk(LowerName(*command));
}

// Handles COMMAND GETKEYS. `request`: the words after it.
void WriteKeys(Arguments request, Reply* reply) {
  const CommandInfo* command = FindCommand(request[0]);
  if (command != nullptr && command->Has(kContainer) && request.size() > 1) {
    command = FindSubcommand(*command, request[1]);
  }
  if (command == nullptr) return reply->Error("ERR Invalid command specified");
  if (command->keys.first == 0 && command->keys.numkeys == 0) {
    return reply->Error("ERR The command has no key arguments");
  }
  if (!command->AcceptsCount(request.size())) {
    return reply->Error("ERR Invalid number of arguments specified for command");
  }
  Names keys;
  if (!KeysOf(*command, request, &keys)) {
    if (!command->Has(kNoMandatoryKeys)) {
      return reply->Error("ERR Invalid arguments specified for command");
    }
    keys.clear();
  }
  reply->Array(keys.size());
  for (const std::string_view key : keys) reply->Bulk(key);
}

}  // namespace

void WriteCommandReply(const CommandInfo& command, Arguments arguments, Reply* reply) {
  const auto names = arguments.subspan(std::min<std::size_t>(arguments.size(), 2));
  switch (command.id) {
    case CommandId::kCommand:
      return WriteInfos(WithoutSubcommands(), reply);
    case CommandId::kCommandCount:
      return reply->Integer(static_cast<std::int64_t>(WithoutSubcommands().size()));
    case CommandId::kCommandInfo:
    case CommandId::kCommandDocs:
      return WriteNamed(command, names, reply);
    case CommandId::kCommandList:
      return WriteList(arguments, reply);
    case CommandId::kCommandGetKeys:
      return WriteKeys(names, reply);
    case CommandId::kCommandHelp:
      return WriteHelp(CommandOf(CommandId::kCommand), reply);
    default:
      LAUREL_ASSERT(false);
  }
}

void WriteHelp(const CommandInfo& container, Reply* reply) {
  LAUREL_ASSERT(container.Has(kContainer));
  const Commands subcommands = Listed(SubcommandsOf(container));
  const bool stands_alone = container.AcceptsCount(1);
  reply->Array(1 + (stands_alone ? 2 : 0) + 2 * subcommands.size());
  const std::string name(container.name);
  reply->Simple(name + " <subcommand> [<argument> ...]. Subcommands are:");
  const auto explain = [reply](const std::string& line, std::string_view summary) {
    reply->Simple(line);
    reply->Simple(std::string("    ").append(summary));
  };
  if (stands_alone) explain("(no subcommand)", container.summary);
  for (const CommandInfo* subcommand : subcommands) {
    std::string line(subcommand->name.substr(name.size() + 1));
    if (!subcommand->syntax.empty()) line.append(" ").append(subcommand->syntax);
    explain(line, subcommand->summary);
  }
}

}  // namespace laurel::wire
