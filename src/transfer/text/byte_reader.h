// ByteReader: reads the bytes of a file or of standard input, and decompresses zstd.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "laurel/result.h"
#include "storage/recovery.h"

namespace laurel::transfer {

// Used by one thread. An error names the source and the byte at which it occurred.
class ByteReader {
 public:
  virtual ~ByteReader() = default;

  // Reads up to to.size() bytes, at least one; 0 at the end. REQUIRES: `to` is not empty.
  virtual Result<std::size_t> Read(std::span<char> to) = 0;

  // Counts bytes of the source itself, compressed if it is. A total of 0 is unknown.
  [[nodiscard]] virtual storage::Progress progress() const = 0;

  // The path, or "standard input". For messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
};

// Opens a file or, for "-", standard input. Contents with a zstd header are decompressed, whatever
// the file's name. Several consecutive zstd frames are one file, as for `zstd -d`. Memory is
// bounded: a frame that needs a window above 128 MiB (`zstd --long=28` and above) is refused.
// `stop`, which may be null, ends a wait for a pipe or terminal with an error when it is set.
Result<std::unique_ptr<ByteReader>> OpenByteReader(const std::string& path,
                                                   const std::atomic<bool>* stop = nullptr);

// Returns a reader of the contents of `source`, decompressed if they have a zstd header.
Result<std::unique_ptr<ByteReader>> Decompressed(std::unique_ptr<ByteReader> source);

}  // namespace laurel::transfer
