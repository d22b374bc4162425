// BoardSink: the target of an import, a running server (server_sink.h) or a data folder
// (folder_sink.h).
//
//   Find ─► Begin ─► Write … ─► (the next board) ─► Finish
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::transfer {

class Draft;

// Called with the number of entries of the draft that are written.
using WriteProgress = std::function<void(std::uint64_t done)>;

// Used by one thread.
class BoardSink {
 public:
  virtual ~BoardSink() = default;

  // Returns the spec of the leaderboard with that name; none if the name is free. WRONGTYPE if the
  // name belongs to another kind of value.
  virtual Result<std::optional<Spec>> Find(const std::string& board) = 0;

  // Begins writing a board, and creates it if needed. EXISTS, with both specs, if it has another
  // spec. `period`, for boards with periods only: the period ("all", "day:2026-11-15") that rows
  // without an instance fill. ERR if the target does not accept such a board.
  virtual Status Begin(const std::string& board, const Spec& spec,
                       const std::optional<std::string>& period) = 0;

  // Writes all entries of the draft to the board that was begun. Entries of the board that are not
  // in the draft stay. If the board is new, Draft::Settle is called first. REQUIRES: Begin, and
  // Draft::Finish.
  virtual Status Write(Draft* draft, const WriteProgress& progress) = 0;

  // The number of entries, given or present, that a cap has kept out or removed so far.
  [[nodiscard]] virtual std::uint64_t over_cap() const = 0;

  // Makes all writes as durable as the target can. No call may follow.
  virtual Status Finish() = 0;
};

}  // namespace laurel::transfer
