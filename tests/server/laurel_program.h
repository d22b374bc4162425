// The `laurel` program, run to its end: for tests of the commands that are no servers.
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

// A folder of its own, gone with the object.
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

// `laurel serve` on the data of a folder that outlives it. Killed with the object.
class FolderServer {
 public:
  // Ready to be talked to; throws std::runtime_error if it does not become so.
  explicit FolderServer(const std::filesystem::path& data,
                        const std::vector<std::string>& extra_arguments = {});
  ~FolderServer();
  FolderServer(const FolderServer&) = delete;
  FolderServer& operator=(const FolderServer&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  // SIGKILL, or SIGTERM, and waits; gives the exit code, or 128 + the signal.
  int Kill() { return End(9); }
  int Stop() { return End(15); }

 private:
  int End(int signal);

  pid_t pid_ = -1;
  int output_ = -1;  // its standard output
  int port_ = 0;
};

std::string ReadFile(const std::filesystem::path& path);
void WriteFile(const std::filesystem::path& path, const std::string& bytes);

// The digest that `laurel check` or `laurel restore` prints; empty if there is none.
std::string DigestIn(const std::string& output);
// The record of its line "state at record …"; -1 if there is none.
long RecordIn(const std::string& output);

}  // namespace laurel::black_box
