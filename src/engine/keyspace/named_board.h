// A name with its board, which is a sorted set or a leaderboard.
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
  // Makes a sorted set.
  NamedBoard(std::string_view its_name, std::uint64_t its_id, const Spec& spec,
             core::Environment* environment)
      : Named(its_name, environment->memory()),
        id(its_id),
        value(std::in_place_type<core::Board>, spec, environment) {}
  // Makes a leaderboard. `calendar`: null if the spec has no periods.
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
  // Whether the name exists for Redis' commands, which means that it has visible entries.
  [[nodiscard]] bool exists() const {
    return sorted_set() != nullptr ? sorted_set()->entries().size() > 0
                                   : leaderboard()->has_entries();
  }
  // Entries of hidden members do not make the name exist.
  [[nodiscard]] bool has_hidden_entries() const {
    return leaderboard() != nullptr && leaderboard()->has_hidden_entries();
  }
  [[nodiscard]] std::size_t MemoryUsage() const {
    return sorted_set() != nullptr ? sorted_set()->MemoryUsage() : leaderboard()->MemoryUsage();
  }

  std::uint64_t id;                // never reused
  std::int64_t expires_at_ms = 0;  // set by EXPIRE and similar commands; 0: never
  Stamp due_at = INT64_MAX;        // its time in the Schedule; INT64_MAX: not scheduled
  // The number of the last change. If two reads of one id find the same number, the entries are the
  // same.
  std::uint64_t changed_at = 0;
  bool loading = false;  // LB.LOAD fills it: no client can name it yet
  bool fresh = false;    // created for a write that may still be refused; not in the log yet

  std::variant<core::Board, Leaderboard> value;

 private:
  friend class Catalog;
  NamedBoard* previous_by_id_ = nullptr;
  NamedBoard* next_by_id_ = nullptr;
};

}  // namespace laurel::engine
