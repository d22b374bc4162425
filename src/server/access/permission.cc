#include "server/access/permission.h"

#include "base/text.h"

namespace laurel::server {
namespace {

// Whether the command concerns the whole server, so that a token for some boards is not enough.
bool IsAboutAllBoards(const wire::CommandInfo& command) {
  return command.role == wire::Role::kAdmin && command.keys.first == 0 && command.keys.numkeys == 0;
}

}  // namespace

engine::Access AccessOf(const Token& token) { return {token.name, token.boards}; }

std::optional<std::string> RefusalOf(const Token* token, const engine::Access& access,
                                     const wire::CommandInfo& command,
                                     std::span<const std::string_view> arguments) {
  if (token == nullptr) {
    if (command.Has(wire::kNoAuth)) return std::nullopt;
    return "NOAUTH Authentication required.";
  }
  if (command.role > token->role) {
    return "NOPERM token " + base::Quote(token->name) + " has the role " +
           std::string(wire::RoleName(token->role)) + ", '" + wire::LowerName(command) +
           "' needs " + std::string(wire::RoleName(command.role));
  }
  if (access.all()) return std::nullopt;
  if (IsAboutAllBoards(command)) {
    return "NOPERM token " + base::Quote(token->name) + " is for some boards, '" +
           wire::LowerName(command) + "' needs one for all";
  }
  return access.RefusalOf(command, arguments,
                          [](std::string_view name) -> std::optional<std::string_view> {
                            if (name.find('@') != std::string_view::npos) return std::nullopt;
                            return name;
                          });
}

}  // namespace laurel::server
