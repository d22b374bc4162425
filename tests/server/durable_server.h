// Runs Laurel on one data folder over several starts, stops and kills.
//
// See child_process.h for failures and threads.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include "server/child_process.h"
#include "server/resp_client.h"

namespace laurel::black_box {

class DurableServer {
 public:
  // Uses a fresh folder, removed with this object, or the folder `data`, which the caller owns.
  // Starts nothing. The destructor kills the server if it still runs.
  DurableServer() : data_(process_.directory() / "data") {}
  explicit DurableServer(std::filesystem::path data) : data_(std::move(data)) {}

  // Sets a resource limit (RLIMIT_…), soft and hard, for the servers that are launched from now on.
  void SetLimit(int resource, rlim_t soft, rlim_t hard) { limits_[resource] = {soft, hard}; }
  void ClearLimits() { limits_.clear(); }
  // Adds variables ("NAME=value") to the environment of the servers that are launched from now on.
  void SetEnvironment(std::vector<std::string> variables) { environment_ = std::move(variables); }

  // Starts `laurel serve --data <data()>` with `arguments` and the ports of ServeArguments. Does
  // not wait until the server listens. REQUIRES: not running.
  void Launch(const std::vector<std::string>& arguments = {});
  // Waits until the server has loaded its data and printed its ready line.
  void AwaitReady() {
    port_ = process_.AwaitReady();
    http_port_ = process_.HttpPort();
  }
  void Start(const std::vector<std::string>& arguments = {}) {
    Launch(arguments);
    AwaitReady();
  }
  // Starts a server that is expected to refuse to start. Returns what it wrote to standard error.
  // Throws if it becomes ready, does not end, or ends with an exit code other than 1.
  std::string StartRefused(const std::vector<std::string>& arguments = {});

  // Sends SIGKILL and waits. No effect if the server was stopped or killed before.
  void Kill() { process_.Kill(); }
  // Sends SIGTERM and waits. Returns the exit code. Throws if the server has ended by itself.
  int Stop();
  // Waits until the server ends by itself. Returns the exit code, or 128 + the signal.
  int AwaitEnd() { return process_.AwaitEnd(); }
  bool Running() { return process_.Running(); }

  const std::filesystem::path& data() const { return data_; }
  // The files of the data folder whose names begin with `prefix`, sorted.
  std::vector<std::filesystem::path> Files(const std::string& prefix) const;
  int port() const { return port_; }
  // 0 unless the arguments turn HTTP on.
  int http_port() const { return http_port_; }
  pid_t pid() const { return process_.pid(); }
  RespClient Connect() const { return RespClient(port_); }
  // The output of the server since its last start.
  std::string Output() const { return process_.Output(); }

 private:
  ChildProcess process_;  // its folder holds the data unless `data` was given
  std::filesystem::path data_;
  int port_ = 0;
  int http_port_ = 0;
  ChildProcess::Limits limits_;
  std::vector<std::string> environment_;
};

}  // namespace laurel::black_box
