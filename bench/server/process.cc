#include "bench/server/process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace laurel::bench {
namespace {

constexpr int kWatchIntervalMs = 200;

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Kills and reaps the child, unless `pid` was reset.
struct ChildGuard {
  pid_t pid;
  ~ChildGuard() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

struct Descriptor {
  int fd;
  ~Descriptor() { close(fd); }
};

}  // namespace

void EndWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);  // the parent ended before the call
}

pid_t Spawn(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw Failure(std::string("cannot fork: ") + std::strerror(errno));
  if (child == 0) {
    EndWithParent(parent);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(raw[0], raw.data());
    _exit(127);
  }
  return child;
}

bool HasEnded(pid_t pid) {
  siginfo_t info{};
  const int result = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 || info.si_pid == pid;
}

double CpuSeconds(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    throw Failure("cannot read the CPU time of process " + std::to_string(pid));
  }
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double ResidentBytes(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  double pages = 0;
  double resident = 0;
  if (!(statm >> pages >> resident)) {
    throw Failure("cannot read the memory of process " + std::to_string(pid));
  }
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::string DescribeEnd(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    return "signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  }
  return "exit code " + std::to_string(WEXITSTATUS(wait_status));
}

Finished RunProgram(const std::vector<std::string>& arguments, const std::function<void()>& watch) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Failure("cannot open a pipe");
  const Descriptor reading{ends[0]};
  const auto start = std::chrono::steady_clock::now();
  ChildGuard child{-1};
  {
    const Descriptor writing{ends[1]};
    child.pid = Spawn(arguments, writing.fd);
  }
  Finished finished;
  for (bool open = true; open;) {
    pollfd event{reading.fd, POLLIN, 0};
    if (poll(&event, 1, kWatchIntervalMs) == 0) {
      watch();
      continue;
    }
    char buffer[4096];
    const ssize_t got = read(reading.fd, buffer, sizeof(buffer));
    open = got > 0;
    if (open) finished.output.append(buffer, static_cast<std::size_t>(got));
  }
  rusage usage{};
  wait4(child.pid, &finished.wait_status, 0, &usage);
  child.pid = -1;
  finished.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  finished.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  if (WIFEXITED(finished.wait_status) && WEXITSTATUS(finished.wait_status) == 127) {
    throw Failure("cannot run " + arguments[0] + ": not found");
  }
  return finished;
}

std::string VersionOf(const std::string& program) {
  const std::string output = RunProgram({program, "--version"}, [] {}).output;
  return output.substr(0, output.find('\n'));
}

}  // namespace laurel::bench
