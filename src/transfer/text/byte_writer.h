// ByteWriter: a file, or standard output, as the target of an export.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "laurel/result.h"

namespace laurel::transfer {

// Writes to a file that gets its name only when it is complete. Until Finish the file is called
// PATH.part; the destructor removes an unfinished file. Anything but a regular file, such as a pipe
// or a device, is written to directly. Used by one thread. An error names the file and the
// operating system's reason.
class ByteWriter {
 public:
  // Opens a file or, for "-", standard output.
  static Result<std::unique_ptr<ByteWriter>> Open(const std::string& path);
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;
  ~ByteWriter();

  // The bytes to write. Append to it, then call Drain.
  std::string* buffer() { return &buffer_; }
  // Writes the buffer if it is large enough.
  Status Drain();

  // Writes the rest of the buffer. A regular file is then on disk under its name. Returns the first
  // error of the earlier calls, if any. Must be called once, at the end.
  Status Finish();

 private:
  ByteWriter(std::string path, std::string part, int file)
      : path_(std::move(path)), part_(std::move(part)), file_(file) {}

  Status WriteBuffer();
  [[nodiscard]] Error Failed(std::string_view what) const;

  std::string path_;
  std::string part_;  // the file's name until Finish; empty if path_ is written to directly
  int file_;
  std::string buffer_;
  std::optional<Error> failure_;  // the first failed write
};

}  // namespace laurel::transfer
