// The module in a cluster of three primaries and three replicas, through a real cluster client, in
// RESP2. Boards are in random slots.
//
// The cluster and the clients are started with the first host, and end with the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/conformance/bridge.h"
#include "tests/conformance/cluster.h"
#include "tests/conformance/module_host.h"

namespace laurel::conformance {

class ClusterHost : public ModuleHost {
 public:
  ClusterHost(ClusterClient client, std::uint64_t seed);

 protected:
  resp::Value Send(const Words& words) override { return bridge_.Ask(words); }
  std::string NextBoard() override;
  ModuleNode& Primary() override;  // waits for a failover and a move to end
  std::vector<ModuleNode*> Replicas() override { return {shard_->replica}; }
  // At random: from an RDB file, a failover, or a move of the board's slot to other servers. The
  // last two may still go on when this returns. The client learns of them by redirections.
  void Reload() override;

 private:
  Cluster& cluster_;
  Bridge& bridge_;
  Cluster::Shard* shard_ = nullptr;  // of the board
};

}  // namespace laurel::conformance
