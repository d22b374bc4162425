// Checks a file of a data folder, frame by frame, while its bytes arrive in pieces. Backups are
// taken through it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "laurel/result.h"
#include "storage/format.h"

namespace laurel::storage {

class FrameStream {
 public:
  // Receives the checked bytes.
  using Sink = std::function<Status(std::string_view bytes)>;

  // `last`: of a segment, the last record wanted; the bytes after it are discarded.
  FrameStream(FileKind kind, std::string name, std::uint64_t last, Sink sink);

  // Takes the next bytes of the file. An error names the file and says what is wrong.
  Status Take(std::string_view bytes);
  // Called after the last bytes. Ends a segment with a sync mark. Returns an error if the file is
  // incomplete.
  Status End();
  // True once the last wanted record, or the footer of a snapshot, has arrived. Take ignores
  // further bytes.
  [[nodiscard]] bool done() const { return done_; }

  // REQUIRES: End was ok.
  [[nodiscard]] const FileHeader& header() const {
    LAUREL_ASSERT(header_.has_value());
    return *header_;
  }
  [[nodiscard]] const Footer& footer() const { return footer_; }  // of a snapshot
  [[nodiscard]] std::uint64_t last_record() const { return next_ - 1; }

 private:
  Status TakeFrame(const Frame& frame);
  [[nodiscard]] Error Damage(const std::string& what) const;

  FileKind kind_;
  std::string name_;
  std::uint64_t last_;
  Sink sink_;
  std::string pending_;  // an incomplete header or frame
  std::optional<FileHeader> header_;
  std::optional<FrameFormat> format_;
  std::uint64_t offset_ = 0;
  std::uint64_t next_ = 0;  // number of the next frame
  bool continues_ = false;
  bool done_ = false;
  Footer footer_;
};

}  // namespace laurel::storage
