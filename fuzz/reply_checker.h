// Parses replies strictly: accepts only what the protocol allows, as a client would.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/support/resp.h"
#include "wire/reply.h"

namespace laurel::fuzz {

struct CheckedReply {
  std::string problem;  // empty: the reply is valid
  resp::Value value;
  std::size_t bytes = 0;
};

// Parses one reply at the front of `bytes`.
CheckedReply CheckReply(std::string_view bytes, wire::Protocol protocol);

}  // namespace laurel::fuzz
