#include "storage/repair.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "storage/segment_walk.h"

namespace laurel::storage {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

// Planning -------------------------------------------------------------------------------------

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns why a snapshot cannot stay. Empty if it can.
std::string Objection(const SnapshotState& snapshot, const Recovery& recovery) {
  if (!snapshot.footer) return snapshot.problem;
  if (snapshot.footer->ended_at > recovery.last) {
    return "it holds later records, through " + std::to_string(snapshot.footer->ended_at);
  }
  // It is whole and newer than the snapshot that was loaded, so its effects could not be applied.
  if (snapshot.name > recovery.snapshot) return "its boards do not fit together";
  return "";
}

// Whether the segment is undamaged except for the torn tail, which a start clears.
bool HasTornTailOnly(const SegmentState& segment, const Recovery& recovery) {
  return recovery.torn && recovery.torn->file == segment.name &&
         recovery.torn->record <= recovery.last + 1 && !Contains(recovery.damaged, segment.name) &&
         (segment.holes.empty() || segment.holes[0].first >= recovery.torn->record);
}

// Returns why a segment cannot stay. Empty if it can. `next` is the first record of the segment
// after it, 0 if there is none.
std::string Objection(const SegmentState& segment, std::uint64_t next, const Recovery& recovery) {
  if (!segment.header) return segment.problem;
  if (HasTornTailOnly(segment, recovery)) return "";
  if (!segment.holes.empty()) {
    return "record " + std::to_string(segment.holes[0].first) + " is not whole";
  }
  if (Contains(recovery.damaged, segment.name)) return "it holds what cannot be applied";
  if (segment.last > recovery.last) return "it holds later records";
  // A segment may end before the next one begins, with only zeros after its end. It lost records
  // that were not synced yet but that a snapshot already held. That is normal in the fsync modes
  // that do not wait for the disk.
  const bool leads_on = next == 0 || segment.last + 1 == next;
  if (!leads_on && segment.content > segment.end) {
    return "record " + std::to_string(segment.last + 1) + " is not whole";
  }
  return "";
}

// Repairing ------------------------------------------------------------------------------------

Status Copy(base::Folder* from, base::Folder* to, const std::string& name) {
  const Result<std::unique_ptr<base::File>> source = from->Open(name, base::Folder::Mode::kRead);
  if (!source.ok()) return source.error();
  const Result<std::unique_ptr<base::File>> copy = to->Open(name, base::Folder::Mode::kCreate);
  if (!copy.ok()) return copy.error();
  std::string piece(kCopyBytes, '\0');
  for (std::uint64_t offset = 0;;) {
    const Result<std::size_t> read = (*source)->ReadAt(offset, piece.data(), piece.size());
    if (!read.ok()) return read.error();
    if (*read == 0) return (*copy)->Sync();
    const Status written = (*copy)->WriteAt(offset, std::string_view(piece).substr(0, *read));
    if (!written.ok()) return written;
    offset += *read;
  }
}

Status SetFilesAside(base::Folder* folder, const RepairPlan& plan, base::Folder* kept,
                     bool copied) {
  for (const RepairPlan::SetAside& aside : plan.aside) {
    if (aside.is_copied != copied) continue;
    if (copied) {
      if (const Status done = Copy(folder, kept, aside.file); !done.ok()) return done;
      continue;
    }
    const std::string from = folder->path(aside.file);
    const std::string to = kept->path(aside.file);
    if (std::rename(from.c_str(), to.c_str()) != 0) {
      return Err("cannot move " + from + " to " + to + ": " + std::strerror(errno));
    }
  }
  if (const Status synced = kept->Sync(); !synced.ok()) return synced;
  return folder->Sync();
}

Status WriteSnapshot(base::Folder* folder, const Recovery& recovery,
                     const std::function<Status(SnapshotWriter*)>& write) {
  const auto writer =
      SnapshotWriter::Begin(folder, recovery.history, recovery.epoch, recovery.last);
  if (!writer.ok()) return writer.error();
  if (const Status written = write(writer->get()); !written.ok()) return written;
  return (*writer)->Publish();
}

// Writes a final sync mark after the last whole record and truncates the file there.
Status EndSegment(base::Folder* folder, const std::string& name) {
  const Result<std::string> bytes = base::ReadWhole(folder, name);
  if (!bytes.ok()) return bytes.error();
  const Result<FileHeader> header = ParseFileHeader(*bytes, FileKind::kLog);
  if (!header.ok()) return Err(folder->path(name) + ": " + header.error().message);
  SegmentWalk walk(*header, *bytes);
  while (walk.Next()) continue;
  const std::uint64_t last = walk.next() - 1;
  const std::string sync_mark = EncodeSyncMark(FrameFormat(FileKind::kLog, header->history),
                                               {last, last, 0, kSyncMark | kEnds});
  const Result<std::unique_ptr<base::File>> file = folder->Open(name, base::Folder::Mode::kWrite);
  if (!file.ok()) return file.error();
  Status done = (*file)->WriteAt(walk.offset(), sync_mark);
  if (done.ok()) done = (*file)->Sync();
  if (done.ok()) done = (*file)->Truncate(walk.offset() + sync_mark.size());
  return done.ok() ? (*file)->Sync() : done;
}

}  // namespace

RepairPlan PlanRepair(const Inspection& inspection, const Recovery& recovery) {
  RepairPlan plan;
  plan.record = recovery.last;
  for (const SnapshotState& snapshot : inspection.snapshots) {
    const std::string objection = Objection(snapshot, recovery);
    if (!objection.empty()) plan.aside.push_back({snapshot.name, objection});
  }
  const std::vector<SegmentState>& segments = inspection.segments;
  const SegmentState* newest = nullptr;
  bool moves_segment = false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::uint64_t next = i + 1 < segments.size()
                                   ? NumberOfName(FileKind::kLog, segments[i + 1].name).value_or(0)
                                   : 0;
    const std::string objection = Objection(segments[i], next, recovery);
    if (objection.empty()) {
      newest = &segments[i];
      continue;
    }
    plan.aside.push_back({segments[i].name, objection});
    moves_segment = true;
  }
  if (newest != nullptr && (newest->is_cut_short || newest->is_followed)) {
    plan.ended = newest->name;
    if (newest->is_cut_short) plan.aside.push_back({newest->name, "it is cut short", true});
  }
  // A snapshot is needed if the remaining log does not lead to the state by itself.
  const Footer& footer = recovery.footer;
  const bool holds_all = footer.started_at == recovery.last && footer.ended_at == recovery.last;
  plan.writes_snapshot = (moves_segment || !recovery.lost.empty()) && !holds_all;
  const std::string name = SnapshotName(recovery.last);
  if (plan.writes_snapshot && recovery.snapshot == name) {
    plan.aside.push_back({name, "a new one of the same name holds more", true});
  }
  return plan;
}

Status Repair(base::Folder* folder, const Recovery& recovery, const RepairPlan& plan,
              const std::string& aside, const std::function<Status(SnapshotWriter*)>& write) {
  std::unique_ptr<base::Folder> kept;
  if (!plan.aside.empty()) {
    Result<std::unique_ptr<base::Folder>> made =
        base::OpenFolder(folder->path(aside), /*create=*/true);
    if (!made.ok()) return made.error();
    kept = std::move(*made);
    if (const Status copied = SetFilesAside(folder, plan, kept.get(), true); !copied.ok()) {
      return copied;
    }
  }
  if (plan.writes_snapshot) {
    if (const Status written = WriteSnapshot(folder, recovery, write); !written.ok()) {
      return written;
    }
  }
  if (kept != nullptr) {
    if (const Status moved = SetFilesAside(folder, plan, kept.get(), false); !moved.ok()) {
      return moved;
    }
  }
  return plan.ended.empty() ? Status(Ok{}) : EndSegment(folder, plan.ended);
}

}  // namespace laurel::storage
