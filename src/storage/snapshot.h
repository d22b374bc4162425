// Snapshots: the effects that build all boards up again, in blocks, with a footer that says which
// records of the log they need.
//
// A snapshot is written while boards change. It holds each entry as it was at some moment between
// record S, when it began, and record E, when it ended; with all records after S applied on top it
// is exact from E on (invariants 6 to 9 of docs/log-format.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/format.h"

namespace laurel::storage {

class SnapshotWriter {
 public:
  // Begins `snapshot.tmp`, in place of one that was left.
  static Result<std::unique_ptr<SnapshotWriter>> Begin(base::Folder* folder, std::uint64_t history,
                                                       std::uint64_t epoch,
                                                       std::uint64_t started_at);

  // A block of effects, cut between two effects. One that is larger than a frame goes into several.
  Status Add(std::string_view effects);
  // Writes the footer and syncs the file, which is not a snapshot yet.
  Status Finish(const Footer& footer);
  // Makes it one. REQUIRES: Finish, and the log is durable through E (invariant 7).
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
};

struct SnapshotContents {
  FileHeader header;
  Footer footer;
  std::uint64_t bytes = 0;
};

// Reads a snapshot from its first byte to its last, calling on_block for each block's effects. An
// error says what is wrong, in which file and where.
Result<SnapshotContents> ReadSnapshot(
    base::Folder* folder, const std::string& name,
    const std::function<Status(std::string_view effects, std::uint64_t offset)>& on_block);

}  // namespace laurel::storage
