// Room on the disk for the snapshot that heals a full disk: a file of zeros, which is never read.
//
// When the disk is full the file is cut, and what it held is enough to write a snapshot and to log
// removals, which is how room is made. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "base/file.h"
#include "laurel/result.h"

namespace laurel::storage {

class Reserve {
 public:
  // Takes over the file that is there, if any. `folder` outlives it.
  explicit Reserve(base::Folder* folder);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Makes the file this large, or leaves its size if there is no room.
  Status Resize(std::uint64_t bytes);

 private:
  base::Folder* folder_;
  std::unique_ptr<base::File> file_;  // none until it is needed
  std::uint64_t bytes_ = 0;
};

}  // namespace laurel::storage
