// `laurel serve` and `laurel demo`: a server with the embedded engine.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

namespace laurel::cli {

enum class Boards : std::uint8_t {
  kNone,
  kDemo,  // with example leaderboards
};

// Serves until it is stopped. `arguments` are those after the command. Returns the exit code: 0, 1
// if it could not serve, 2 if the arguments or the configuration are wrong.
int Serve(std::span<const std::string_view> arguments, Boards boards, std::ostream& out,
          std::ostream& err);

}  // namespace laurel::cli
