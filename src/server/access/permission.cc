#include "server/access/permission.h"

#include "base/text.h"

namespace laurel::server {
namespace {

// Whether the command concerns the whole server, which a token for some boards may not use.
bool IsAboutAllBoards(const wire::CommandInfo& command) {
  return command.role == wire::Role::kAdmin && command.keys.first == 0 && command.keys.numkeys == 0;
}

}  // namespace

engine::Access AccessOf(const Token& token) { return {token.name, token.boards, token.role}; }

std::optional<std::string> RefusalOf(const Token* token, const engine::Access& access,
                                     const wire::CommandInfo& command,
                                     std::span<const std::string_view> arguments,
                                     wire::Surface surface) {
  if (token == nullptr) {
    if (command.Has(wire::kNoAuth)) return std::nullopt;
    return "NOAUTH Authentication required.";
  }
  const auto request = [&] {
    const std::string name = wire::RequestName(surface, command);
    return surface == wire::Surface::kResp ? base::Quote(name) : name;
  };
  if (command.role > token->role && !command.Has(wire::kComparesBelowRole)) {
    return "NOPERM token " + base::Quote(token->name) + " has the role " +
           std::string(wire::RoleName(token->role)) + ", " + request() + " needs " +
           std::string(wire::RoleName(command.role));
  }
  if (access.all()) return std::nullopt;
  if (IsAboutAllBoards(command)) {
    return "NOPERM token " + base::Quote(token->name) + " is for some boards, " + request() +
           " needs one for all";
  }
  return access.RefusalOf(command, arguments,
                          [](std::string_view name) -> std::optional<std::string_view> {
                            if (name.find('@') != std::string_view::npos) return std::nullopt;
                            return name;
                          });
}

}  // namespace laurel::server
