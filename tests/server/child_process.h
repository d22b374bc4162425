// Runs a program as a child process, with its output in files.
//
// Failures throw std::runtime_error, with the command line and the output where there is any;
// GoogleTest reports them as test failures. The operating system kills the child when the thread
// that started it ends, so no child outlives a crashed test. Start a child on a thread that lives
// as long as the child.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "tests/support/files.h"

namespace laurel::black_box {

// The path of the program: the environment variable LAUREL_BINARY, or else the program built with
// this test.
std::string LaurelBinary();

// Whether the arguments of `laurel serve` ask for no data folder.
bool UsesMemoryOnly(const std::vector<std::string>& arguments);

// The arguments of the program for `laurel serve` with `arguments`. Unless they give ports, the
// port is any free one and HTTP is off, so that servers can run side by side.
std::vector<std::string> ServeArguments(const std::vector<std::string>& arguments);

class ChildProcess {
 public:
  using Limits = std::map<int, rlimit>;  // by resource, RLIMIT_…

  // Starts nothing.
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  // Kills the process if it still runs, and removes its folder.
  ~ChildProcess();

  // Starts a program (a path, or a name in PATH) with its arguments, without a terminal. Forgets
  // the output of an earlier start. REQUIRES: pid() is -1.
  void Start(const std::vector<std::string>& command, const Limits& limits = {});
  // Waits for the ready line of `laurel serve`. Returns the port of RESP that it names.
  int AwaitReady();
  // The port of HTTP that the ready line names; 0 if it names none.
  int HttpPort() const;
  // Waits until the process ends by itself. Returns the exit code, or 128 + the signal that ended
  // it.
  int AwaitEnd();
  // Sends SIGTERM and waits. The same result. REQUIRES: pid() is not -1.
  int Stop();
  // Sends SIGKILL and waits. No effect if pid() is -1.
  void Kill() noexcept;

  // False if no process was started, and once the process has ended. Reaps a process that has.
  bool Running();
  // -1 before a start, and once the process was reaped.
  pid_t pid() const { return pid_; }
  // Of the last process that was reaped: its exit code, or 128 + the signal; -1 if unknown.
  int exit_code() const { return exit_code_; }

  // A fresh folder for the files of the process, which hold its output too. Removed with this
  // object.
  const std::filesystem::path& directory() const { return directory_.path(); }
  // What the last process that was started has printed so far. Output: both.
  std::string StandardOutput() const;
  std::string StandardError() const;
  std::string Output() const { return StandardOutput() + StandardError(); }
  // The command line and the output, to explain a failure.
  std::string Report() const { return command_line_ + "\n" + Output(); }

 private:
  // Returns true if the process was reaped.
  bool Reap(int options) noexcept;

  TemporaryFolder directory_;
  std::string command_line_;
  pid_t pid_ = -1;
  int exit_code_ = -1;
};

}  // namespace laurel::black_box
