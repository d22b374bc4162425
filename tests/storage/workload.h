// A script of commands that causes every kind of effect, with snapshots, restarts, and time that
// advances by milliseconds and by hours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {

struct Step {
  enum class Kind : std::uint8_t {
    kCommand,   // a command or a transaction
    kTime,      // time advances, and what is due expires
    kSave,      // takes a snapshot and waits for it
    kSnapshot,  // begins a snapshot, which runs during the steps that follow
    kRestart,   // stops the server cleanly and starts it again
    kKill,      // kills the process, not the machine, and starts it again
  };

  Kind kind = Kind::kCommand;
  std::vector<Words> commands{};
  Stamp micros = 0;            // of kTime
  bool with_snapshot = false;  // of kRestart

  [[nodiscard]] std::string ToString() const;
};

// Returns a random step, a command or kTime, that follows `index` others. As far as possible, no
// two steps in a row leave equal states.
Step RandomStep(base::Random* random, std::uint64_t index);

// Returns a script of `steps` steps, with snapshots, restarts and kills among them.
std::vector<Step> MakeWorkload(std::uint64_t seed, std::size_t steps);

}  // namespace laurel::testing
