// The module in one server, or in a primary with two replicas; RESP3. Saves and rewrites of the
// AOF run beside the operations.
//
// The servers are started with the first host of their kind, and end with the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/module_host.h"

namespace laurel::conformance {

class ReplicatedHost : public ModuleHost {
 public:
  ReplicatedHost(std::size_t replicas, std::uint64_t seed);

  // Now and then begins a background save or rewrite first.
  std::string Ask(const leaderboard::Operation& operation) override;
  void Advance() override;

 protected:
  resp::Value Send(const Words& words) override;
  std::string NextBoard() override;
  ModuleNode& Primary() override { return *nodes_[0]; }
  std::vector<ModuleNode*> Replicas() override { return {nodes_.begin() + 1, nodes_.end()}; }
  // At random: from an RDB file, from the AOF, from a rewritten AOF, or a failover to a replica.
  void Reload() override;

 private:
  void Replicate();  // makes all other nodes replicas of the first
  void BeginSave();
  void BeginRewrite();
  // Loads the last background save into another server, and compares.
  void CompareSaved();

  std::vector<ModuleNode*> nodes_;    // the primary first
  std::optional<std::string> saved_;  // the digest that the background save must have
};

}  // namespace laurel::conformance
