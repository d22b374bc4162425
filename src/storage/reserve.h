// Keeps room on the disk for the snapshot that resolves a full disk: a file of zeros, which is
// never read.
//
// When the disk is full the file is truncated. The space it held is enough to write a snapshot and
// to log removals, which make more room. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "base/file.h"
#include "laurel/result.h"

namespace laurel::storage {

class Reserve {
 public:
  // Takes over the reserve file if there is one. `folder` must outlive the reserve.
  explicit Reserve(base::Folder* folder);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Makes the file this large. After an error, such as no room, it keeps its size.
  Status Resize(std::uint64_t bytes);

 private:
  base::Folder* folder_;
  std::unique_ptr<base::File> file_;  // null until it is needed
  std::uint64_t bytes_ = 0;
};

}  // namespace laurel::storage
