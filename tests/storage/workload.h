// A script of commands that touches every kind of effect, and what surrounds them: snapshots,
// restarts, time that passes by milliseconds and by hours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {

struct Step {
  enum class Kind : std::uint8_t {
    kCommand,   // or a transaction
    kTime,      // goes on, and what is due expires
    kSave,      // and waits for it
    kSnapshot,  // begins, and goes on beside the steps that follow
    kRestart,   // cleanly
    kKill,      // the process: the machine lives on
  };

  Kind kind = Kind::kCommand;
  std::vector<Words> commands{};
  Stamp micros = 0;            // of kTime
  bool with_snapshot = false;  // of kRestart

  [[nodiscard]] std::string ToString() const;
};

// A random step after `index` others: a command or kTime. No two steps in a row leave equal states,
// as far as that can be.
Step RandomStep(base::Random* random, std::uint64_t index);

// So many steps from a seed, with snapshots, restarts and kills among them.
std::vector<Step> MakeWorkload(std::uint64_t seed, std::size_t steps);

}  // namespace laurel::testing
