// Reads replies and takes nothing but what each protocol allows: what a client would have to
// stumble over is found here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/support/resp.h"
#include "wire/reply.h"

namespace laurel::fuzz {

struct CheckedReply {
  std::string problem;  // what is wrong; empty: nothing
  resp::Value value;
  std::size_t bytes = 0;
};

// Reads one reply off the front of `bytes`.
CheckedReply CheckReply(std::string_view bytes, wire::Protocol protocol);

}  // namespace laurel::fuzz
