// What the conformance tests ask of a host: a place where one leaderboard lives.
//
// A new host (HTTP, the module) adds a class here and a line in hosts.cc; operations,
// expected answers and the model stay as they are.
#pragma once

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

  // The clock, in both directions. Called before anything else.
  virtual void SetTime(Stamp now) = 0;
  // Declares the leaderboard, in the place of the one before.
  virtual void Create(const Spec& spec) = 0;
  // The answer as ConformanceAnswer writes it. "!NOBOARD" if the board is gone by its EXPIRE.
  virtual std::string Ask(const leaderboard::Operation& operation) = 0;
  // Does everything that is due by time.
  virtual void Advance() = 0;
  // Loses everything but what lasts, and comes back.
  virtual void Restart() = 0;

  // Whether the host has a way to ask this at all.
  [[nodiscard]] virtual bool Takes(const leaderboard::Operation& operation) const = 0;
  // Whether the clock may step back in random episodes.
  [[nodiscard]] virtual bool TakesStepsBack() const { return true; }
  // Titles of scenarios that the host is known to answer otherwise: bugs that are waiting.
  [[nodiscard]] virtual std::vector<std::string> KnownDifferences() const { return {}; }
  // An empty string, or what is broken inside.
  [[nodiscard]] virtual std::string Check() const { return ""; }
};

struct NamedHost {
  std::string_view name;
  std::unique_ptr<Host> (*make)(std::uint64_t seed);
};

// Every host there is.
const std::vector<NamedHost>& Hosts();

}  // namespace laurel::conformance
