// Runs a server as a child process for tests over the wire: Laurel, or redis-server to compare
// with.
//
// Failures throw std::runtime_error, with the server's output where there is any; GoogleTest
// reports them as test failures. The operating system kills the child when the thread that started
// it ends, so no server outlives a crashed test. Start a server on a thread that lives as long as
// the server.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace laurel::black_box {

// Whether the arguments of `laurel serve` ask for no data folder.
bool UsesMemoryOnly(const std::vector<std::string>& arguments);

class ServerProcess {
 public:
  // Starts `laurel serve --port 0 --data <fresh folder>` with `extra_arguments` (without --data if
  // they have --in-memory) and waits for its ready line. The program is the environment variable
  // LAUREL_BINARY, or else the one built with this test.
  static ServerProcess Laurel(const std::vector<std::string>& extra_arguments = {});
  // Starts redis-server from PATH on a free port, without persistence, and waits until it answers
  // PING.
  static ServerProcess Redis(const std::vector<std::string>& extra_arguments = {});

  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&& other) noexcept;
  // Kills the process if it still runs, and removes its folder.
  ~ServerProcess();

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  // Holds the data and the files that Output() reads. Removed with this object.
  const std::filesystem::path& directory() const { return directory_; }

  // Sends SIGTERM and waits. Returns the exit code, or 128 + the signal that ended the process.
  // Throws if the process still runs after half a minute. REQUIRES: running.
  int Stop();
  // Sends SIGKILL and waits. REQUIRES: running.
  void Kill();
  // False once the process was stopped or killed, or has ended by itself.
  bool Running();

  // Resident memory of the process. REQUIRES: running.
  std::size_t ResidentBytes() const;
  // The command line, then the output so far: standard output, then standard error.
  std::string Output() const;

 private:
  ServerProcess();

  void Start(const std::vector<std::string>& command);
  void WaitForReadyLine();
  // Returns false if the process ended before it answered: another process may have taken the port.
  bool WaitForPong();
  // Returns true if the process ended within the time; its exit code is then in `exit_code_`.
  bool WaitForEnd(int timeout_ms);
  void EndNow() noexcept;

  std::filesystem::path directory_;
  pid_t pid_ = -1;
  int port_ = 0;
  int exit_code_ = -1;
};

// A TCP port of 127.0.0.1 that was free a moment ago.
int FreePort();

}  // namespace laurel::black_box
