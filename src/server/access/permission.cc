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

std::optional<Error> RefusalOf(const Token* token, const engine::Access& access,
                               const wire::CommandInfo& command,
                               std::span<const std::string_view> arguments,
                               const wire::WaysOut& ways) {
  if (token == nullptr) {
    if (command.Has(wire::kNoAuth)) return std::nullopt;
    return Error{ErrorCode::kNoAuth, "Authentication required."};
  }
  const auto refuse = [&](std::string_view has, std::string_view needs) {
    const std::string request =
        ways.request.empty() ? base::Quote(LowerName(command)) : std::string(ways.request);
    std::string message = "token " + base::Quote(token->name) + " ";
    message.append(has).append(", ").append(request).append(" needs ").append(needs);
    return Error{ErrorCode::kNoPerm, std::move(message)};
  };
  if (command.role > token->role && !command.Has(wire::kComparesBelowRole)) {
    return refuse("has the role " + std::string(wire::RoleName(token->role)),
                  wire::RoleName(command.role));
  }
  if (access.all()) return std::nullopt;
  if (IsAboutAllBoards(command)) return refuse("is for some boards", "one for all");
  return access.RefusalOf(command, arguments,
                          [](std::string_view name) -> std::optional<std::string_view> {
                            if (name.find('@') != std::string_view::npos) return std::nullopt;
                            return name;
                          });
}

}  // namespace laurel::server
