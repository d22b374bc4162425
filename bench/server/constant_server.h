// A server with the least possible work: one thread, one epoll loop, no parsing. It answers every
// request with the same bytes. The rate of redis-benchmark against it is the ceiling that client
// and kernel set.
#pragma once

#include <cstddef>
#include <string>

#include "bench/server/process.h"

namespace laurel::bench {

class ConstantServer {
 public:
  // Counts requests by their size: all of them must have `request_bytes` bytes. Only
  // redis-benchmark's own CONFIG GET, which comes first, is recognised.
  ConstantServer(std::size_t request_bytes, const std::string& reply);
  ~ConstantServer();
  ConstantServer(const ConstantServer&) = delete;
  ConstantServer& operator=(const ConstantServer&) = delete;

  [[nodiscard]] const Target& target() const { return target_; }

 private:
  Target target_{"the constant-reply server"};
};

}  // namespace laurel::bench
