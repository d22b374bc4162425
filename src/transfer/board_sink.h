// BoardSink: what an import writes into. A running server (server_sink.h) or a data folder
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

// How many entries of the draft are written.
using WriteProgress = std::function<void(std::uint64_t done)>;

// Used by one thread.
class BoardSink {
 public:
  virtual ~BoardSink() = default;

  // The spec of the leaderboard of that name; none if there is none. WRONGTYPE if the name belongs
  // to something else.
  virtual Result<std::optional<Spec>> Find(const std::string& board) = 0;

  // Begins writing a board, which is created if there is none. EXISTS, with both specs, if it has
  // another spec. `period`: the period ("all", "day:2026-11-15") that rows without an instance
  // fill, for a board with periods only. ERR if the target takes no such board.
  virtual Status Begin(const std::string& board, const Spec& spec,
                       const std::optional<std::string>& period) = 0;

  // Writes all entries of the draft to the board that was begun. Entries that are there already,
  // and not in the draft, stay. If the board is new, the draft is settled before. REQUIRES: Begin,
  // and Draft::Finish.
  virtual Status Write(Draft* draft, const WriteProgress& progress) = 0;

  // Entries so far, given or present, that a cap has kept out or removed.
  [[nodiscard]] virtual std::uint64_t over_cap() const = 0;

  // Everything written is as durable as the target makes it. Nothing may follow.
  virtual Status Finish() = 0;
};

}  // namespace laurel::transfer
