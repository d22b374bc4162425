#include "server/durable_server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/process.h"

namespace laurel::black_box {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{60};

std::string Binary() {
  const char* given = std::getenv("LAUREL_BINARY");
  return given != nullptr && *given != '\0' ? given : LAUREL_BINARY;
}

fs::path NewDirectory() {
  std::string pattern = (fs::temp_directory_path() / "laurel-durable-XXXXXX").string();
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

}  // namespace

DurableServer::DurableServer() : directory_(NewDirectory()), data_(directory_ / "data") {}

DurableServer::DurableServer(fs::path data) : directory_(NewDirectory()), data_(std::move(data)) {}

DurableServer::~DurableServer() {
  if (pid_ > 0) Kill();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void DurableServer::Launch(const std::vector<std::string>& arguments) {
  if (pid_ > 0) throw std::runtime_error("the server runs already\n" + Output());
  std::vector<std::string> words = {Binary(), "serve"};
  if (!UsesMemoryOnly(arguments)) words.insert(words.end(), {"--data", data_});
  if (std::find(arguments.begin(), arguments.end(), "--port") == arguments.end()) {
    words.insert(words.end(), {"--port", "0"});
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string out_path = directory_ / "stdout";
  const std::string error_path = directory_ / "stderr";
  // The output of an earlier start must not be read as that of this one.
  fs::remove(out_path);
  fs::remove(error_path);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ > 0) return;
  // In the child: must not call anything that may lock or allocate.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(out_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int error = open(error_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (in < 0 || out < 0 || error < 0) _exit(127);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  for (const auto& [resource, limit] : limits_) {
    if (setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) _exit(127);
  }
  execv(pointers[0], pointers.data());
  _exit(127);
}

void DurableServer::AwaitReady() {
  static const std::regex kReady(" ready: resp [^ ]*:([0-9]+).*\n");
  const bool ready = Await([&] {
    const bool running = Running();  // checked before the file is read, to miss no output
    const std::string printed = ReadFile(directory_ / "stdout");
    if (std::smatch match; std::regex_search(printed, match, kReady)) {
      port_ = std::stoi(match[1]);
      return true;
    }
    if (!running) {
      throw std::runtime_error("the server ended with " + std::to_string(exit_code_) +
                               " before it was ready\n" + Output());
    }
    return false;
  });
  if (!ready) throw std::runtime_error("the server printed no ready line\n" + Output());
}

std::string DurableServer::StartRefused(const std::vector<std::string>& arguments) {
  Launch(arguments);
  const auto ready = [&] {
    return ReadFile(directory_ / "stdout").find(" ready: ") != std::string::npos;
  };
  if (!Await([&] { return !Running() || ready(); }) || Running()) {
    throw std::runtime_error("the server was expected to refuse\n" + Output());
  }
  if (exit_code_ != 1) {
    throw std::runtime_error("ended with " + std::to_string(exit_code_) + "\n" + Output());
  }
  return ReadFile(directory_ / "stderr");
}

void DurableServer::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  Reap(true);
}

int DurableServer::Stop() {
  if (!Running()) throw std::runtime_error("the server does not run\n" + Output());
  kill(pid_, SIGTERM);
  return AwaitEnd();
}

int DurableServer::AwaitEnd() {
  if (!Await([&] { return !Running(); })) {
    throw std::runtime_error("the server does not end\n" + Output());
  }
  return exit_code_;
}

bool DurableServer::Running() { return pid_ > 0 && !Reap(false); }

// Returns true if the process has ended.
bool DurableServer::Reap(bool wait) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(pid_, &status, wait ? 0 : WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  pid_ = -1;
  return true;
}

std::vector<fs::path> DurableServer::Files(const std::string& prefix) const {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(data_, none)) {
    if (entry.path().filename().string().starts_with(prefix)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string DurableServer::Output() const {
  return ReadFile(directory_ / "stdout") + ReadFile(directory_ / "stderr");
}

}  // namespace laurel::black_box
