#include "engine/access.h"

#include "base/glob.h"
#include "base/text.h"

namespace laurel::engine {

bool Access::Opens(std::string_view board) const { return all() || glob_.Matches(board); }

bool Access::OpensPattern(std::string_view pattern) const {
  return all() || base::GlobCovers(pattern_, pattern);
}

Error Access::Refusal(std::string_view name) const {
  return {ErrorCode::kNoPerm,
          "token " + base::Quote(token_) + " has no access to " + base::Quote(name)};
}

std::string Access::Shown(std::string_view cause) const {
  return all() ? std::string(cause) : "the log of the server says why";
}

}  // namespace laurel::engine
