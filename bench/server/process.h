// Child processes of the server bench. Each is ended by its own pid, at the latest when the bench
// ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "bench/failure.h"

namespace laurel::bench {

// A server on 127.0.0.1 in a separate process.
struct Target {
  std::string name;
  pid_t pid = -1;
  std::uint16_t port = 0;
  std::uint16_t http_port = 0;  // for Laurel
};

// Starts a program (a name in PATH, or a path) with stdout and stderr going to `output`. Exit code
// 127: there is no such program.
pid_t Spawn(const std::vector<std::string>& arguments, int output);

// Makes a child end when the bench ends, for whatever reason. Must be called in the child just
// after fork.
void EndWithParent(pid_t parent);

// True once the process has ended. The caller still has to wait for it.
bool HasEnded(pid_t pid);

// Returns the CPU time of all its threads so far, including ended ones. REQUIRES: the process has
// not been waited for.
double CpuSeconds(pid_t pid);
double ResidentBytes(pid_t pid);

// Returns "exit code 1" or "signal 11 (Segmentation fault)".
std::string DescribeEnd(int wait_status);

struct Finished {
  int wait_status = 0;
  std::string output;  // stdout and stderr
  double cpu_seconds = 0;
  double wall_seconds = 0;
};

// Runs a program to its end and calls `watch` several times a second. If `watch` throws, the
// program is killed.
Finished RunProgram(const std::vector<std::string>& arguments, const std::function<void()>& watch);

// Returns the first line that `program --version` prints.
std::string VersionOf(const std::string& program);

}  // namespace laurel::bench
