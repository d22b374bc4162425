// A server as a child process, for tests over the wire: Laurel itself, or redis-server beside it.
//
// Whatever goes wrong is thrown as std::runtime_error with what the server printed; GoogleTest
// makes a failure of it. The operating system ends the child when the thread that started it ends,
// so nothing outlives a crashed test: start servers on a thread that lives as long as they do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace laurel::black_box {

class ServerProcess {
 public:
  // `laurel serve --port 0 --data <fresh folder>` and `extra_arguments`, ready to be talked to. The
  // program is the environment variable LAUREL_BINARY, or else the one built with this test.
  static ServerProcess Laurel(const std::vector<std::string>& extra_arguments = {});
  // redis-server from PATH, on a free port, with nothing kept on disk.
  static ServerProcess Redis(const std::vector<std::string>& extra_arguments = {});

  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&& other) noexcept;
  // Kills the process if it still runs, and removes its folder.
  ~ServerProcess();

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  // Holds the data, and the files that Output() reads; gone with this object.
  const std::filesystem::path& directory() const { return directory_; }

  // Asks it to stop (SIGTERM) and waits. Gives the exit code, or 128 + the signal that ended it.
  // Throws if it still runs after half a minute. REQUIRES: running.
  int Stop();
  // SIGKILL, and waits. REQUIRES: running.
  void Kill();
  // False once it has been stopped, was killed, or has ended by itself.
  bool Running();

  // Memory of the process that is in RAM. REQUIRES: running.
  std::size_t ResidentBytes() const;
  // How it was started and what it has printed so far, standard output first.
  std::string Output() const;

 private:
  ServerProcess();

  void Start(const std::vector<std::string>& command);
  void WaitForReadyLine();
  // False if the process ended before it answered: another may have taken the port.
  bool WaitForPong();
  // True if it ended within the time; its exit code is then in `exit_code_`.
  bool WaitForEnd(int timeout_ms);
  void EndNow() noexcept;

  std::filesystem::path directory_;
  pid_t pid_ = -1;
  int port_ = 0;
  int exit_code_ = -1;
};

// A TCP port of 127.0.0.1 that nobody listened on a moment ago.
int FreePort();

}  // namespace laurel::black_box
