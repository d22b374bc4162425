#include "tests/conformance/cluster.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace laurel::conformance {
namespace {

constexpr std::size_t kShards = 3;
constexpr std::size_t kSlots = 16'384;
constexpr std::size_t kSlotsOfAShard = (kSlots + kShards - 1) / kShards;

// Short, because a server asks for votes again only after four times this timeout. Promotions
// happen on request alone, and a server that answers late closes no slots.
constexpr int kNodeTimeoutMs = 2000;
constexpr std::chrono::milliseconds kElectionInterval{4 * kNodeTimeoutMs + 1000};

std::string SlotOf(ModuleNode* node, const std::string& board) {
  return node->Do({"CLUSTER", "KEYSLOT", board}).text;
}

std::string IdOf(ModuleNode* node) { return node->Do({"CLUSTER", "MYID"}).text; }

// Prepares a slot for its move. A server refuses that until it knows the other one as a primary,
// which takes a moment after a failover.
void SetSlot(ModuleNode* node, const std::string& slot, const char* state, ModuleNode* other) {
  const std::string id = IdOf(other);
  Await(std::string("SETSLOT ") + state, [&] {
    node->Send({"CLUSTER", "SETSLOT", slot, state, id});
    const resp::Value reply = node->Read();
    const bool early = reply.text.find("Target node is not a") != std::string::npos;
    if (reply.text != "OK" && !early) throw std::runtime_error("SETSLOT: " + reply.text);
    return !early;
  });
}

// Whether a server redirects requests for the slot to the port, or listens there itself.
bool KnowsOwner(ModuleNode* node, const std::string& slot, int port) {
  for (const resp::Value& range : node->Do({"CLUSTER", "SLOTS"}).elements) {
    const bool holds = range.elements.at(0).Integer() <= std::stoll(slot) &&
                       range.elements.at(1).Integer() >= std::stoll(slot);
    if (holds) return range.elements.at(2).elements.at(1).Integer() == port;
  }
  return false;
}

// How many servers a server knows.
std::size_t KnownTo(ModuleNode* node) {
  std::istringstream lines(node->Do({"CLUSTER", "NODES"}).text);
  std::size_t known = 0;
  for (std::string line; std::getline(lines, line);) {
    known += line.find("handshake") == std::string::npos ? 1 : 0;
  }
  return known;
}

}  // namespace

Cluster& Cluster::Shared() {
  static Cluster cluster;
  return cluster;
}

Cluster::Cluster() {
  for (std::size_t i = 0; i < 2 * kShards; ++i) {
    nodes_.push_back(std::make_unique<ModuleNode>(
        Words{"--cluster-enabled", "yes", "--cluster-node-timeout", std::to_string(kNodeTimeoutMs),
              "--cluster-replica-no-failover", "yes", "--cluster-require-full-coverage", "no"}));
  }
  Meet();
  MakeReplicas();
}

void Cluster::Meet() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i]->Do({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    const std::string bus = nodes_[i]->Do({"CONFIG", "GET", "cluster-port"}).elements.at(1).text;
    for (std::size_t k = 0; k < i; ++k) {
      nodes_[k]->Do({"CLUSTER", "MEET", "127.0.0.1", nodes_[i]->port_text(), bus});
    }
  }
  for (const auto& node : nodes_) {
    Await("the meeting", [&] { return KnownTo(node.get()) == nodes_.size(); });
  }
}

void Cluster::MakeReplicas() {
  for (std::size_t i = 0; i < kShards; ++i) {
    shards_[i] = {nodes_[i].get(), nodes_[kShards + i].get()};
    const std::size_t first = i * kSlotsOfAShard;
    const std::size_t last = std::min(first + kSlotsOfAShard, kSlots) - 1;
    shards_[i].primary->Do(
        {"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(last)});
    shards_[i].replica->Do({"CLUSTER", "REPLICATE", IdOf(shards_[i].primary)});
  }
  for (const Shard& shard : shards_) AwaitFailover(shard);
  for (const auto& node : nodes_) {
    Await("the cluster", [&] {
      const std::string info = node->Do({"CLUSTER", "INFO"}).text;
      return info.find("cluster_state:ok") != std::string::npos &&
             info.find("cluster_slots_ok:" + std::to_string(kSlots)) != std::string::npos;
    });
  }
}

std::vector<ModuleNode*> Cluster::nodes() {
  std::vector<ModuleNode*> nodes;
  for (const auto& node : nodes_) nodes.push_back(node.get());
  return nodes;
}

Cluster::Shard* Cluster::ShardOf(const std::string& board) {
  const std::string slot = SlotOf(nodes_[0].get(), board);
  const auto moved = moved_.find(slot);
  return moved != moved_.end() ? moved->second : &shards_[std::stoul(slot) / kSlotsOfAShard];
}

bool Cluster::IsKnown(const Shard& shard) {
  const std::string primary = IdOf(shard.primary);
  const std::string replica = IdOf(shard.replica);
  return std::all_of(shards_.begin(), shards_.end(), [&](const Shard& other) {
    other.primary->Send({"CLUSTER", "REPLICAS", primary});
    return other.primary->Read().ToString().find(replica) != std::string::npos;
  });
}

bool Cluster::BeginFailover(Shard* shard) {
  const Time now = std::chrono::steady_clock::now();
  const auto [last, is_first] = elections_.try_emplace(shard->replica);
  const bool elects = (is_first || now - last->second > kElectionInterval) && IsKnown(*shard);
  std::swap(shard->primary, shard->replica);
  if (elects) {
    last->second = now;
    shard->primary->Do({"CLUSTER", "FAILOVER"});
  } else {
    shard->primary->Do({"CLUSTER", "FAILOVER", "TAKEOVER"});
  }
  return elects;
}

void Cluster::AwaitFailover(const Shard& shard) {
  Await("the failover", [&] {
    if (shard.primary->Info("replication", "role") == "master") return true;
    // On a busy machine the servers may give up an election.
    const auto last = elections_.find(shard.primary);
    const Time now = std::chrono::steady_clock::now();
    if (last != elections_.end() && now - last->second > kElectionInterval) {
      last->second = now;
      shard.primary->Do({"CLUSTER", "FAILOVER"});
    }
    return false;
  });
  shard.replica->AwaitLink();
}

void Cluster::BeginMove(const std::string& board, Shard* to) {
  const std::string slot = SlotOf(nodes_[0].get(), board);
  Shard* from = ShardOf(board);
  SetSlot(to->primary, slot, "IMPORTING", from->primary);
  SetSlot(from->primary, slot, "MIGRATING", to->primary);
  from->primary->Do({"MIGRATE", "127.0.0.1", to->primary->port_text(), board, "0", "60000"});
  moved_[slot] = to;
  move_ = {slot, from, to};
}

void Cluster::FinishMove() {
  if (!move_) return;
  const std::string id = IdOf(move_->to->primary);
  for (ModuleNode* primary : {move_->to->primary, move_->from->primary}) {
    primary->Do({"CLUSTER", "SETSLOT", move_->slot, "NODE", id});
  }
  for (const auto& node : nodes_) {
    Await("news of a moved slot",
          [&] { return KnowsOwner(node.get(), move_->slot, move_->to->primary->port()); });
  }
  move_.reset();
}

}  // namespace laurel::conformance
