// Which boards a client may access, and with which role. Commands, listings, blocking pops and
// streams all ask this class.
//
// The token's pattern is matched against a board's own name. An instance such as "lb@day" belongs
// to its board `lb`. Keyspace::OwnerOf says whether a name is an instance, and the answer changes
// as boards are created and dropped. So access to such names is checked when a request is executed
// or served, not when it arrives.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/text.h"
#include "laurel/result.h"
#include "wire/command_table.h"

namespace laurel::engine {

class Access {
 public:
  // Gives access to every board, with the role admin.
  Access() = default;
  // Gives access to the boards whose names match the token's pattern.
  Access(std::string token, std::string pattern, wire::Role role = wire::Role::kAdmin)
      : token_(std::move(token)), pattern_(std::move(pattern)), glob_(pattern_), role_(role) {}

  // The token's role. The server has compared it with the command's; the engine asks for it where
  // the words of a request decide what is needed: AT, and LB.CREATE, which compares below admin.
  [[nodiscard]] wire::Role role() const { return role_; }
  [[nodiscard]] bool all() const { return pattern_ == "*"; }
  // Whether the client may access the board. `board`: the board's own name, not an instance name.
  [[nodiscard]] bool Opens(std::string_view board) const { return all() || glob_.Matches(board); }
  // Checks the names at the command's key positions. Returns the error for the first name that is
  // not open, or none if all are open. `owner_of(name)` returns the board that a name belongs to,
  // as a std::string_view or as an optional one; an empty optional means that the board is not
  // known yet, and such a name passes. A request with a wrong number of arguments passes, because
  // it will be refused without touching a board.
  template <typename OwnerOf>
  [[nodiscard]] std::optional<Error> RefusalOf(const wire::CommandInfo& command,
                                               std::span<const std::string_view> arguments,
                                               const OwnerOf& owner_of) const;
  // Whether every board that a template's pattern matches is open.
  [[nodiscard]] bool OpensPattern(std::string_view pattern) const {
    return all() || base::GlobCovers(pattern_, pattern);
  }
  // The error for a name that is not open.
  [[nodiscard]] Error Refusal(std::string_view name) const {
    return {ErrorCode::kNoPerm,
            "token " + base::Quote(token_) + " has no access to " + base::Quote(name)};
  }
  // The text of a failure as the client may see it: `cause` itself for clients with access to all
  // boards, a neutral text for others, because the cause may name files of the server.
  [[nodiscard]] std::string Shown(std::string_view cause) const {
    return all() ? std::string(cause) : "the log of the server says why";
  }

 private:
  std::string token_;
  std::string pattern_ = "*";
  base::Glob glob_{pattern_};
  wire::Role role_ = wire::Role::kAdmin;
};

template <typename OwnerOf>
std::optional<Error> Access::RefusalOf(const wire::CommandInfo& command,
                                       std::span<const std::string_view> arguments,
                                       const OwnerOf& owner_of) const {
  if (all() || !command.AcceptsCount(arguments.size())) return std::nullopt;
  std::vector<std::string_view> names;
  wire::KeysOf(command, arguments, &names);
  for (const std::string_view name : names) {
    const std::optional<std::string_view> board = owner_of(name);
    if (board && !Opens(*board)) return Refusal(name);
  }
  return std::nullopt;
}

}  // namespace laurel::engine
