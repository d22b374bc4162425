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
  std::uint64_t records = 0;         // that are whole
  std::uint64_t last = 0;     // of the last whole batch; the one before the first if there is none
  std::uint64_t end = 0;      // behind the last of them and the marks there
  std::uint64_t content = 0;  // behind the last byte that is not zero
  // Between whole records, and where the first of them should be.
  std::vector<RecordRange> holes;
  std::uint64_t hole_offset = 0;
  std::uint64_t extent = 0;  // bytes that the file had on disk once
  bool is_cut_short = false;
  bool is_followed = false;  // its last mark says that there is a next segment
  std::string problem;       // of the header; empty if there is none
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

}  // namespace laurel::storage
