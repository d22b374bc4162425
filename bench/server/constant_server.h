// The least a server can do: one thread, one epoll loop, no parsing, no work. It answers every
// request with the same bytes; what redis-benchmark reaches against it is the ceiling of the client
// and the kernel.
#pragma once

#include <cstddef>
#include <string>

#include "bench/server/process.h"

namespace laurel::bench {

class ConstantServer {
 public:
  // Requests are counted by their size: all of them must have `request_bytes` bytes. Only
  // redis-benchmark's own CONFIG GET, which comes first, is told apart.
  ConstantServer(std::size_t request_bytes, const std::string& reply);
  ~ConstantServer();
  ConstantServer(const ConstantServer&) = delete;
  ConstantServer& operator=(const ConstantServer&) = delete;

  [[nodiscard]] const Target& target() const { return target_; }

 private:
  Target target_{"the constant-reply server"};
};

}  // namespace laurel::bench
