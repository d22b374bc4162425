#include "server/child_process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace laurel::black_box {
namespace {

namespace fs = std::filesystem;

// Long enough for a loaded machine. What is waited for normally takes milliseconds.
constexpr std::chrono::seconds kPatience{120};

// Polls `holds` every millisecond. Returns false if it is still false after kPatience.
template <typename Condition>
bool Await(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    poll(nullptr, 0, 1);
  }
  return true;
}

// Runs in the child between fork and exec: must not call anything that may lock or allocate.
[[noreturn]] void BecomeProgram(char* const* arguments, const char* stdout_path,
                                const char* stderr_path, const ChildProcess::Limits& limits,
                                pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int flags = O_WRONLY | O_CREAT | O_APPEND;
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(stdout_path, flags, 0600);
  const int error = open(stderr_path, flags, 0600);
  if (in < 0 || out < 0 || error < 0) _exit(127);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  for (const auto& [resource, limit] : limits) {
    if (setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) _exit(127);
  }
  execvp(arguments[0], arguments);
  const char* reason = strerrordesc_np(errno);
  for (const char* text :
       {"cannot execute ", static_cast<const char*>(arguments[0]), ": ", reason}) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) break;
  }
  _exit(127);
}

bool Has(const std::vector<std::string>& arguments, const std::string& flag) {
  return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
}

std::string ReadIfThere(const fs::path& path) { return fs::exists(path) ? ReadFile(path) : ""; }

}  // namespace

std::string LaurelBinary() {
  const char* given = std::getenv("LAUREL_BINARY");
  return given != nullptr && *given != '\0' ? given : LAUREL_BINARY;
}

bool UsesMemoryOnly(const std::vector<std::string>& arguments) {
  return Has(arguments, "--in-memory");
}

std::vector<std::string> ServeArguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"serve"};
  if (!Has(arguments, "--port")) all.insert(all.end(), {"--port", "0"});
  if (!Has(arguments, "--http-port")) all.insert(all.end(), {"--http-port", "none"});
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : directory_(std::move(other.directory_)),
      command_line_(std::move(other.command_line_)),
      pid_(std::exchange(other.pid_, -1)),
      exit_code_(other.exit_code_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(command_line_, other.command_line_);
  std::swap(pid_, other.pid_);
  std::swap(exit_code_, other.exit_code_);
  return *this;
}

ChildProcess::~ChildProcess() { Kill(); }

void ChildProcess::Start(const std::vector<std::string>& command, const Limits& limits) {
  if (pid_ > 0) throw std::runtime_error("the process runs already\n" + Report());
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  command_line_.clear();
  for (const std::string& word : words) command_line_ += (command_line_.empty() ? "" : " ") + word;
  const std::string stdout_path = directory_ / "stdout";
  const std::string stderr_path = directory_ / "stderr";
  // The output of an earlier start must not be read as that of this one.
  fs::remove(stdout_path);
  fs::remove(stderr_path);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ > 0) return;
  BecomeProgram(arguments.data(), stdout_path.c_str(), stderr_path.c_str(), limits, parent);
}

int ChildProcess::AwaitReady() {
  static const std::regex kReady(" ready: resp [^ ]*:([0-9]+).*\n");
  int port = 0;
  const bool ready = Await([&] {
    const bool running = Running();  // checked before the file is read, to miss no output
    const std::string printed = StandardOutput();
    if (std::smatch match; std::regex_search(printed, match, kReady)) {
      port = std::stoi(match[1]);
      return true;
    }
    if (!running) {
      throw std::runtime_error("the server ended with " + std::to_string(exit_code_) +
                               " before it was ready\n" + Report());
    }
    return false;
  });
  if (!ready) throw std::runtime_error("the server printed no ready line\n" + Report());
  return port;
}

int ChildProcess::HttpPort() const {
  static const std::regex kHttp(" ready: .*, http [^ ]*:([0-9]+),.*\n");
  const std::string printed = StandardOutput();
  std::smatch match;
  return std::regex_search(printed, match, kHttp) ? std::stoi(match[1]) : 0;
}

int ChildProcess::AwaitEnd() {
  if (!Await([&] { return !Running(); })) {
    throw std::runtime_error("the process does not end\n" + Report());
  }
  return exit_code_;
}

int ChildProcess::Stop() {
  if (pid_ < 0) throw std::runtime_error("the process does not run\n" + Report());
  kill(pid_, SIGTERM);
  return AwaitEnd();
}

void ChildProcess::Kill() noexcept {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  Reap(0);
}

bool ChildProcess::Running() { return pid_ > 0 && !Reap(WNOHANG); }

bool ChildProcess::Reap(int options) noexcept {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(pid_, &status, options);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  exit_code_ = ended < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  pid_ = -1;
  return true;
}

std::string ChildProcess::StandardOutput() const { return ReadIfThere(directory_ / "stdout"); }

std::string ChildProcess::StandardError() const { return ReadIfThere(directory_ / "stderr"); }

}  // namespace laurel::black_box
