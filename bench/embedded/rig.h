// Code shared by the benchmark groups that measure an engine in their own process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/durability/data_folder.h"
#include "bench/report.h"
#include "tests/support/engine_rig.h"

namespace laurel::bench {

struct RunOptions {
  std::string folder;
  std::string only;  // a kind of the group; empty: all
  std::uint64_t members = 100'000;
  int repeats = 0;
  double seconds = 0;

  [[nodiscard]] bool Wants(const std::string& kind) const { return only.empty() || only == kind; }
};

// A group: its name, its defaults, and the values of --only.
struct Group {
  std::string name;
  int repeats = 0;
  double seconds = 0;
  std::vector<std::string> kinds;
};

// Parses the options, calls `run`, writes the report's file and prints the bars that were met.
// Returns the exit code of main.
int RunGroup(const Group& group, int argc, char** argv,
             const std::function<void(const RunOptions&, Report*)>& run);

// An open engine, with a new folder or in memory. It takes no snapshots.
class RunningEngine {
 public:
  // `kind` is the folder's name in the options' folder. Without `sync`: in memory.
  RunningEngine(const RunOptions& options, const std::string& kind,
                std::optional<storage::SyncMode> sync);

  ~RunningEngine();
  RunningEngine(const RunningEngine&) = delete;
  RunningEngine& operator=(const RunningEngine&) = delete;

  [[nodiscard]] engine::EmbeddedEngine* get() { return &rig_->engine(); }
  engine::EmbeddedEngine* operator->() { return get(); }

 private:
  std::optional<DataFolder> folder_;
  std::optional<testing::EngineRig> rig_;
};

// Executes one command and waits until its reply may be sent. Throws Failure if it is an error.
std::string Ask(engine::Engine* engine, testing::TestClient* client,
                const std::vector<std::string>& command);

// Declares a leaderboard with the arguments `spec` of LB.CREATE and gives each member a score.
void FillBoard(engine::Engine* engine, const std::string& board,
               const std::vector<std::string>& spec, std::uint64_t members);

// Random scores below this bound hardly ever repeat.
constexpr std::uint64_t kScores = 1'000'000'000'000'000;

}  // namespace laurel::bench
