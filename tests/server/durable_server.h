// A Laurel whose data outlives it: started, killed and started again on one folder.
//
// Whatever goes wrong is thrown as std::runtime_error with what the server printed. As with
// ServerProcess, the operating system ends the child with the thread that started it.
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
  // In a fresh folder, which goes with this object; `data` is a folder of somebody else's. Nothing
  // is started.
  DurableServer();
  explicit DurableServer(std::filesystem::path data);
  DurableServer(const DurableServer&) = delete;
  DurableServer& operator=(const DurableServer&) = delete;
  ~DurableServer();

  // A resource limit (RLIMIT_…), soft and hard, of the servers that are launched from now on.
  void SetLimit(int resource, rlim_t soft, rlim_t hard) { limits_[resource] = {soft, hard}; }
  void ClearLimits() { limits_.clear(); }

  // `laurel serve --port 0 --data <data()>` and the arguments; it may not listen yet.
  // REQUIRES: not running.
  void Launch(const std::vector<std::string>& arguments = {});
  // Until it has loaded its data and says so.
  void AwaitReady();
  void Start(const std::vector<std::string>& arguments = {}) {
    Launch(arguments);
    AwaitReady();
  }
  // Starts a server that is expected to refuse: what it wrote to standard error. Throws if it
  // becomes ready, or ends with another code than 1.
  std::string StartRefused(const std::vector<std::string>& arguments = {});

  // SIGKILL. REQUIRES: running, or ended by itself.
  void Kill();
  // SIGTERM; the exit code.
  int Stop();
  // Waits until it ends by itself: the exit code, or 128 + the signal.
  int AwaitEnd();
  bool Running();

  const std::filesystem::path& data() const { return data_; }
  // The files of the data folder whose names begin so, sorted.
  std::vector<std::filesystem::path> Files(const std::string& prefix) const;
  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  RespClient Connect() const { return RespClient(port_); }
  // What the last start has printed.
  std::string Output() const;

 private:
  bool Reap(bool wait);

  std::filesystem::path directory_;  // holds what was printed, and the data unless it is elsewhere
  std::filesystem::path data_;
  pid_t pid_ = -1;
  int port_ = 0;
  int exit_code_ = -1;
  std::map<int, rlimit> limits_;
};

}  // namespace laurel::black_box
