// Inspects every file of a data folder by itself: what in it is whole, and what is not. Recover
// says whether a folder can be loaded; an inspection says why not, and repair.h what can be done.
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

// The `problem` of a file whose history is not that of most files.
inline constexpr std::string_view kOfAnotherFolder = "it is of another data folder";

struct SegmentState {
  std::string name;
  std::uint64_t bytes = 0;           // of the file
  std::optional<FileHeader> header;  // none if it is damaged, or of another file or folder
  std::uint64_t records = 0;         // whole ones
  // The last record of the last whole batch; the one before the segment's first if there is none.
  std::uint64_t last = 0;
  std::uint64_t end = 0;      // offset after that record and the sync marks there
  std::uint64_t content = 0;  // offset after the last byte that is not zero
  // Missing records, as far as whole frames after them show, and where the first hole begins.
  std::vector<RecordRange> holes;
  std::uint64_t hole_offset = 0;
  std::uint64_t extent = 0;  // bytes that the file once had on disk
  bool is_cut_short = false;
  bool is_followed = false;  // its final sync mark says that there is a next segment
  std::string problem;       // with the header; empty if there is none
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
  std::vector<std::string> other_version;  // files of a version that this program cannot read
  std::vector<std::string> others;         // files with unknown names
};

// Reads every file and changes nothing. An error means that reading failed or was stopped, not that
// something is damaged.
Result<Inspection> Inspect(base::Folder* folder, const ProgressCallback& progress);

}  // namespace laurel::storage
