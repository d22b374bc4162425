// RowReader: a source of rows, such as a CSV file or a scan of a Redis sorted set.
#pragma once

#include <cstdint>
#include <string_view>

#include "laurel/result.h"
#include "storage/recovery.h"
#include "transfer/row.h"

namespace laurel::transfer {

// Used by one thread.
class RowReader {
 public:
  virtual ~RowReader() = default;

  // Reads the next row that is well formed into *row. Rows that are not go to the Rejects that the
  // reader was made with. False at the end. An error ends the import: I/O, damaged compression, a
  // header without the wanted columns, too many rejects.
  virtual Result<bool> Next(Row* row) = 0;

  // Bytes of the source that were read, compressed if the source is; a total of 0 is unknown.
  [[nodiscard]] virtual storage::Progress progress() const = 0;

  // The last row as the source has it, or its beginning: for Reject::row. Valid until the next call
  // of Next.
  [[nodiscard]] virtual std::string_view text() const { return {}; }
};

}  // namespace laurel::transfer
