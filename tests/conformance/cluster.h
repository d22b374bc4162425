// A cluster of three primaries with a replica each, all with the module.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/module_node.h"

namespace laurel::conformance {

class Cluster {
 public:
  // Two servers and the slots that they hold.
  struct Shard {
    ModuleNode* primary = nullptr;
    ModuleNode* replica = nullptr;
  };

  // Starts the servers and waits until they are a cluster.
  Cluster();
  // Started with the first use, ended with the program.
  static Cluster& Shared();

  std::vector<ModuleNode*> nodes();
  std::array<Shard, 3>& shards() { return shards_; }
  Shard* ShardOf(const std::string& board);

  // Begins the promotion of a shard's replica, and already shows it as the primary. Returns true if
  // no write can be lost meanwhile, whatever clients do: the primary hands over, and holds writes
  // back until it has. Where the last promotion is too recent for an election, the replica takes
  // over at once. REQUIRES: AwaitFailover() since the last one; the replica has everything that the
  // primary has.
  bool BeginFailover(Shard* shard);
  // Waits until the servers of the shard have their roles and their link.
  void AwaitFailover(const Shard& shard);

  // Moves a board to another shard, but not yet its slot: the old shard redirects clients to the
  // new one with every command. REQUIRES: the slot has no other board; AwaitFailover(),
  // FinishMove().
  void BeginMove(const std::string& board, Shard* to);
  // Gives the slot of the last BeginMove() to the new shard, and waits until all servers know.
  void FinishMove();

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Move {
    std::string slot;
    Shard* from;
    Shard* to;
  };

  void Meet();
  void MakeReplicas();
  // Whether all primaries know the shard's replica as such: without that they do not vote for it.
  bool IsKnown(const Shard& shard);

  std::vector<std::unique_ptr<ModuleNode>> nodes_;
  std::array<Shard, 3> shards_;
  std::map<std::string, Shard*> moved_;          // slots that are not where they were at first
  std::optional<Move> move_;                     // until FinishMove()
  std::map<const ModuleNode*, Time> elections_;  // when each server last asked for votes
};

}  // namespace laurel::conformance
