// Runs the `laurel` program, for tests of its commands other than `serve`, and servers on the data
// folders that these commands work on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace laurel::black_box {

struct ProgramResult {
  int exit_code = -1;  // or 128 + the signal that ended it
  std::string output;  // standard output and standard error

  bool Says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

// Runs `laurel` with these arguments, without a terminal. `environment`: "NAME=value" words.
ProgramResult RunLaurel(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment = {});

// A fresh temporary folder, removed with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Runs `laurel serve` on a data folder that outlives it. The destructor kills the server.
class FolderServer {
 public:
  // Starts the server and waits for its ready line. Throws std::runtime_error if the server ends
  // first.
  explicit FolderServer(const std::filesystem::path& data,
                        const std::vector<std::string>& extra_arguments = {});
  ~FolderServer();
  FolderServer(const FolderServer&) = delete;
  FolderServer& operator=(const FolderServer&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  // Sends SIGKILL or SIGTERM and waits. Returns the exit code, or 128 + the signal.
  int Kill() { return End(9); }
  int Stop() { return End(15); }

 private:
  int End(int signal);

  pid_t pid_ = -1;
  int output_ = -1;  // pipe from the server's standard output
  int port_ = 0;
};

std::string ReadFile(const std::filesystem::path& path);
void WriteFile(const std::filesystem::path& path, const std::string& bytes);

// The last digest in the output of `laurel check` or `laurel restore`; empty if there is none.
std::string DigestIn(const std::string& output);
// The record number in the last text "state at record …" of such an output; -1 if there is none.
long RecordIn(const std::string& output);

}  // namespace laurel::black_box
