#include "server/process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/resp_client.h"

namespace laurel::black_box {
namespace {

namespace fs = std::filesystem;

constexpr int kReadyTimeoutMs = 30'000;
constexpr int kStopTimeoutMs = 30'000;
constexpr int kPollIntervalMs = 5;
constexpr int kPortAttempts = 5;

void Sleep(int milliseconds) { poll(nullptr, 0, milliseconds); }

// A point in time after which a wait has failed.
class Deadline {
 public:
  explicit Deadline(int timeout_ms)
      : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms)) {}
  bool Passed() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

fs::path NewDirectory() {
  std::string pattern = (fs::temp_directory_path() / "laurel-server-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
  }
  return pattern;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Runs in the child between fork and exec: must not call anything that may lock or allocate.
[[noreturn]] void BecomeServer(char* const* arguments, const char* stdout_path,
                               const char* stderr_path, pid_t parent) {
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
  execvp(arguments[0], arguments);
  const char* reason = strerrordesc_np(errno);
  for (const char* text :
       {"cannot execute ", static_cast<const char*>(arguments[0]), ": ", reason}) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) break;
  }
  _exit(127);
}

std::string LaurelBinary() {
  if (const char* path = std::getenv("LAUREL_BINARY"); path != nullptr && *path != '\0') {
    return path;
  }
#ifdef LAUREL_BINARY
  return LAUREL_BINARY;
#else
  throw std::runtime_error("set LAUREL_BINARY to the laurel program");
#endif
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

int FreePort() {
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound = socket_fd >= 0 && bind(socket_fd, generic, length) == 0 &&
                     getsockname(socket_fd, generic, &length) == 0;
  const int error = errno;
  if (socket_fd >= 0) close(socket_fd);
  if (!bound) throw std::system_error(error, std::generic_category(), "no free port");
  return ntohs(address.sin_port);
}

ServerProcess::ServerProcess() : directory_(NewDirectory()) {}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : directory_(std::exchange(other.directory_, {})),
      pid_(std::exchange(other.pid_, -1)),
      port_(other.port_),
      exit_code_(other.exit_code_) {}

ServerProcess& ServerProcess::operator=(ServerProcess&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(pid_, other.pid_);
  std::swap(port_, other.port_);
  std::swap(exit_code_, other.exit_code_);
  return *this;
}

ServerProcess::~ServerProcess() {
  EndNow();
  if (directory_.empty()) return;
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

bool UsesMemoryOnly(const std::vector<std::string>& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--in-memory") != arguments.end();
}

ServerProcess ServerProcess::Laurel(const std::vector<std::string>& extra_arguments) {
  ServerProcess server;
  std::vector<std::string> command = {LaurelBinary(), "serve", "--port", "0"};
  if (!UsesMemoryOnly(extra_arguments)) {
    command.insert(command.end(), {"--data", server.directory_ / "data"});
  }
  command.insert(command.end(), extra_arguments.begin(), extra_arguments.end());
  server.Start(command);
  server.WaitForReadyLine();
  return server;
}

ServerProcess ServerProcess::Redis(const std::vector<std::string>& extra_arguments) {
  std::string output;
  for (int attempt = 0; attempt < kPortAttempts; ++attempt) {
    ServerProcess server;
    server.port_ = FreePort();
    std::vector<std::string> command = {"redis-server",
                                        "--port",
                                        std::to_string(server.port_),
                                        "--bind",
                                        "127.0.0.1",
                                        "--save",
                                        "",
                                        "--appendonly",
                                        "no",
                                        "--daemonize",
                                        "no",
                                        "--dir",
                                        server.directory_,
                                        "--loglevel",
                                        "warning"};
    command.insert(command.end(), extra_arguments.begin(), extra_arguments.end());
    server.Start(command);
    if (server.WaitForPong()) return server;
    output = server.Output();
  }
  throw std::runtime_error("redis-server did not start; it printed:\n" + output);
}

void ServerProcess::Start(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string stdout_path = directory_ / "stdout";
  const std::string stderr_path = directory_ / "stderr";
  // Output() begins with the command line, which often explains a failed start.
  std::ofstream(directory_ / "command") << Joined(command) << '\n';

  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) BecomeServer(arguments.data(), stdout_path.c_str(), stderr_path.c_str(), parent);
}

void ServerProcess::WaitForReadyLine() {
  static const std::regex kReady("resp [^ ]*:([0-9]+)");
  const Deadline deadline(kReadyTimeoutMs);
  while (!deadline.Passed()) {
    // Checked before the file is read, so that the last output of a process that just ended is
    // seen.
    const bool running = Running();
    const std::string printed = ReadFile(directory_ / "stdout");
    const std::string whole_lines = printed.substr(0, printed.rfind('\n') + 1);
    if (std::smatch match; std::regex_search(whole_lines, match, kReady)) {
      port_ = std::stoi(match[1]);
      return;
    }
    if (!running) {
      throw std::runtime_error("the server ended with " + std::to_string(exit_code_) +
                               " before it was ready\n" + Output());
    }
    Sleep(kPollIntervalMs);
  }
  throw std::runtime_error("the server printed no ready line\n" + Output());
}

bool ServerProcess::WaitForPong() {
  const Deadline deadline(kReadyTimeoutMs);
  while (!deadline.Passed()) {
    if (!Running()) return false;
    try {
      RespClient client(port_);
      if (client.Command({"PING"}).text == "PONG") return true;
    } catch (const std::runtime_error&) {
      // The server does not listen yet.
    }
    Sleep(kPollIntervalMs);
  }
  throw std::runtime_error("no answer to PING on port " + std::to_string(port_) + "\n" + Output());
}

bool ServerProcess::Running() {
  if (pid_ < 0) return false;
  return !WaitForEnd(0);
}

bool ServerProcess::WaitForEnd(int timeout_ms) {
  const Deadline deadline(timeout_ms);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) {
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      pid_ = -1;
      return true;
    }
    if (ended < 0) throw std::system_error(errno, std::generic_category(), "waitpid");
    if (deadline.Passed()) return false;
    Sleep(kPollIntervalMs);
  }
}

int ServerProcess::Stop() {
  if (pid_ < 0) throw std::runtime_error("the server does not run\n" + Output());
  kill(pid_, SIGTERM);
  if (!WaitForEnd(kStopTimeoutMs)) {
    throw std::runtime_error("the server does not stop after SIGTERM\n" + Output());
  }
  return exit_code_;
}

void ServerProcess::Kill() {
  if (pid_ < 0) throw std::runtime_error("the server does not run\n" + Output());
  EndNow();
}

void ServerProcess::EndNow() noexcept {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  exit_code_ = 128 + SIGKILL;
  pid_ = -1;
}

std::size_t ServerProcess::ResidentBytes() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
  std::size_t total_pages = 0;
  std::size_t resident_pages = 0;
  if (!(file >> total_pages >> resident_pages)) {
    throw std::runtime_error("no memory figures of process " + std::to_string(pid_));
  }
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string ServerProcess::Output() const {
  return ReadFile(directory_ / "command") + ReadFile(directory_ / "stdout") +
         ReadFile(directory_ / "stderr");
}

}  // namespace laurel::black_box
