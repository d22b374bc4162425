// Random episodes: one leaderboard after the other, any operations, a clock that steps in both
// directions, and restarts. Each answer is compared with the model's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "model/naive_leaderboard.h"
#include "tests/conformance/host.h"
#include "tests/leaderboard/random_operations.h"

namespace laurel::conformance {

class Episode {
 public:
  Episode(Host* host, std::uint64_t seed);

  // An empty string, or the first difference and what led to it.
  std::string Run(int steps);

 private:
  void Create();
  void Step();
  void MoveClock();
  void StepBack();
  // A moment at which something ends, closes or goes, or one that is beside it.
  Stamp Edge();
  leaderboard::Operation Draw();
  void Ask(const leaderboard::Operation& operation);
  // Every instance by every name, entries with all there is about them.
  void CompareAll();
  void SetInstances();
  // The stamps of an operation, as far as its answer tells.
  struct Told {
    Stamp first;                   // what its first write took, or later
    Stamp last;                    // of the last write that was accepted
    std::optional<Stamp> certain;  // what a write of a new member took
  };
  [[nodiscard]] static std::optional<Told> StampsIn(const leaderboard::Operation& operation,
                                                    const std::string& answer);
  void Note(const std::string& line);
  void Fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }

  Host& host_;
  base::Random random_;
  leaderboard::RandomOperations operations_;
  Stamp now_;
  Stamp latest_ = 0;      // that the clock has shown
  Stamp last_stamp_ = 0;  // that is known to be one
  Stamp guess_ = 0;       // the last one that may be one
  std::unique_ptr<model::NaiveLeaderboard> model_;
  std::deque<std::string> history_;
  std::string failure_;
};

}  // namespace laurel::conformance
