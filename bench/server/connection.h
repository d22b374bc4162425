// A plain RESP client that fills boards and inspects replies. It is not measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/server/process.h"

namespace laurel::bench {

using Command = std::vector<std::string>;

// Returns the bytes that redis-benchmark sends for the command.
std::string Encode(const Command& command);

class Connection {
 public:
  // Throws Failure if the connection is refused.
  explicit Connection(const Target& target);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Send(std::string_view bytes);
  // Returns the raw bytes of the next reply. Throws Failure if it is an error or the server has
  // gone.
  std::string ReadReply();
  std::string Ask(const Command& command);

  // The socket, to wait for replies of several connections at once.
  [[nodiscard]] int descriptor() const { return socket_; }

 private:
  std::string name_;
  int socket_ = -1;
  std::string input_;
};

// Empties `board`, then adds every member 0 … members − 1 once, in mixed order, with random scores
// below `members`, identical on every server. Prints a line. Throws Failure unless the board then
// holds all of them.
void FillBoard(const Target& target, const std::string& board, std::uint64_t members);

}  // namespace laurel::bench
