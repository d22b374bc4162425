#include "tests/conformance/bridge.h"

#include <stdexcept>

namespace laurel::conformance {
namespace {

// A client retries for some time before it gives up.
constexpr int kReplyTimeoutMs = 120'000;

}  // namespace

black_box::ChildProcess Bridge::Started(ClusterClient client, int port) {
  black_box::ChildProcess process;
  const std::string folder = LAUREL_BRIDGES;
  const std::string port_text = std::to_string(port);
  if (client == ClusterClient::kPython) {
    process.Start({"/usr/bin/python3", "-B", folder + "/bridge.py", "127.0.0.1", port_text});
  } else {
    process.Start({"/usr/bin/env", "LAUREL_MODULES=" LAUREL_CLIENTS, "node", folder + "/bridge.mjs",
                   "127.0.0.1", port_text});
  }
  return process;
}

Bridge::Bridge(ClusterClient client, int port)
    : process_(Started(client, port)), client_(process_.AwaitReady(), kReplyTimeoutMs) {}

resp::Value Bridge::Ask(const Words& words) {
  try {
    return client_.Command(words);
  } catch (const std::runtime_error& error) {
    process_.Kill();  // its next reply would be taken for that of another command
    throw std::runtime_error(error.what() + ("\n" + process_.Report()));
  }
}

}  // namespace laurel::conformance
