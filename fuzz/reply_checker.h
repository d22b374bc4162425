// A reader of replies that takes nothing but what each protocol allows: what a client would have to
// stumble over is found here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/reply.h"

namespace laurel::fuzz {

struct CheckedReply {
  std::size_t bytes = 0;      // 0: `problem` says what is wrong
  char type = 0;              // the first byte
  bool null = false;          // $-1, *-1 or _
  std::int64_t elements = 0;  // of an aggregate; a map's pairs count twice
  std::string problem;
};

// Reads one reply off the front of `bytes`.
//
// Errors are one line that begins with a code in capitals. Numbers are written in their shortest
// form. RESP2 has + - : $ * alone; RESP3 has no $-1 and no *-1.
CheckedReply CheckReply(std::string_view bytes, wire::Protocol protocol);

}  // namespace laurel::fuzz
