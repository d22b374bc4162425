// Where a score stands among the words of a request whose client said so.
#pragma once

#include <cstddef>

namespace laurel::wire {

struct ScoreWords {
  std::size_t first = 0;  // index of its first value in the request's words
  std::size_t count = 0;
  std::size_t names = 0;  // index of its first name in the request's list of field names
  bool is_named = false;  // the values are in the order of those names, not of the board's fields
};

}  // namespace laurel::wire
