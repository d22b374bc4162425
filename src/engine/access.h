// Which boards a client may touch. Every command, listing, wait and stream asks this one class.
//
// A pattern is matched against a board's own name. An instance such as "lb@day" belongs to its
// board `lb`; Keyspace::OwnerOf tells whether a name is one, which changes with the boards. So
// requests with such names are decided when they are executed or served, not when they come in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "wire/command_table.h"

namespace laurel::engine {

class Access {
 public:
  // To every board.
  Access() = default;
  // To the boards that match the pattern of a token.
  Access(std::string token, std::string pattern)
      : token_(std::move(token)), pattern_(std::move(pattern)), glob_(pattern_) {}

  [[nodiscard]] bool all() const { return pattern_ == "*"; }
  // `board` is the board's own name.
  [[nodiscard]] bool Opens(std::string_view board) const;
  // Decides about a request, by the names at the command's key positions: the error for the first
  // one that is not open; none if all are. `owner_of(name)` is the board that a name belongs to, as
  // a std::string_view, or an optional one that is empty if it cannot be told yet: such a name
  // passes. A request with a wrong number of arguments passes: it touches nothing.
  template <typename OwnerOf>
  [[nodiscard]] std::optional<std::string> RefusalOf(const wire::CommandInfo& command,
                                                     std::span<const std::string_view> arguments,
                                                     const OwnerOf& owner_of) const;
  // Whether every board that a template's pattern matches is open.
  [[nodiscard]] bool OpensPattern(std::string_view pattern) const;
  // The error for a name that is not open.
  [[nodiscard]] std::string Refusal(std::string_view name) const;
  // The text of a failure that the client sees. The cause may name files of the server.
  [[nodiscard]] std::string Shown(std::string_view cause) const;

 private:
  std::string token_;
  std::string pattern_ = "*";
  base::Glob glob_{pattern_};
};

template <typename OwnerOf>
std::optional<std::string> Access::RefusalOf(const wire::CommandInfo& command,
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
