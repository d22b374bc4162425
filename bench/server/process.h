// Child processes of the server bench: each is ended by its own pid, at the latest when the bench
// itself ends.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/types.h>

namespace laurel::bench {

// The bench cannot go on; what() says why, in one line. Servers end as it passes.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Something that listens on 127.0.0.1 and runs in a process of its own.
struct Target {
  std::string name;
  pid_t pid = -1;
  std::uint16_t port = 0;
};

// Starts a program of PATH (or a path) with stdout and stderr going to `output`.
// Exit code 127: there is no such program.
pid_t Spawn(const std::vector<std::string>& arguments, int output);

// In a child just forked: makes it end with the bench, whatever the bench ends by.
void EndWithParent(pid_t parent);

// True once the process has ended. It stays waitable.
bool HasEnded(pid_t pid);

// CPU time of all its threads so far, those that have ended too. REQUIRES: it has not been waited
// for.
double CpuSeconds(pid_t pid);
double ResidentBytes(pid_t pid);

// "exit code 1", "signal 11 (Segmentation fault)"
std::string DescribeEnd(int wait_status);

struct Finished {
  int wait_status = 0;
  std::string output;  // stdout and stderr
  double cpu_seconds = 0;
  double wall_seconds = 0;
};

// Runs a program to its end. `watch` is called several times a second; what it throws ends the
// program.
Finished RunProgram(const std::vector<std::string>& arguments, const std::function<void()>& watch);

// What `program --version` says, its first line.
std::string VersionOf(const std::string& program);

}  // namespace laurel::bench
