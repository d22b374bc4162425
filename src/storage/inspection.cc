#include "storage/inspection.h"

#include <algorithm>
#include <map>
#include <utility>

#include "storage/snapshot.h"

namespace laurel::storage {
namespace {

// The whole batches at the beginning of a segment, up to record `limit`, and how far whole records
// go.
struct Extent {
  BatchEnd batches;
  std::uint64_t next = 0;  // the first record that is not whole
  std::uint64_t offset = 0;
};

Extent Measure(const FileHeader& header, std::string_view bytes, std::uint64_t limit) {
  const FrameFormat format(FileKind::kLog, header.history);
  Extent extent{{header.first - 1, kFileHeaderBytes}, header.first, kFileHeaderBytes};
  while (extent.offset <= bytes.size() && extent.next <= limit) {
    const std::optional<Frame> frame = format.Parse(bytes.substr(extent.offset));
    if (!frame || frame->number != extent.next) break;
    extent.offset += frame->bytes();
    ++extent.next;
    if ((frame->flags & kContinues) == 0) extent.batches = {frame->number, extent.offset};
  }
  return extent;
}

class Inspector {
 public:
  Inspector(base::Folder* folder, const ProgressCallback& progress)
      : folder_(folder), progress_(progress) {}

  Result<Inspection> Run() {
    const Result<std::vector<std::string>> names = folder_->List();
    if (!names.ok()) return names.error();
    for (const std::string& name : *names) {
      if (const Status sorted = Sort(name); !sorted.ok()) return sorted.error();
    }
    std::reverse(found_.snapshots.begin(), found_.snapshots.end());
    ChooseHistory();
    for (SegmentState& segment : found_.segments) {
      if (const Status read = ReadSegment(&segment); !read.ok()) return read.error();
      if (const Status gone_on = Advance(segment.bytes); !gone_on.ok()) return gone_on.error();
    }
    for (SnapshotState& snapshot : found_.snapshots) {
      if (const Status read = ReadOneSnapshot(&snapshot); !read.ok()) return read.error();
    }
    return std::move(found_);
  }

 private:
  // What kind of file it is, and its header.
  Status Sort(const std::string& name) {
    // An index holds nothing that its segment does not: whatever is in it, nothing is lost.
    if (NumberOfIndexName(name) || name == kUnfinishedIndex || name == kReserveName) return Ok{};
    const bool is_log = NumberOfName(FileKind::kLog, name).has_value();
    if (!is_log && !NumberOfName(FileKind::kSnapshot, name)) {
      found_.others.push_back(name);
      return Ok{};
    }
    const FileKind kind = is_log ? FileKind::kLog : FileKind::kSnapshot;
    const Result<std::unique_ptr<base::File>> file = folder_->Open(name, base::Folder::Mode::kRead);
    if (!file.ok()) return file.error();
    std::string head(kFileHeaderBytes, '\0');
    const Result<std::size_t> read = (*file)->ReadAt(0, head.data(), head.size());
    if (!read.ok()) return read.error();
    const Result<std::uint64_t> size = (*file)->Size();
    if (!size.ok()) return size.error();
    head.resize(*read);
    const Result<FileHeader> header = ParseFileHeader(head, kind);
    std::optional<FileHeader> good;
    std::string problem;
    if (!header.ok()) {
      problem = header.error().message;
      if (problem.find("format version") != std::string::npos) {
        found_.other_version.push_back(name);
      }
    } else if (is_log && header->first != NumberOfName(kind, name)) {
      problem = "its header is of another segment";
    } else {
      good = *header;
    }
    all_.total_bytes += *size;
    if (is_log) {
      SegmentState& segment = found_.segments.emplace_back();
      segment.name = name;
      segment.bytes = *size;
      segment.header = good;
      segment.problem = problem;
    } else {
      found_.snapshots.push_back({name, *size, good, std::nullopt, problem});
    }
    return Ok{};
  }

  // Of the newest snapshot among those that most files have.
  void ChooseHistory() {
    std::map<std::uint64_t, std::size_t> counts;
    const auto count = [&](const std::optional<FileHeader>& header) {
      if (!header) return;
      const std::size_t files = ++counts[header->history];
      if (found_.history == 0 || files > counts[found_.history]) found_.history = header->history;
    };
    for (const SnapshotState& snapshot : found_.snapshots) count(snapshot.header);
    for (const SegmentState& segment : found_.segments) count(segment.header);
    for (SnapshotState& snapshot : found_.snapshots) RefuseForeign(&snapshot);
    for (SegmentState& segment : found_.segments) RefuseForeign(&segment);
  }

  template <typename State>
  void RefuseForeign(State* state) {
    if (!state->header || state->header->history == found_.history) return;
    state->header.reset();
    state->problem = kOfAnotherFolder;
  }

  Status ReadSegment(SegmentState* segment) {
    const Result<std::string> bytes = base::ReadWhole(folder_, segment->name);
    if (!bytes.ok()) return bytes.error();
    std::size_t content = bytes->size();
    while (content > 0 && (*bytes)[content - 1] == '\0') --content;
    segment->content = content;
    std::size_t at = 0;
    if (segment->header) {
      const Extent extent = Measure(*segment->header, *bytes, UINT64_MAX);
      segment->last = extent.batches.record;
      segment->end = extent.batches.offset;
      segment->next = extent.next;
      at = segment->end;
    }
    // Whatever else is whole in it.
    const FrameFormat format(FileKind::kLog, found_.history);
    for (; at + kFrameHeaderBytes <= content; at += kFrameAlignment) {
      const std::optional<Frame> frame = format.Parse(std::string_view(*bytes).substr(at));
      if (!frame) continue;
      segment->last_behind = std::max(segment->last_behind, frame->number);
      segment->synced_behind = std::max(segment->synced_behind, frame->synced);
    }
    return Ok{};
  }

  Status ReadOneSnapshot(SnapshotState* snapshot) {
    if (!snapshot->header) return Advance(snapshot->bytes);
    std::uint64_t read = 0;
    bool stopped = false;
    const Result<SnapshotContents> contents =
        ReadSnapshot(folder_, snapshot->name, [&](std::string_view effects, std::uint64_t) {
          read += FrameBytes(effects.size());
          const Status gone_on = Advance(FrameBytes(effects.size()));
          stopped = !gone_on.ok();
          return gone_on;
        });
    if (stopped) return contents.error();
    if (contents.ok()) {
      snapshot->footer = contents->footer;
    } else {
      snapshot->problem = contents.error().message;
    }
    return Advance(snapshot->bytes - std::min(read, snapshot->bytes));
  }

  Status Advance(std::uint64_t bytes) {
    all_.done_bytes += bytes;
    if (!progress_ || progress_(all_)) return Ok{};
    return Error{ErrorCode::kErr, "stopped while reading " + folder_->path()};
  }

  base::Folder* folder_;
  const ProgressCallback& progress_;
  Progress all_;
  Inspection found_;
};

}  // namespace

Result<Inspection> Inspect(base::Folder* folder, const ProgressCallback& progress) {
  return Inspector(folder, progress).Run();
}

Result<BatchEnd> FindBatchEnd(base::Folder* folder, const SegmentState& segment,
                              std::uint64_t last) {
  if (last >= segment.last) return BatchEnd{segment.last, segment.end};
  const Result<std::string> bytes = base::ReadWhole(folder, segment.name);
  if (!bytes.ok()) return bytes.error();
  return Measure(*segment.header, *bytes, last).batches;
}

}  // namespace laurel::storage
