// A name with its board, which is a sorted set or a leaderboard.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "core/store/environment.h"
#include "engine/keyspace/name_table.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/leaderboard.h"

namespace laurel::engine {

using leaderboard::Leaderboard;

struct NamedBoard : Named {
  // `calendar`: null if the spec has no periods.
  NamedBoard(std::string_view its_name, std::uint64_t its_id, const Spec& spec,
             core::Environment* environment, std::shared_ptr<const Calendar> calendar)
      : Named(its_name, environment->memory()),
        id(its_id),
        board(spec, environment, std::move(calendar)) {}

  [[nodiscard]] const Spec& spec() const { return board.spec(); }
  // Otherwise the board is a sorted set.
  [[nodiscard]] bool is_leaderboard() const { return spec().kind == BoardKind::kLeaderboard; }
  [[nodiscard]] bool has_periods() const { return !spec().periods.empty(); }
  // Whether the name exists for Redis' commands, which means that it has visible entries.
  // Entries of hidden members do not count.
  [[nodiscard]] bool exists() const { return board.has_entries(); }

  std::uint64_t id;                // never reused
  std::int64_t expires_at_ms = 0;  // set by EXPIRE and similar commands; 0: never
  Stamp due_at = INT64_MAX;        // its time in the Schedule; INT64_MAX: not scheduled
  // The number of the last change. If two reads of one id find the same number, the entries are the
  // same.
  std::uint64_t changed_at = 0;
  bool loading = false;  // LB.LOAD fills it: no client can name it yet
  bool fresh = false;    // created for a write that may still be refused; not in the log yet

  Leaderboard board;

 private:
  friend class Catalog;
  NamedBoard* previous_by_id_ = nullptr;
  NamedBoard* next_by_id_ = nullptr;
};

}  // namespace laurel::engine
