// A server under load: Laurel or redis-server, on a free port of 127.0.0.1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/server/process.h"

namespace laurel::bench {

enum class ServerKind : std::uint8_t { kLaurel, kRedis };

// Returns arguments that make the server keep nothing on disk.
std::vector<std::string> InMemory(ServerKind kind);

// Returns a free port of 127.0.0.1, for servers that cannot choose one themselves.
std::uint16_t FreePort();

class ServerProcess {
 public:
  // Starts the server and waits until it has loaded its data and serves; throws Failure if it does
  // not. `arguments` must say where it keeps its data.
  ServerProcess(const std::string& name, ServerKind kind, const std::string& binary,
                const std::vector<std::string>& arguments);
  // Stops the server. If it did not end normally, prints how it ended and its last lines on stderr.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  [[nodiscard]] const Target& target() const { return target_; }

 private:
  bool TryReady(ServerKind kind);
  void Stop();
  [[nodiscard]] std::string Log() const;

  Target target_;
  int log_ = -1;  // the server's stdout and stderr, in memory
};

}  // namespace laurel::bench
