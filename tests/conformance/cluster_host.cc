#include "tests/conformance/cluster_host.h"

#include <map>
#include <memory>

#include "tests/conformance/reply_text.h"

namespace laurel::conformance {
namespace {

constexpr std::uint64_t kNames = 100'000;

Bridge& SharedBridge(ClusterClient client) {
  static std::map<ClusterClient, std::unique_ptr<Bridge>> bridges;
  std::unique_ptr<Bridge>& bridge = bridges[client];
  if (bridge == nullptr) {
    bridge = std::make_unique<Bridge>(client, Cluster::Shared().nodes().back()->port());
  }
  return *bridge;
}

}  // namespace

ClusterHost::ClusterHost(ClusterClient client, std::uint64_t seed)
    : ModuleHost(Cluster::Shared().nodes(), seed),
      cluster_(Cluster::Shared()),
      bridge_(SharedBridge(client)) {
  cluster_.FinishMove();
  for (const Cluster::Shard& shard : cluster_.shards()) {
    cluster_.AwaitFailover(shard);
    shard.primary->Do({"FLUSHALL"});
  }
}

std::string ClusterHost::NextBoard() {
  const std::string name = std::string(kBoard) + std::to_string(random().Below(kNames));
  shard_ = cluster_.ShardOf(name);
  return name;
}

ModuleNode& ClusterHost::Primary() {
  cluster_.AwaitFailover(*shard_);
  cluster_.FinishMove();
  return *shard_->primary;
}

void ClusterHost::Reload() {
  switch (random().Below(3)) {
    case 0:
      Primary().Do({"DEBUG", "RELOAD"});
      break;
    case 1: {
      const bool holds_writes_back = cluster_.BeginFailover(shard_);
      if (!holds_writes_back || random().OneIn(2)) cluster_.AwaitFailover(*shard_);
      break;
    }
    default: {
      Cluster::Shard* to = &cluster_.shards()[random().Below(cluster_.shards().size())];
      if (to == shard_) break;
      cluster_.AwaitFailover(*to);
      cluster_.BeginMove(board(), to);
      shard_ = to;
      if (random().OneIn(2)) cluster_.FinishMove();
    }
  }
}

}  // namespace laurel::conformance
