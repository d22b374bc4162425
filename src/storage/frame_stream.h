// A file of a data folder that arrives piece by piece, checked frame by frame: what a backup is
// taken from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "storage/format.h"

namespace laurel::storage {

class FrameStream {
 public:
  // Where the checked bytes go.
  using Sink = std::function<Status(std::string_view bytes)>;

  // `last`: of a segment the last record that is wanted; what is behind is left out.
  FrameStream(FileKind kind, std::string name, std::uint64_t last, Sink sink);

  // The next bytes of the file. An error names the file and what is wrong.
  Status Take(std::string_view bytes);
  // There are no more: ends a segment with a mark. An error if something is missing.
  Status End();
  // True when everything that is wanted has come.
  [[nodiscard]] bool done() const { return done_; }

  [[nodiscard]] const FileHeader& header() const { return *header_; }  // REQUIRES: End was ok
  [[nodiscard]] const Footer& footer() const { return footer_; }       // of a snapshot
  [[nodiscard]] std::uint64_t last_record() const { return next_ - 1; }

 private:
  Status TakeFrame(const Frame& frame);
  [[nodiscard]] Error Damage(const std::string& what) const;

  FileKind kind_;
  std::string name_;
  std::uint64_t last_;
  Sink sink_;
  std::string pending_;  // the beginning of a frame
  std::optional<FileHeader> header_;
  std::optional<FrameFormat> format_;
  std::uint64_t offset_ = 0;
  std::uint64_t next_ = 0;  // number
  bool continues_ = false;
  bool done_ = false;
  Footer footer_;
};

}  // namespace laurel::storage
