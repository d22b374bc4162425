// A server with the module, as a process, and a client that speaks RESP3 to it.
//
// LAUREL_TEST_REDIS names another server program than redis-server.
#pragma once

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "server/process.h"
#include "server/resp_client.h"
#include "tests/conformance/operation_words.h"

namespace laurel::conformance {

// Calls done() until it is true. Throws std::runtime_error after a minute.
template <typename Done>
void Await(const std::string& what, const Done& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("no end of " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class ModuleNode {
 public:
  // `options`: of the server, besides those that all servers with the module have here.
  explicit ModuleNode(const Words& options);

  // Sends a command that must succeed.
  resp::Value Do(const Words& words);
  // Sends a command and reads its reply later, in the order of the commands.
  void Send(const Words& words) { client_.Send(words); }
  resp::Value Read() { return client_.ReadReply(); }

  // The value of a field of a section of INFO. Throws std::runtime_error if there is none.
  std::string Info(std::string_view section, std::string_view field);
  // Covers the whole state of a board; zeros if there is none.
  std::string Digest(const std::string& board);

  // Waits until the sweep has done everything that is due.
  void AwaitSweep();
  // Waits until no child process saves or rewrites. After a full synchronisation a replica rewrites
  // its AOF by itself, which is not whole before that.
  void AwaitJobs();
  // Makes this server a replica, or waits until it has become one otherwise.
  void Follow(const ModuleNode& primary);
  void AwaitLink();
  // Waits until this replica has applied everything that the primary has done so far. WAIT counts
  // only what its own connection wrote, so neither the sweep's effects nor another client's.
  void AwaitAllOf(ModuleNode* primary);

  [[nodiscard]] int port() const { return server_.port(); }
  [[nodiscard]] std::string port_text() const { return std::to_string(port()); }
  [[nodiscard]] const std::filesystem::path& folder() const { return server_.directory(); }

 private:
  black_box::ServerProcess server_;
  black_box::RespClient client_;
};

}  // namespace laurel::conformance
