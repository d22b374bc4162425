// RowReader: reads rows from a source, such as a CSV file or a scan of a Redis sorted set.
#pragma once

#include <cstdint>
#include <string_view>

#include "laurel/result.h"
#include "storage/recovery.h"
#include "transfer/text/row.h"

namespace laurel::transfer {

// Used by one thread.
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

}  // namespace laurel::transfer
