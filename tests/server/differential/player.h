// Plays a stream on two servers at once and compares their replies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "server/differential/comparison.h"
#include "server/differential/step.h"
#include "server/resp_client.h"

namespace laurel::differential {

struct Difference {
  std::size_t step = 0;
  std::string connection;
  Arguments command;
  std::string expected;  // the reply of the first server
  std::string actual;
  std::string why;

  // Equal for differences that likely have one cause: made of the command's name and the types of
  // the replies.
  std::string Signature() const;
};

// How a stream is sent. Neither field changes the commands of the stream.
struct Manner {
  int protocol = 2;
  std::uint64_t cut_seed = 0;  // where the bytes are cut into pieces
};

class Player {
 public:
  // The server at `expected_port` is the reference.
  Player(int expected_port, int actual_port)
      : expected_port_(expected_port), actual_port_(actual_port) {}

  // Plays `stream` on empty servers with new connections, up to the first difference. Failures of
  // the second server (a closed connection, no reply, no RESP) are differences too; failures of the
  // first are thrown.
  std::optional<Difference> Play(const Stream& stream, const Manner& manner);

  // Returns a shorter stream that still differs in the same way, by leaving out ever smaller
  // pieces. Stops after a time limit.
  Stream Shrink(Stream stream, const Manner& manner, const Difference& difference);

 private:
  int expected_port_;
  int actual_port_;
};

}  // namespace laurel::differential
