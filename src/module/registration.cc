// Registers the commands with the server.
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "module/board_commands.h"
#include "module/writing.h"
#include "wire/command_syntax.h"
#include "wire/command_table.h"

namespace laurel::module {
namespace {

using wire::CommandInfo;
using enum wire::CommandId;

// Returns the flags in the server's words.
std::string FlagText(const CommandInfo& command) {
  std::string text = command.Has(wire::kWrite) ? "write" : "readonly";
  // LB.LOAD checks memory itself: its last steps, COMMIT and ABORT, need none.
  if (command.Has(wire::kDenyOom) && command.id != kLbLoad) text += " deny-oom";
  if (command.Has(wire::kFast)) text += " fast";
  if (command.Has(wire::kNoScript)) text += " deny-script";
  if (command.Has(wire::kBlocking) && Api().SetCommandInfo != nullptr) text += " blocking";
  return text;
}

std::uint64_t KeyFlags(const CommandInfo& command) {
  switch (command.id) {
    case kLbCreate:
      return kKeyReadWrite | kKeyInsert;
    case kLbDrop:
      return kKeyRemove | kKeyDelete;
    case kLbPop:
      return kKeyReadWrite | kKeyAccess | kKeyDelete;
    case kLbRemove:
    case kLbTrim:
    case kLbClear:
      return kKeyReadWrite | kKeyDelete;
    case kLbHide:
    case kLbShow:
    case kLbAlter:
    case kLbLoad:
    case kLbRestore:
    case kLbMeta:
      return kKeyReadWrite | kKeyUpdate;
    default:
      return command.Has(wire::kWrite) ? kKeyReadWrite | kKeyAccess | kKeyUpdate
                                       : kKeyReadOnly | kKeyAccess;
  }
}

// The arguments of a command as structs of the server, which point into this object.
class ArgumentDocs {
 public:
  explicit ArgumentDocs(std::string_view syntax) : nodes_(wire::ParseSyntax(syntax)) {
    arguments_ = ListOf(nodes_);
  }

  // Ends with an empty argument. Null if there are none.
  [[nodiscard]] CommandArgument* get() { return nodes_.empty() ? nullptr : arguments_; }

 private:
  static CommandArgument::Type TypeOf(wire::SyntaxNode::Type type) {
    static constexpr CommandArgument::Type kTypes[] = {
        CommandArgument::kString,  CommandArgument::kKey,       CommandArgument::kInteger,
        CommandArgument::kPattern, CommandArgument::kPureToken, CommandArgument::kOneOf,
        CommandArgument::kBlock};
    return kTypes[static_cast<std::size_t>(type)];
  }

  CommandArgument* ListOf(const std::vector<wire::SyntaxNode>& nodes) {
    std::vector<CommandArgument>& list = *lists_.emplace(lists_.end(), nodes.size() + 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const wire::SyntaxNode& node = nodes[i];
      CommandArgument& argument = list[i];
      argument.name = node.name.c_str();
      argument.type = TypeOf(node.type);
      argument.key_spec = argument.type == CommandArgument::kKey ? 0 : -1;
      argument.token = node.token.empty() ? nullptr : node.token.c_str();
      argument.flags = (node.optional ? CommandArgument::kOptional : 0) |
                       (node.multiple ? CommandArgument::kMultiple : 0);
      if (!node.arguments.empty()) argument.arguments = ListOf(node.arguments);
    }
    return list.data();
  }

  std::vector<wire::SyntaxNode> nodes_;
  std::list<std::vector<CommandArgument>> lists_;  // a list, so that its elements do not move
  CommandArgument* arguments_ = nullptr;
};

// Returns the ACL categories. Servers do not derive them from the flags of a module's command.
std::string Categories(const CommandInfo& command) {
  std::string text = command.Has(wire::kWrite) ? "write" : "read";
  text += command.Has(wire::kFast) ? " fast" : " slow";
  if (command.Has(wire::kBlocking)) text += " blocking";
  return text;
}

// The parameters of Describe.
struct Description {
  std::string summary;
  std::string complexity;
  std::string_view syntax;
  int arity = 0;
  std::uint64_t key_flags = 0;
  std::string categories;
  int last_key = 1;  // step 2 from 1, if it is not 1
};

bool Describe(Context* context, const char* name, const Description& about) {
  if (Api().SetCommandInfo == nullptr) return true;
  Command* registered = Api().GetCommand(context, name);
  static constexpr CommandInfoVersion kVersion{1, sizeof(CommandHistory), sizeof(CommandKeySpec),
                                               sizeof(CommandArgument)};
  CommandKeySpec keys[2];
  keys[0].flags = about.key_flags;
  keys[0].begin_search = CommandKeySpec::kBeginIndex;
  keys[0].begin.index.position = 1;
  keys[0].find_keys = CommandKeySpec::kFindRange;
  keys[0].find.range = {about.last_key - 1, about.last_key == 1 ? 1 : 2, 0};
  ArgumentDocs arguments(about.syntax);
  CommandDocs docs;
  docs.version = &kVersion;
  docs.summary = about.summary.c_str();
  docs.complexity = about.complexity.c_str();
  docs.since = LAUREL_VERSION;
  docs.arity = about.arity;
  docs.key_specs = keys;
  docs.arguments = arguments.get();
  if (Api().SetCommandInfo(registered, &docs) != kOk) return false;
  if (Api().SetCommandACLCategories == nullptr) return true;
  std::string categories = about.categories;
  if (Api().AddACLCategory != nullptr) categories += " leaderboard";
  return Api().SetCommandACLCategories(registered, categories.c_str()) == kOk;
}

// COPY is the server's own command, so LB.CREATE describes its cost for boards.
std::string ComplexityOf(const CommandInfo& command) {
  std::string text(command.complexity);
  if (command.id == wire::CommandId::kLbCreate) {
    text += "; COPY of a board is O(n) and blocks the server, about 0.7 s for a million entries";
  }
  return text;
}

bool Register(Context* context, const CommandInfo& command, CommandFunction run) {
  const std::string name = wire::LowerName(command);
  const int last_key = command.id == kLbLoad ? 3 : 1;  // the id of a load is a key in the module
  return Api().CreateCommand(context, name.c_str(), run, FlagText(command).c_str(), 1, last_key,
                             last_key == 1 ? 1 : 2) == kOk &&
         Describe(context, name.c_str(),
                  {.summary = std::string(command.summary),
                   .complexity = ComplexityOf(command),
                   .syntax = command.syntax,
                   .arity = command.arity,
                   .key_flags = KeyFlags(command),
                   .categories = Categories(command),
                   .last_key = last_key});
}

}  // namespace

bool RegisterCommands(Context* context) {
  if (Api().AddACLCategory != nullptr) Api().AddACLCategory(context, "leaderboard");
  for (const BoardCommand& one : BoardCommands()) {
    if (!Register(context, CommandHere(one.id), one.run)) return false;
  }
  return Api().CreateCommand(context, "lb.apply", Apply, "write", 1, 1, 1) == kOk &&
         Describe(context, "lb.apply",
                  {.summary = "Applies effects of a leaderboard: internal, for replication and the "
                              "AOF.",
                   .complexity = "O(m log n), m effects",
                   .syntax = "board effects",
                   .arity = 3,
                   .key_flags = kKeyReadWrite | kKeyUpdate,
                   .categories = "write slow dangerous"});
}

}  // namespace laurel::module
