// Live streams whose clients never read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/server/process.h"

namespace laurel::bench {

class UnreadStreams {
 public:
  // Opens the streams and waits until the first event of each is in its socket. Throws Failure.
  UnreadStreams(const Target& target, const std::string& path, std::size_t count);
  ~UnreadStreams();
  UnreadStreams(const UnreadStreams&) = delete;
  UnreadStreams& operator=(const UnreadStreams&) = delete;

 private:
  std::vector<int> sockets_;
};

}  // namespace laurel::bench
