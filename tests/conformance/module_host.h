// The module inside redis-server, with LB commands as requests and replies in RESP3: a primary with
// a replica that must have the same digest.
//
// LAUREL_TEST_REDIS names another server program than redis-server.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "laurel/spec.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "tests/conformance/host.h"
#include "tests/conformance/operation_words.h"

namespace laurel::conformance {

class ModuleHost : public Host {
 public:
  explicit ModuleHost(std::uint64_t seed);

  void SetTime(Stamp now) override;
  void Create(const Spec& spec) override;
  std::string Ask(const leaderboard::Operation& operation) override;
  // Waits for the sweep, and compares the digests of primary and replica.
  void Advance() override;
  // At random: from an RDB file, from the AOF, from a rewritten AOF, or a failover to the replica.
  void Restart() override;
  [[nodiscard]] bool Takes(const leaderboard::Operation& operation) const override;
  // LB.REMOVE has no PERIOD, and an instance's name would be another key.
  [[nodiscard]] std::vector<std::string> KnownDifferences() const override {
    return {"REMOVE and CLEAR of one instance"};
  }
  [[nodiscard]] std::string Check() const override { return trouble_; }

 private:
  // A server, and a client that speaks RESP3 to it.
  struct Node {
    Node();
    black_box::ServerProcess server;
    black_box::RespClient client;
  };

  // Sends a command that must succeed.
  static resp::Value Do(Node* node, const Words& words);
  void Replicate();  // makes replica_ a replica of primary_, and waits until it is
  void CompareDigests();
  void AwaitRewrite();

  base::Random random_;
  Node first_;
  Node second_;
  Node* primary_ = &first_;
  Node* replica_ = &second_;
  Stamp now_ = 1;
  Spec spec_;
  std::string trouble_;
};

}  // namespace laurel::conformance
