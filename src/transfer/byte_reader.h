// ByteReader: the bytes of a file or of standard input, decompressed if they are zstd.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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

  // Bytes of the source itself: of the compressed file if it is one. A total of 0 is unknown.
  [[nodiscard]] virtual storage::Progress progress() const = 0;

  // The path, or "standard input". For messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
};

// Opens a file or, for "-", standard input. Contents that begin as zstd does are decompressed,
// whatever the name. Several zstd frames after one another are one file, as for `zstd -d`. Memory
// is bounded: a frame that needs a window above 128 MiB (`zstd --long=28` and above) is refused.
// `stop`, which may be null, ends a wait for a pipe or terminal with an error when it is set.
Result<std::unique_ptr<ByteReader>> OpenByteReader(const std::string& path,
                                                   const std::atomic<bool>* stop = nullptr);

// The contents of `source`, decompressed if they begin as zstd does.
Result<std::unique_ptr<ByteReader>> Decompressed(std::unique_ptr<ByteReader> source);

}  // namespace laurel::transfer
