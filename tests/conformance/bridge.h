// A real cluster client, in a process of its own: bridge.py (redis-py) or bridge.mjs (ioredis).
//
// A bridge takes commands in RESP on a port of 127.0.0.1, sends each through its client, and sends
// the client's reply back as RESP2.
#pragma once

#include "server/child_process.h"
#include "server/resp_client.h"
#include "tests/conformance/operation_words.h"

namespace laurel::conformance {

enum class ClusterClient { kPython, kNode };

class Bridge {
 public:
  // `port`: of any server of the cluster.
  Bridge(ClusterClient client, int port);

  // An error's text begins with its code, as the server sends it.
  resp::Value Ask(const Words& words);

 private:
  static black_box::ChildProcess Started(ClusterClient client, int port);

  black_box::ChildProcess process_;
  black_box::RespClient client_;
};

}  // namespace laurel::conformance
