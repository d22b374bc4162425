// Runs a server as a child process for tests over the wire: Laurel, or redis-server to compare
// with. See child_process.h for failures and threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "server/child_process.h"

namespace laurel::black_box {

// The environment variable LAUREL_TEST_REDIS, or else redis-server from PATH.
std::string RedisProgram();

// The destructor kills the process if it still runs, and removes its folder.
class ServerProcess {
 public:
  // Starts `laurel serve --data <fresh folder>` with `extra_arguments` (without --data if they have
  // --in-memory), with the ports of ServeArguments, and waits for its ready line.
  static ServerProcess Laurel(const std::vector<std::string>& extra_arguments = {});
  // Starts RedisProgram() on a free port, without persistence, and waits until it answers PING.
  // With
  // --cluster-enabled, the port of the cluster's bus is a free one too.
  static ServerProcess Redis(const std::vector<std::string>& extra_arguments = {});

  int port() const { return port_; }
  pid_t pid() const { return process_.pid(); }
  // Holds the data. Removed with this object.
  const std::filesystem::path& directory() const { return process_.directory(); }

  // Sends SIGTERM and waits. Returns the exit code, or 128 + the signal that ended the process.
  // Throws if the process does not end. REQUIRES: running, or ended by itself.
  int Stop() { return process_.Stop(); }
  // Sends SIGKILL and waits. REQUIRES: running, or ended by itself.
  void Kill();
  // False once the process was stopped or killed, or has ended by itself.
  bool Running() { return process_.Running(); }

  // Resident memory of the process. REQUIRES: running.
  std::size_t ResidentBytes() const;
  // The command line, then the output so far: standard output, then standard error.
  std::string Output() const { return process_.Report(); }

 private:
  ServerProcess() = default;

  // Returns false if the process ended before it answered: another process may have taken the port.
  bool WaitForPong();

  ChildProcess process_;
  int port_ = 0;
};

// A TCP port of 127.0.0.1 that was free a moment ago.
int FreePort();

}  // namespace laurel::black_box
