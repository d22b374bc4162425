// RowWriter: the entries of a board as CSV, as JSON lines, or as commands for `redis-cli --pipe`.
//
//   CSV    RFC 4180 with a header. Columns in this order, those in brackets only where a row needs
//          them: rank, member, [member_base64], each field, reached, meta, [meta_base64], [hidden],
//          [instance]. Bytes that are not UTF-8, or hold a NUL, stand in the base64 column; the
//          plain one is then empty. A sorted set has no columns reached and meta. Entries, stamps
//          and meta come back by an import; the spec does not.
//   JSONL  The keys that JsonlReader reads, after a first line with the board's name and spec. An
//          import of it makes an equal board.
//   RESP   LB.CREATE, then LB.SET … AT … META for each entry, LB.HIDE for each mark; ZADD for a
//          sorted set. The window (START, END, GRACE) and EXPIRE are set by LB.ALTER at the end: a
//          closed window would refuse the entries. Marks come before their entries, so that no
//          hidden entry takes a place under a cap.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "transfer/text/row.h"

namespace laurel::transfer {

// Appends to the caller's buffer. Used by one thread. If needs_survey, call Survey for every row;
// then Begin, Write for every row, best first, and End.
class RowWriter {
 public:
  virtual ~RowWriter() = default;

  // Whether Survey must be called for every row before Begin.
  [[nodiscard]] virtual bool needs_survey() const { return false; }
  virtual void Survey(const BoardEntry& /*row*/) {}

  // Appends the text before the rows. ERR if the format cannot hold a board of this spec.
  virtual Status Begin(std::string_view board, const Spec& spec, const BoardTimes& times,
                       std::string* out) = 0;
  virtual void Write(const BoardEntry& row, std::string* out) = 0;
  virtual void End(std::string* /*out*/) {}
};

enum class RowFormat : std::uint8_t { kCsv, kJsonl, kResp };

// Begin of a writer for RESP refuses boards with periods, because closed instances take no writes.
std::unique_ptr<RowWriter> MakeRowWriter(RowFormat format);

}  // namespace laurel::transfer
