// The module inside servers of Redis or Valkey, with LB commands as requests: what all topologies
// have in common. A board's primary and its replicas must have the same digest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "laurel/spec.h"
#include "tests/conformance/host.h"
#include "tests/conformance/module_node.h"
#include "tests/conformance/operation_words.h"
#include "tests/support/resp.h"

namespace laurel::conformance {

class ModuleHost : public Host {
 public:
  ~ModuleHost() override;

  void SetTime(Stamp now) override;
  void Create(const Spec& spec) override;
  std::string Ask(const leaderboard::Operation& operation) override;
  // Waits for the sweep, and compares the digests of the primary and its replicas.
  void Advance() override;
  // Has the state before and after Reload() compared.
  void Restart() override;
  [[nodiscard]] bool Takes(const leaderboard::Operation& operation) const override;
  // LB.REMOVE has no PERIOD, and an instance's name would be another key.
  [[nodiscard]] std::vector<std::string> KnownDifferences() const override {
    return {"REMOVE and CLEAR of one instance"};
  }
  [[nodiscard]] std::string Check() const override { return trouble_; }

 protected:
  // `nodes`: all servers, which outlive this host.
  ModuleHost(std::vector<ModuleNode*> nodes, std::uint64_t seed);

  // Sends a command on the board, through the client that is tested.
  virtual resp::Value Send(const Words& words) = 0;
  // The name of the next board, which Create() has just dropped the one before for.
  virtual std::string NextBoard() = 0;
  // The servers that hold the board.
  virtual ModuleNode& Primary() = 0;
  virtual std::vector<ModuleNode*> Replicas() = 0;
  // Loads the board from a file, or hands it over to a replica.
  virtual void Reload() = 0;

  // Sets a config of the module on all servers.
  void Configure(std::string_view name, const std::string& value);
  void AwaitReplicas();
  base::Random& random() { return random_; }
  [[nodiscard]] const std::string& board() const { return board_; }
  // Fails the episode.
  void Report(const std::string& trouble) { trouble_ = trouble; }

 private:
  const std::vector<ModuleNode*> nodes_;
  base::Random random_;
  Spec spec_;
  std::string board_;
  std::string trouble_;
};

}  // namespace laurel::conformance
