// Reads a data folder: loads the newest whole snapshot and applies the log after it. Distinguishes
// a torn tail, a write that was under way, from damage, which may lose acknowledged writes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/format.h"
#include "storage/log.h"

namespace laurel::storage {

// Receives the effects that are read. Recover treats an error from it as damage.
class Replayer {
 public:
  virtual ~Replayer() = default;
  // Discards everything received. Called before each snapshot that is tried, and if none can be
  // loaded.
  virtual void Reset() = 0;
  virtual Status OnSnapshot(std::string_view effects) = 0;
  virtual Status OnSnapshotEnd(const Footer& footer) = 0;
  // `lenient`: the batch lies between S and E, or after a hole, so it may refer to boards and
  // instances that are unknown, and create instances that are already there.
  virtual Status OnBatch(std::uint64_t number, std::string_view effects, bool lenient) = 0;
};

struct Progress {
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;
};

// Returns whether to continue.
using ProgressCallback = std::function<bool(const Progress&)>;

// Recovery does one of these if it needs records that cannot be read.
enum class Holes : std::uint8_t {
  kRefuse,      // return an error: for a start
  kStopBefore,  // return the exact state before the first hole
  kSkip,        // apply every whole batch: the most that is left, but no state that ever was
};

struct RecoverOptions {
  ProgressCallback progress;
  Holes holes = Holes::kRefuse;
  std::uint64_t newest_snapshot = UINT64_MAX;  // snapshots with a higher E are ignored
  std::uint64_t history = 0;  // not 0: files with another history are skipped, not refused
};

struct RecordRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// The torn end of the log, which a start discards.
struct Tail {
  std::string file;
  std::uint64_t offset = 0;  // the file is good up to here
  std::uint64_t record = 0;  // the first record that is discarded
  std::uint64_t bytes = 0;   // from `offset` to the last byte that is not zero
};

struct Recovery {
  std::uint64_t history = 0;  // 0: the folder is new
  std::uint64_t epoch = 0;
  std::uint64_t last = 0;  // the last record
  std::string snapshot;    // name, empty if there is none
  Footer footer;           // of the snapshot
  std::uint64_t snapshot_bytes = 0;
  std::int64_t snapshot_created_us = 0;
  std::vector<std::string> other_snapshots;  // older ones, and newer damaged ones
  std::uint64_t batches = 0;
  std::vector<Segment> segments;
  std::string end_file;  // the newest segment, where the log ends; empty if it has no record
  std::uint64_t end_offset = 0;
  std::uint64_t proven_offset = 0;  // the bytes before it are known to be on disk
  std::optional<Tail> torn;
  // Files to remove: unfinished ones, indexes without a segment, an empty segment that was given
  // up.
  std::vector<std::string> leftovers;
  std::vector<std::string> warnings;
  // Segments with damage other than a torn tail.
  std::vector<std::string> damaged;
  // Records missing in the state, if holes are not refused. `last` counts them in, unless Recover
  // stopped before them.
  std::vector<RecordRange> lost;
  bool lost_end = false;  // the end of the log is missing: an unknown number of records
};

// Reads the folder without changing it. An error names the file, the offset and what to do.
Result<Recovery> Recover(base::Folder* folder, Replayer* replayer, const RecoverOptions& options);

// Makes the folder durably what Recover has found: overwrites the torn tail with zeros, writes the
// end of the log again (after a failed sync, reads may return bytes that the disk does not have)
// and removes leftovers.
Status Tidy(base::Folder* folder, Recovery* recovery);

}  // namespace laurel::storage
