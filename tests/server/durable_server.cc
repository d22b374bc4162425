#include "server/durable_server.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

namespace laurel::black_box {

namespace fs = std::filesystem;

void DurableServer::Launch(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = ServeArguments(arguments);
  if (!UsesMemoryOnly(arguments)) command.insert(command.begin() + 1, {"--data", data_});
  command.insert(command.begin(), LaurelBinary());
  if (!environment_.empty()) {
    command.insert(command.begin(), environment_.begin(), environment_.end());
    command.insert(command.begin(), "env");
  }
  process_.Start(command, limits_);
}

std::string DurableServer::StartRefused(const std::vector<std::string>& arguments) {
  Launch(arguments);
  const int exit_code = AwaitEnd();
  if (exit_code != 1) {
    throw std::runtime_error("ended with " + std::to_string(exit_code) + "\n" + Output());
  }
  if (process_.StandardOutput().find(" ready: ") != std::string::npos) {
    throw std::runtime_error("the server was expected to refuse\n" + Output());
  }
  return process_.StandardError();
}

int DurableServer::Stop() {
  if (!Running()) throw std::runtime_error("the server does not run\n" + Output());
  return process_.Stop();
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

}  // namespace laurel::black_box
