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

// Makes the bytes of a snapshot, from the first to the last.
class SnapshotEncoder {
 public:
  // Takes the next bytes of the file. An error ends the snapshot.
  using Sink = std::function<Status(std::string_view bytes)>;

  SnapshotEncoder(std::uint64_t history, std::uint64_t epoch, std::uint64_t started_at, Sink sink)
      : format_(FileKind::kSnapshot, history),
        history_(history),
        epoch_(epoch),
        started_at_(started_at),
        sink_(std::move(sink)) {}

  // Makes the header. Call it first.
  Status Begin();
  // Makes a block of whole effects. A block that is larger than a frame goes into several.
  Status Add(std::string_view effects);
  // Makes the footer, which ends the file.
  Status Finish(const Footer& footer);

 private:
  Status Write(std::string_view payload, std::uint32_t flags);

  FrameFormat format_;
  std::uint64_t history_;
  std::uint64_t epoch_;
  std::uint64_t started_at_;
  Sink sink_;
  std::uint64_t blocks_ = 0;
  std::string buffer_;
};

class SnapshotWriter {
 public:
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // Creates `snapshot.tmp`, and replaces one that an interrupted snapshot left.
  static Result<std::unique_ptr<SnapshotWriter>> Begin(base::Folder* folder, std::uint64_t history,
                                                       std::uint64_t epoch,
                                                       std::uint64_t started_at);

  // See SnapshotEncoder::Add.
  Status Add(std::string_view effects) { return encoder_.Add(effects); }
  // Writes the footer and syncs the file. It is not a snapshot until Publish.
  Status Finish(const Footer& footer);
  // Gives the file the name of a snapshot. REQUIRES: Finish succeeded, and the log is durable
  // through E (invariant 7).
  Status Publish();

  [[nodiscard]] std::uint64_t bytes() const { return end_; }

 private:
  SnapshotWriter(base::Folder* folder, std::unique_ptr<base::File> file, std::uint64_t history,
                 std::uint64_t epoch, std::uint64_t started_at)
      : folder_(folder),
        file_(std::move(file)),
        encoder_(history, epoch, started_at,
                 [this](std::string_view bytes) { return Write(bytes); }) {}
  Status Write(std::string_view bytes);

  base::Folder* folder_;
  std::unique_ptr<base::File> file_;
  SnapshotEncoder encoder_;
  std::uint64_t end_ = 0;
  std::uint64_t unsynced_ = 0;
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
