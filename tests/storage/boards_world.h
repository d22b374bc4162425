// A keyspace whose boards are changed at random. Every change goes to its journal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "core/effects.h"
#include "engine/keyspace/keyspace.h"
#include "tests/leaderboard/random_operations.h"

namespace laurel::testing {

// Node sizes that make rare paths common.
core::Shape TinyShape();

// Returns everything in the keyspace as text: ids, names, specs, expiry, instances, entries in
// order, hidden marks, remembered requests, templates.
std::string Describe(engine::Keyspace& keys);

class RandomBoards {
 public:
  explicit RandomBoards(std::uint64_t seed);

  [[nodiscard]] engine::Keyspace& keys() { return keys_; }
  [[nodiscard]] Stamp stamp() const { return stamp_; }

  // Makes one random change: writes, evictions, hides, clears, renames, drops, copies, expiry,
  // templates, FLUSHALL; periods that turn, close and are dropped; requests that are remembered and
  // forgotten.
  void Step();

 private:
  void Create(const std::string& name);
  void OnBoards(engine::NamedBoard* named);
  void OnTime(engine::NamedBoard* named);
  void OnTemplates();
  void OnLeaderboard(engine::NamedBoard* named);
  void OnSet(engine::NamedBoard* named);
  void AddToSet(engine::NamedBoard* named, std::uint64_t count);
  void Execute(engine::NamedBoard* named, const leaderboard::WriteOperation& operation);
  std::string_view Member();
  std::string AnyName() { return "board" + std::to_string(random_.Below(5)); }

  base::Random random_;
  std::vector<std::string> members_;
  Stamp stamp_ = 1'794'800'000'000'000;
  leaderboard::RandomOperations operations_;
  engine::Keyspace keys_;
};

}  // namespace laurel::testing
