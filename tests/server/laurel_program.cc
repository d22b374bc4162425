#include "server/laurel_program.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace laurel::black_box {
namespace {

std::string ShellQuoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string Binary() {
  const char* given = std::getenv("LAUREL_BINARY");
  return given != nullptr && *given != '\0' ? given : LAUREL_BINARY;
}

std::string LastMatch(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::string found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    found = (*at)[1];
  }
  return found;
}

}  // namespace

ProgramResult RunLaurel(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment) {
  std::string command = "env";
  for (const std::string& word : environment) command += " " + ShellQuoted(word);
  command += " timeout -s KILL 120 " + ShellQuoted(Binary());
  for (const std::string& argument : arguments) command += " " + ShellQuoted(argument);
  FILE* pipe = popen((command + " 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  ProgramResult result;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) {
    result.output.append(buffer, count);
  }
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "laurel-program-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

FolderServer::FolderServer(const std::filesystem::path& data,
                           const std::vector<std::string>& extra_arguments) {
  std::vector<std::string> words = {Binary(),      "serve",   "--port", "0",
                                    "--log-level", "warning", "--data", data.string()};
  words.insert(words.end(), extra_arguments.begin(), extra_arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
  std::string line;
  char c = 0;
  while (line.find("ready: ") == std::string::npos || c != '\n') {
    if (read(output_, &c, 1) != 1) {
      const int exit_code = End(SIGKILL);
      throw std::runtime_error("the server ended with " + std::to_string(exit_code));
    }
    line += c;
  }
  port_ = std::stoi(LastMatch(line, "resp 127\\.0\\.0\\.1:([0-9]+)"));
}

FolderServer::~FolderServer() {
  if (pid_ > 0) Kill();
}

int FolderServer::End(int signal) {
  if (pid_ <= 0) throw std::runtime_error("the server does not run");
  int status = 0;
  kill(pid_, signal);
  waitpid(pid_, &status, 0);
  close(output_);
  pid_ = output_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteFile(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string DigestIn(const std::string& output) {
  return LastMatch(output, "digest ([0-9a-f]{16})");
}

long RecordIn(const std::string& output) {
  const std::string record = LastMatch(output, "state at record ([0-9]+)");
  return record.empty() ? -1 : std::stol(record);
}

}  // namespace laurel::black_box
