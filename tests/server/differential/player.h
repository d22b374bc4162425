// Plays a stream on two servers at once and compares what they answer.
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

  // The same for differences that likely have one cause: the command, and what kind of replies.
  std::string Signature() const;
};

// How a stream is played: both say nothing about what is sent.
struct Manner {
  int protocol = 2;
  std::uint64_t cut_seed = 0;  // where the bytes are cut into pieces
};

class Player {
 public:
  // The server at `expected_port` is taken to be right.
  Player(int expected_port, int actual_port)
      : expected_port_(expected_port), actual_port_(actual_port) {}

  // From a state without keys, with new connections. Ends at the first difference. What goes wrong
  // with the second server (a closed connection, no reply, no RESP) is a difference too; with the
  // first it is thrown.
  std::optional<Difference> Play(const Stream& stream, const Manner& manner);

  // Fewer steps of `stream` that still differ in the same way: tries to leave out ever smaller
  // pieces. Gives up looking after a while.
  Stream Shrink(Stream stream, const Manner& manner, const Difference& difference);

 private:
  int expected_port_;
  int actual_port_;
};

}  // namespace laurel::differential
