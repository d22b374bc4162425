// What a data folder holds: finds the newest whole snapshot, applies the log behind it, and tells a
// torn tail, which is nobody's acknowledged write, from damage, which is.
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

// Takes what is read. An error from it is damage.
class Replayer {
 public:
  virtual ~Replayer() = default;
  // Nothing is there yet, or any more: a snapshot turned out damaged.
  virtual void Reset() = 0;
  virtual Status OnSnapshot(std::string_view effects) = 0;
  virtual Status OnSnapshotEnd(const Footer& footer) = 0;
  // `lenient`: between S and E, or behind a hole, where boards may be unknown.
  virtual Status OnBatch(std::uint64_t number, std::string_view effects, bool lenient) = 0;
};

struct Progress {
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;
};

// Returns whether to go on.
using ProgressCallback = std::function<bool(const Progress&)>;

// What to do about records that are needed and cannot be read.
enum class Holes : std::uint8_t {
  kRefuse,      // a start
  kStopBefore,  // an exact state, of the last record before the first hole
  kPassOver,    // everything that is whole: no state that ever was, but the most that is left
};

struct RecoverOptions {
  ProgressCallback progress;
  Holes holes = Holes::kRefuse;
  std::uint64_t newest_snapshot = UINT64_MAX;  // snapshots of later records are not looked at
  std::uint64_t history = 0;  // not 0: files of another one are passed over, not refused
};

struct RecordRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// The end of the log that holds no whole batch.
struct Tail {
  std::string file;
  std::uint64_t offset = 0;  // the file is good up to here
  std::uint64_t record = 0;  // the first record that is not
  std::uint64_t bytes = 0;   // behind the offset, up to the last that is not zero
};

struct Recovery {
  std::uint64_t history = 0;  // 0: the folder is new
  std::uint64_t epoch = 0;
  std::uint64_t last = 0;  // record
  std::string snapshot;    // name, empty if there is none
  Footer footer;           // of the snapshot
  std::uint64_t snapshot_bytes = 0;
  std::int64_t snapshot_created_us = 0;
  std::vector<std::string> other_snapshots;  // older ones, and newer ones that are damaged
  std::uint64_t batches = 0;
  std::vector<Segment> segments;
  std::string end_file;  // where the log ends, if it has a segment that is read
  std::uint64_t end_offset = 0;
  std::uint64_t proven_offset = 0;  // what is before it is known to be on disk
  std::optional<Tail> torn;
  std::vector<std::string> leftovers;  // files to remove, of what was interrupted or is gone
  std::vector<std::string> warnings;
  // Segments that hold something that is not whole, beside a torn tail.
  std::vector<std::string> damaged;
  // What is not in the state, if holes are not refused. `last` counts them in, unless it was
  // stopped before them.
  std::vector<RecordRange> lost;
  bool lost_end = false;  // the end of the log is missing: nobody knows how many records more
};

// Reads the folder; changes nothing in it. An error names file, offset and what to do.
Result<Recovery> Recover(base::Folder* folder, Replayer* replayer, const RecoverOptions& options);

// Makes the folder durably what Recover has found: clears the torn tail, writes the end of the log
// again (after a failed sync a reader may see what the disk does not have), removes leftovers.
Status Tidy(base::Folder* folder, Recovery* recovery);

}  // namespace laurel::storage
