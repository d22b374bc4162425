// Snapshots: the effects that build all boards again, in blocks, with a footer that says which
// records of the log they need.
//
// A snapshot is written while boards change. It holds each entry as it was at some moment between
// record S, when the snapshot began, and record E, when it ended. With all records after S applied
// on top it is exact from E on (invariants 6 to 9 of docs/log-format.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/format.h"

namespace laurel::storage {

class SnapshotWriter {
 public:
  // Creates `snapshot.tmp`, and replaces one that an interrupted snapshot left.
  static Result<std::unique_ptr<SnapshotWriter>> Begin(base::Folder* folder, std::uint64_t history,
                                                       std::uint64_t epoch,
                                                       std::uint64_t started_at);

  // Writes a block of whole effects. A block that is larger than a frame goes into several.
  Status Add(std::string_view effects);
  // Writes the footer and syncs the file. It is not a snapshot until Publish.
  Status Finish(const Footer& footer);
  // Gives the file the name of a snapshot. REQUIRES: Finish succeeded, and the log is durable
  // through E (invariant 7).
  Status Publish();

  [[nodiscard]] std::uint64_t bytes() const { return end_; }

 private:
  SnapshotWriter(base::Folder* folder, std::unique_ptr<base::File> file, std::uint64_t history)
      : folder_(folder), file_(std::move(file)), format_(FileKind::kSnapshot, history) {}
  Status Write(std::string_view payload, std::uint32_t flags);

  base::Folder* folder_;
  std::unique_ptr<base::File> file_;
  FrameFormat format_;
  std::uint64_t started_at_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t unsynced_ = 0;
  std::uint64_t blocks_ = 0;
  std::string buffer_;
  Footer footer_;
  bool finished_ = false;
};

struct SnapshotContents {
  FileHeader header;
  Footer footer;
  std::uint64_t bytes = 0;
};

// Reads a whole snapshot and calls on_block with the effects of each block. An error names the file
// and the offset and says what is wrong.
Result<SnapshotContents> ReadSnapshot(
    base::Folder* folder, const std::string& name,
    const std::function<Status(std::string_view effects, std::uint64_t offset)>& on_block);

}  // namespace laurel::storage
