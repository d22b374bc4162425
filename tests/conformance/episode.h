// Random episodes: one leaderboard after the other with random operations, a clock that steps in
// both directions, and restarts. Each answer is compared with the model's.
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

  // Returns an empty string, or the first difference and the operations before it.
  std::string Run(int steps);

 private:
  void Create();
  void Step();
  void MoveClock();
  void StepBack();
  // A time at which the window or an instance begins, ends or closes, ±1 µs.
  Stamp Edge();
  leaderboard::Operation Draw();
  void Ask(const leaderboard::Operation& operation);
  // Compares all entries of every instance, and every member, with the model's.
  void CompareAll();
  void SetInstances();
  // The stamps of an operation, as far as its answer shows them.
  struct Told {
    Stamp first;                   // the stamp of its first write, or a later one
    Stamp last;                    // the stamp in the last accepted verdict
    std::optional<Stamp> certain;  // the stamp of a write of a new member, which is always its own
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
  Stamp latest_ = 0;      // the latest time that the clock has shown
  Stamp last_stamp_ = 0;  // the last stamp that the host certainly took
  Stamp guess_ = 0;       // the last stamp that the host probably took
  std::unique_ptr<model::NaiveLeaderboard> model_;
  std::deque<std::string> history_;
  std::string failure_;
};

}  // namespace laurel::conformance
