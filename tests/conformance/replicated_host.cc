#include "tests/conformance/replicated_host.h"

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/conformance/reply_text.h"

namespace laurel::conformance {
namespace {

constexpr std::uint64_t kOperationsOfAJob = 40;  // on average between two background jobs

// The servers of a primary with `replicas` replicas.
std::vector<ModuleNode*> SharedNodes(std::size_t replicas) {
  static std::map<std::size_t, std::vector<std::unique_ptr<ModuleNode>>> shared;
  std::vector<std::unique_ptr<ModuleNode>>& servers = shared[replicas];
  std::vector<ModuleNode*> nodes;
  while (nodes.size() < replicas + 1) {
    if (servers.size() == nodes.size()) {
      servers.push_back(
          std::make_unique<ModuleNode>(Words{"--appendonly", "yes", "--appendfsync", "no"}));
    }
    nodes.push_back(servers[nodes.size()].get());
  }
  return nodes;
}

// The server that loads what others have saved.
ModuleNode& SharedLoader() {
  static ModuleNode loader({});
  return loader;
}

}  // namespace

ReplicatedHost::ReplicatedHost(std::size_t replicas, std::uint64_t seed)
    : ModuleHost(SharedNodes(replicas), seed), nodes_(SharedNodes(replicas)) {
  Replicate();
  Primary().Do({"FLUSHALL"});
}

void ReplicatedHost::Replicate() {
  Primary().Do({"REPLICAOF", "NO", "ONE"});
  for (ModuleNode* replica : Replicas()) replica->Follow(Primary());
}

std::string ReplicatedHost::NextBoard() { return std::string(kBoard); }

resp::Value ReplicatedHost::Send(const Words& words) {
  Primary().Send(words);
  return Primary().Read();
}

std::string ReplicatedHost::Ask(const leaderboard::Operation& operation) {
  if (random().OneIn(kOperationsOfAJob)) {
    CompareSaved();
    random().OneIn(2) ? BeginSave() : BeginRewrite();
  }
  return ModuleHost::Ask(operation);
}

void ReplicatedHost::Advance() {
  ModuleHost::Advance();
  if (random().OneIn(4)) CompareSaved();
}

// The save has the state at the moment of the fork, which nothing tells, except where the state is
// the same before and after it. The three commands arrive together to make that likely.
void ReplicatedHost::BeginSave() {
  Primary().AwaitJobs();
  const Words digest = {"DEBUG", "DIGEST-VALUE", board()};
  for (const Words& words : {digest, Words{"BGSAVE"}, digest}) Primary().Send(words);
  const std::string before = Primary().Read().ToString();
  const resp::Value save = Primary().Read();
  const std::string after = Primary().Read().ToString();
  if (save.type == '-') throw std::runtime_error("BGSAVE: " + save.text);
  if (before == after) saved_ = before;
}

void ReplicatedHost::BeginRewrite() {
  Primary().AwaitJobs();
  Primary().Do({"CONFIG", "SET", "aof-use-rdb-preamble", random().OneIn(2) ? "yes" : "no"});
  Primary().Do({"BGREWRITEAOF"});
}

void ReplicatedHost::CompareSaved() {
  if (!saved_) return;
  Primary().AwaitJobs();
  std::filesystem::copy_file(Primary().folder() / "dump.rdb", SharedLoader().folder() / "dump.rdb",
                             std::filesystem::copy_options::overwrite_existing);
  SharedLoader().Do({"DEBUG", "RELOAD", "NOSAVE"});
  const std::string loaded = SharedLoader().Digest(board());
  if (loaded != *saved_) Report("a save differs: " + *saved_ + " and " + loaded);
  saved_.reset();
}

void ReplicatedHost::Reload() {
  CompareSaved();
  switch (random().Below(nodes_.size() > 1 ? 4 : 3)) {
    case 0:
      Primary().Do({"DEBUG", "RELOAD"});
      break;
    case 1:
      Primary().AwaitJobs();
      Primary().Do({"DEBUG", "LOADAOF"});
      break;
    case 2:
      BeginRewrite();
      Primary().AwaitJobs();
      Primary().Do({"DEBUG", "LOADAOF"});
      break;
    default:
      std::swap(nodes_[0], nodes_[1 + random().Below(nodes_.size() - 1)]);
      Replicate();
  }
}

}  // namespace laurel::conformance
