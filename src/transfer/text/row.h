// One entry in transfer between a board and a file or another server: as its source describes it,
// and as a board has it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/stamp.h"
#include "storage/recovery.h"

namespace laurel::transfer {

// An entry as a source describes it. A reader checks only the form of a row; the draft parses the
// numbers by the board's spec. Views are valid until the next call of the reader.
struct Row {
  std::string_view member;
  // Exact number texts, one per field of the spec. Empty, with `hidden`: a mark on a member without
  // an entry.
  std::span<const std::string_view> values;
  std::optional<Stamp> at;  // when the score was reached
  std::string_view meta;
  bool hidden = false;
  // The instance of a board with periods, "day:2026-11-15". Empty for a board without.
  std::string_view instance;
  std::uint64_t line = 0;  // 1-based line of a file where the row begins; 0 if there are no lines
};

// Reads rows from a source, such as a CSV file or a scan of a Redis sorted set. Used by one thread.
class RowReader {
 public:
  virtual ~RowReader() = default;

  // Reads the next well-formed row into *row. Malformed rows go to the reader's Rejects. False at
  // the end. An error ends the import: I/O, damaged compression, a header without the required
  // columns, too many rejects.
  virtual Result<bool> Next(Row* row) = 0;

  // Counts the bytes that were read from the source, compressed if it is; a total of 0 is unknown.
  [[nodiscard]] virtual storage::Progress progress() const = 0;

  // The last row in the source's form, or its beginning: for Reject::row. Valid until the next call
  // of Next.
  [[nodiscard]] virtual std::string_view text() const { return {}; }
};

// An entry of a board, or a mark on a member without an entry. The views are valid while the board
// does not change.
struct BoardEntry {
  std::uint64_t rank = 0;  // within the board or instance; 0: hidden, or not known
  std::string_view member;
  Score score{};  // without values: only a mark
  Stamp stamp = 0;
  std::string_view meta{};
  bool hidden = false;
  std::string_view instance{};  // "day:2026-11-15", on a board with periods

  [[nodiscard]] bool is_mark() const { return score.size() == 0; }
};

// The times of a board besides the stamps of its entries. 0: unknown.
struct BoardTimes {
  Stamp last_stamp = 0;  // the highest stamp that the board has given
  Stamp written_at = 0;  // time of its last write, from which EXPIRE counts
  Stamp turned_at = 0;   // time to which its calendar has advanced
};

}  // namespace laurel::transfer
