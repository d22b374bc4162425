// The example boards of `laurel demo`, and the traffic that changes two of them.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/engine.h"
#include "laurel/stamp.h"

namespace laurel::cli {

// Creates and fills the boards: four leaderboards and a sorted set. `now`: the time of the engine's
// clock. REQUIRES: the engine has no boards of these names.
void FillDemoBoards(engine::Engine* engine, Stamp now);

// Submits to the boards `arena` and `event` several times a second, until it is destroyed.
class DemoTraffic {
 public:
  // The engine must outlive it. REQUIRES: FillDemoBoards was called.
  explicit DemoTraffic(engine::Engine* engine);
  ~DemoTraffic();
  DemoTraffic(const DemoTraffic&) = delete;
  DemoTraffic& operator=(const DemoTraffic&) = delete;

 private:
  void Run(engine::Engine* engine);

  base::Mutex mutex_;
  base::CondVar changed_;
  bool stops_ LAUREL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// Returns the text of `laurel demo --help`.
std::string DemoHelp();

// Returns the text printed at the start: the address of the console, if the program has it, and
// commands to try. `http_port`: 0 if there is no HTTP.
std::string DemoHint(std::uint16_t port, std::uint16_t http_port);

}  // namespace laurel::cli
