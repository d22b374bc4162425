#include "storage/inspection.h"

#include <algorithm>
#include <map>
#include <utility>

#include "storage/segment_walk.h"
#include "storage/snapshot.h"

namespace laurel::storage {
namespace {

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
  // Determines the kind of the file and reads its header.
  Status Sort(const std::string& name) {
    // An index holds nothing that its segment does not, so damage to it loses nothing.
    if (NumberOfIndexName(name) || name == kUnfinishedIndex || name == kReserveName) return Ok{};
    const bool is_log = NumberOfName(FileKind::kLog, name).has_value();
    if (!is_log && !NumberOfName(FileKind::kSnapshot, name)) {
      found_.others.push_back(name);
      return Ok{};
    }
    const FileKind kind = is_log ? FileKind::kLog : FileKind::kSnapshot;
    const Result<std::unique_ptr<base::File>> file = folder_->Open(name, base::Folder::Mode::kRead);
    if (!file.ok()) return file.error();
    const Result<std::string> head = base::ReadBytes(file->get(), 0, kFileHeaderBytes);
    if (!head.ok()) return head.error();
    const Result<std::uint64_t> size = (*file)->Size();
    if (!size.ok()) return size.error();
    const Result<FileHeader> header = ParseFileHeader(*head, kind);
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

  // Chooses the history that most files have. If several are equally frequent, the first one
  // counted wins: snapshots come first, the newest of them first.
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
    if (!segment->header) return Ok{};
    SegmentWalk walk(*segment->header, *bytes);
    segment->last = segment->header->first - 1;
    segment->end = kFileHeaderBytes;
    for (;;) {
      while (const std::optional<Frame> frame = walk.Next()) {
        ++segment->records;
        if (frame->Has(kContinues)) continue;
        segment->last = frame->number;
        segment->end = walk.offset();
      }
      const std::optional<SegmentWalk::FoundRecord> behind = walk.FindRecordAfter();
      if (!behind) break;
      if (segment->holes.empty()) segment->hole_offset = walk.offset();
      segment->holes.push_back({walk.next(), behind->number - 1});
      walk.ContinueAt(*behind);
    }
    if (walk.HighestSyncedAfter() >= walk.next()) {
      if (segment->holes.empty()) segment->hole_offset = walk.offset();
      segment->holes.push_back({walk.next(), walk.HighestSyncedAfter()});
    }
    if (segment->last + 1 == walk.next()) segment->end = walk.offset();
    segment->content = walk.Content();
    segment->extent = walk.extent();
    segment->is_cut_short = walk.IsCutShort();
    segment->is_followed = walk.followed();
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

}  // namespace laurel::storage
