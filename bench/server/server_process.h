// One server under load: Laurel or redis-server, on a free port of 127.0.0.1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/server/process.h"

namespace laurel::bench {

enum class ServerKind : std::uint8_t { kLaurel, kRedis };

// The arguments that keep nothing on disk.
std::vector<std::string> InMemory(ServerKind kind);

class ServerProcess {
 public:
  // Starts it and waits until it serves, which is when it has loaded what it finds on disk; throws
  // Failure if it does not. `arguments` say at least where it keeps its data.
  ServerProcess(const std::string& name, ServerKind kind, const std::string& binary,
                const std::vector<std::string>& arguments);
  // Stops it. Says on stderr how it ended and its last lines, if not by an orderly stop.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  [[nodiscard]] const Target& target() const { return target_; }

 private:
  bool TryReady(ServerKind kind);
  void Stop();
  [[nodiscard]] std::string Log() const;

  Target target_;
  int log_ = -1;  // its stdout and stderr, in memory
};

}  // namespace laurel::bench
