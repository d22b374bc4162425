// Which boards a client may touch. Every command, listing, wait and stream asks this one class.
//
// A pattern is matched against a board's own name. An instance such as "lb@day" belongs to its
// board `lb`; Keyspace::OwnerOf tells whether a name is one, which changes with the boards. So
// names with '@' are judged when a request is executed or served, not when it comes in.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/glob.h"

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

}  // namespace laurel::engine
