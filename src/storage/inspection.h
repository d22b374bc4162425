// Every file of a data folder, looked at by itself: what is whole in it, and what is not. Recover
// says whether a folder can be loaded; this says why not, and repair.h what can be done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/format.h"
#include "storage/recovery.h"

namespace laurel::storage {

// The problem of a file with another history than most.
inline constexpr std::string_view kOfAnotherFolder = "it is of another data folder";

struct SegmentState {
  std::string name;
  std::uint64_t bytes = 0;           // of the file
  std::optional<FileHeader> header;  // none if it is not the header of this file
  // Whole batches are records header->first to `last`, and end at `end`. last is first - 1 if there
  // are none.
  std::uint64_t last = 0;
  std::uint64_t end = 0;
  std::uint64_t next = 0;           // the first record that is not whole: parts may follow `last`
  std::uint64_t content = 0;        // behind the last byte that is not zero
  std::uint64_t last_behind = 0;    // the highest whole record behind `end`; 0: none
  std::uint64_t synced_behind = 0;  // what the records behind `end` prove to have been on disk
  std::string problem;              // of the header; empty if there is none
};

struct SnapshotState {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<FileHeader> header;
  std::optional<Footer> footer;  // none: it is not whole
  std::string problem;
};

struct Inspection {
  std::uint64_t history = 0;  // of most files
  std::vector<SegmentState> segments;
  std::vector<SnapshotState> snapshots;    // newest first
  std::vector<std::string> other_version;  // files that this program cannot judge
  std::vector<std::string> others;         // names that mean nothing here
};

// Reads everything; changes nothing. An error is one of reading, not of what was read.
Result<Inspection> Inspect(base::Folder* folder, const ProgressCallback& progress);

// Where the batches through record `last` end in a segment, and the record they end with, which is
// lower if `last` is inside a batch.
struct BatchEnd {
  std::uint64_t record = 0;
  std::uint64_t offset = 0;
};
Result<BatchEnd> FindBatchEnd(base::Folder* folder, const SegmentState& segment,
                              std::uint64_t last);

}  // namespace laurel::storage
