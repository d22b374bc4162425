// Runs Laurel on one data folder over several starts, stops and kills.
//
// Failures throw std::runtime_error, with the server's output where there is any. As with
// ServerProcess, the operating system kills the child when the thread that started it ends.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "server/resp_client.h"

namespace laurel::black_box {

class DurableServer {
 public:
  // Uses a fresh folder, removed with this object, or the folder `data`, which the caller owns.
  // Starts nothing.
  DurableServer();
  explicit DurableServer(std::filesystem::path data);
  DurableServer(const DurableServer&) = delete;
  DurableServer& operator=(const DurableServer&) = delete;
  ~DurableServer();

  // Sets a resource limit (RLIMIT_…), soft and hard, for the servers that are launched from now on.
  void SetLimit(int resource, rlim_t soft, rlim_t hard) { limits_[resource] = {soft, hard}; }
  void ClearLimits() { limits_.clear(); }

  // Starts `laurel serve --data <data()>` with `arguments`, and with `--port 0` unless they give a
  // port. Does not wait until the server listens. REQUIRES: not running.
  void Launch(const std::vector<std::string>& arguments = {});
  // Waits until the server has loaded its data and printed its ready line.
  void AwaitReady();
  void Start(const std::vector<std::string>& arguments = {}) {
    Launch(arguments);
    AwaitReady();
  }
  // Starts a server that is expected to refuse to start. Returns what it wrote to standard error.
  // Throws if it becomes ready, or ends with an exit code other than 1.
  std::string StartRefused(const std::vector<std::string>& arguments = {});

  // Sends SIGKILL and waits. REQUIRES: running, or ended by itself.
  void Kill();
  // Sends SIGTERM and waits. Returns the exit code.
  int Stop();
  // Waits until the server ends by itself. Returns the exit code, or 128 + the signal.
  int AwaitEnd();
  bool Running();

  const std::filesystem::path& data() const { return data_; }
  // The files of the data folder whose names begin with `prefix`, sorted.
  std::vector<std::filesystem::path> Files(const std::string& prefix) const;
  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  RespClient Connect() const { return RespClient(port_); }
  // The output of the server since its last start.
  std::string Output() const;

 private:
  bool Reap(bool wait);

  std::filesystem::path directory_;  // holds the output, and the data unless `data` was given
  std::filesystem::path data_;
  pid_t pid_ = -1;
  int port_ = 0;
  int exit_code_ = -1;
  std::map<int, rlimit> limits_;
};

}  // namespace laurel::black_box
