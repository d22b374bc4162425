// A name and what it stands for: a sorted set or a leaderboard.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "core/board.h"
#include "core/store/environment.h"
#include "engine/keyspace/name_table.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/leaderboard.h"

namespace laurel::engine {

using leaderboard::Leaderboard;

struct NamedBoard : Named {
  // A sorted set.
  NamedBoard(std::string_view its_name, std::uint64_t its_id, const Spec& spec,
             core::Environment* environment)
      : Named(its_name, environment->memory()),
        id(its_id),
        value(std::in_place_type<core::Board>, spec, environment) {}
  // A leaderboard.
  NamedBoard(std::string_view its_name, std::uint64_t its_id, const Spec& spec,
             core::Environment* environment, std::shared_ptr<const Calendar> calendar)
      : Named(its_name, environment->memory()),
        id(its_id),
        value(std::in_place_type<Leaderboard>, spec, environment, std::move(calendar)) {}

  [[nodiscard]] core::Board* sorted_set() { return std::get_if<core::Board>(&value); }
  [[nodiscard]] const core::Board* sorted_set() const { return std::get_if<core::Board>(&value); }
  [[nodiscard]] Leaderboard* leaderboard() { return std::get_if<Leaderboard>(&value); }
  [[nodiscard]] const Leaderboard* leaderboard() const { return std::get_if<Leaderboard>(&value); }
  [[nodiscard]] const Spec& spec() const {
    return sorted_set() != nullptr ? sorted_set()->spec() : leaderboard()->spec();
  }
  [[nodiscard]] bool has_periods() const { return !spec().periods.empty(); }
  // Whether it exists for Redis' commands: has visible entries.
  [[nodiscard]] bool exists() const {
    return sorted_set() != nullptr ? sorted_set()->entries().size() > 0
                                   : leaderboard()->has_entries();
  }
  // Which do not make it exist.
  [[nodiscard]] bool has_hidden_entries() const {
    return leaderboard() != nullptr && leaderboard()->has_hidden_entries();
  }
  [[nodiscard]] std::size_t MemoryUsage() const {
    return sorted_set() != nullptr ? sorted_set()->MemoryUsage() : leaderboard()->MemoryUsage();
  }

  std::uint64_t id;                // never used again
  std::int64_t expires_at_ms = 0;  // by EXPIRE and its kin; 0: never
  Stamp look_at = INT64_MAX;       // its place in the schedule
  // Counts changes: two looks at one id that find the same number have seen the same entries.
  std::uint64_t changed_at = 0;
  bool fresh = false;  // made for a write that may not happen; the log does not know it yet

  std::variant<core::Board, Leaderboard> value;

 private:
  friend class Catalog;
  NamedBoard* previous_by_id_ = nullptr;
  NamedBoard* next_by_id_ = nullptr;
};

}  // namespace laurel::engine
