// The interface of the conformance tests to a host, which holds one leaderboard.
//
// A new host (the module) needs a subclass and a line in hosts.cc; operations, expected answers and
// the model stay as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/operation.h"

namespace laurel::conformance {

class Host {
 public:
  virtual ~Host() = default;

  // Sets the clock, forward or back. Called before anything else.
  virtual void SetTime(Stamp now) = 0;
  // Declares the leaderboard, and drops the one before.
  virtual void Create(const Spec& spec) = 0;
  // The answer in the form of ConformanceAnswer. "!NOBOARD" if the board's EXPIRE has passed.
  virtual std::string Ask(const leaderboard::Operation& operation) = 0;
  // Does everything that is due by the clock, in a way that a restart keeps.
  virtual void Advance() = 0;
  // Restarts the host: it keeps its persistent state only.
  virtual void Restart() = 0;

  // Whether the host can execute the operation at all.
  [[nodiscard]] virtual bool Takes(const leaderboard::Operation& operation) const = 0;
  // Whether the clock may step back in random episodes.
  [[nodiscard]] virtual bool TakesStepsBack() const { return true; }
  // Titles of scenarios that the host is known to answer differently: open bugs, and what it cannot
  // express.
  [[nodiscard]] virtual std::vector<std::string> KnownDifferences() const { return {}; }
  // An empty string, or a description of what is inconsistent inside the host.
  [[nodiscard]] virtual std::string Check() const { return ""; }
};

struct NamedHost {
  std::string_view name;
  std::unique_ptr<Host> (*make)(std::uint64_t seed);
  // The number of random operations is LAUREL_TEST_OPS divided by this.
  std::uint64_t share = 100;
};

// All hosts.
const std::vector<NamedHost>& Hosts();

}  // namespace laurel::conformance
