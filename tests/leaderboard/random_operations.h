// Random specs and random operations. One seed replays everything.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "leaderboard/operation.h"

namespace laurel::leaderboard {

// A valid spec with random fields, policy or operators, tie, cap, window, EXPIRE, DEDUP, periods.
Spec RandomSpec(base::Random* random, Stamp now);

// Owns the texts that the last drawn operation refers to.
class RandomOperations {
 public:
  RandomOperations(base::Random* random, int members) : random_(*random), members_(members) {}

  // The next write. `spec`: the board's current spec. `now`: the base of AT.
  WriteOperation Draw(const Spec& spec, Stamp now);
  // The next read.
  ReadOperation DrawRead(const Spec& spec);
  // Sets the instances that operations may select by label: "day:2026-11-15".
  void SetInstances(std::vector<std::string> instances) { instances_ = std::move(instances); }

 private:
  WriteOperation DrawNew(const Spec& spec, Stamp now);
  std::string_view Member();
  std::string_view Keep(std::string text);
  Score AnyScore(const Spec& spec);
  Values TextsOf(const Spec& spec, const Score& score);
  std::optional<Stamp> At(Stamp now);
  std::optional<std::string_view> Id(const Spec& spec);
  std::optional<InstanceSelector> Instance(const Spec& spec, bool required);
  std::span<const std::string_view> Members(std::size_t most);
  WriteOperation DrawSubmit(const Spec& spec, Stamp now);
  WriteOperation DrawMany(const Spec& spec, Stamp now);
  WriteOperation DrawRestore(const Spec& spec, Stamp now);
  ReadOptions Options(const Spec& spec);
  Bounds AnyBounds(const Spec& spec);
  WriteOperation DrawAlter(const Spec& spec, Stamp now);

  base::Random& random_;
  int members_;
  std::vector<std::string> instances_;
  std::deque<std::string> texts_;
  std::vector<std::string_view> words_;
  std::vector<std::string_view> list_;
  std::vector<Write> writes_;
  Score score_;
  Spec altered_;
  std::optional<WriteOperation> last_;
};

}  // namespace laurel::leaderboard
