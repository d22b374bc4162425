#include "storage/recovery.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "storage/segment_walk.h"
#include "storage/snapshot.h"

namespace laurel::storage {
namespace {

std::string Numbered(std::uint64_t record) { return "record " + std::to_string(record); }

Result<std::string> ReadHead(base::Folder* folder, const std::string& name) {
  const Result<std::unique_ptr<base::File>> file = folder->Open(name, base::Folder::Mode::kRead);
  if (!file.ok()) return file.error();
  std::string head(kFileHeaderBytes, '\0');
  const Result<std::size_t> read = (*file)->ReadAt(0, head.data(), head.size());
  if (!read.ok()) return read.error();
  head.resize(*read);
  return head;
}

Result<std::uint64_t> SizeOf(base::Folder* folder, const std::string& name) {
  const Result<std::unique_ptr<base::File>> file = folder->Open(name, base::Folder::Mode::kRead);
  if (!file.ok()) return file.error();
  return (*file)->Size();
}

class Reader {
 public:
  Reader(base::Folder* folder, Replayer* replayer, const RecoverOptions& options)
      : folder_(folder), replayer_(replayer), options_(options) {}

  Result<Recovery> Run() {
    if (const Status listed = List(); !listed.ok()) return listed.error();
    if (const Status loaded = LoadSnapshot(); !loaded.ok()) return loaded.error();
    if (const Status read = ReadLog(); !read.ok()) return read.error();
    return std::move(found_);
  }

 private:
  struct SegmentFile {
    std::string name;
    FileHeader header;
    std::uint64_t bytes = 0;
    bool is_guessed = false;  // `header` is inferred from the name and other files
  };
  // A batch whose last record has not been read yet.
  struct OpenBatch {
    std::size_t offset = 0;
    std::uint64_t first = 0;
    std::string payload;
  };

  Status List();
  Status CheckVersion(const std::string& name, std::string_view head, FileKind kind);
  Status AddSegment(const std::string& name);
  [[nodiscard]] bool IsOfAnotherHistory(std::uint64_t history) const;
  Status CheckHistory(const std::string& name, std::uint64_t history);
  // Checks the versions of all snapshots, and leaves out those of another history.
  Status CheckSnapshotHeaders();
  // Resets the replayer and the progress, to read a snapshot of this size and then the log.
  void Restart(std::uint64_t snapshot_bytes);
  // Returns an error if the snapshot is damaged, of another history, or the replayer refuses it.
  Result<SnapshotContents> ReplaySnapshot(const std::string& name);
  void UseSnapshot(const std::string& name, const SnapshotContents& contents);
  // Replays the newest snapshot that can be replayed. Without any, the log has to hold everything.
  Status LoadSnapshot();
  // Handles segments with damaged headers. Skips those whose records the snapshot holds. For the
  // others returns an error, or infers the header if holes are not refused.
  Status JudgeHeaders();
  Status ReadLog();
  Status FindBeginning();
  Status ReadSegments();
  Status ReadSegment(const SegmentFile& segment, bool is_last, SegmentWalk* walk);
  // The walk has stopped at damage, and record `next` after it is whole. Returns whether the
  // records in between can be skipped: the snapshot holds them, or they are lost and holes are not
  // refused.
  bool SkipDamage(const SegmentFile& segment, bool is_last, const SegmentWalk& walk,
                  std::uint64_t next);
  // Adds the record to its batch, and applies the batch if the record is its last one.
  Status TakeRecord(const SegmentFile& segment, std::size_t offset, const Frame& frame);
  // The record shows that the beginning of its batch is missing, or the end of the batch before.
  // Drops what was read of either.
  Status MissPartOfBatch(const SegmentFile& segment, std::size_t offset, const Frame& frame);
  Status TakeBatch(const SegmentFile& segment, std::size_t offset, const Frame& frame,
                   std::string_view payload);
  // Whether the newest segment could not be made durable, so that the log continued in the one
  // before.
  [[nodiscard]] bool IsGivenUp(std::size_t index, const SegmentWalk& before) const;
  // Decides what follows the last whole record of the log: nothing, a torn tail, or damage.
  Status EndAt(const SegmentFile& segment, std::string_view bytes, const SegmentWalk& walk);
  // Misses the records after the end of the walk that are known to have been on disk.
  Status MissProvenRecords(const SegmentFile& segment, const SegmentWalk& walk);
  // Checks that the last segment is not cut short and that no segment after it is missing.
  Status CheckLostEnd(const SegmentFile& segment, const SegmentWalk& walk);
  // Sets where the log ends: before an incomplete batch, and before a torn tail.
  void SetEnd(const SegmentFile& segment, std::string_view bytes, const SegmentWalk& walk);
  // Checks that the next segment begins where this one ends.
  Status BreakAt(const SegmentFile& segment, const SegmentFile& next, const SegmentWalk& walk);
  // Checks that the log reaches as far as the snapshots need it.
  Status CheckReach();
  void ListSegments();

  // Records `first` to `last` are needed and cannot be read. Returns `error` if holes are refused,
  // otherwise adds the records to `lost`.
  Status Miss(std::uint64_t first, std::uint64_t last, const Error& error);
  void NoteDamage(const std::string& name);
  // Returns the last record that is known to have been on disk, from the frames after the walk and
  // from the snapshot.
  [[nodiscard]] std::uint64_t LastRecordProvenOnDisk(const SegmentWalk& walk) const;
  // The first record that the snapshot does not hold.
  [[nodiscard]] std::uint64_t needed_from() const { return found_.footer.started_at + 1; }
  Status Advance(std::uint64_t bytes) {
    progress_.done_bytes += bytes;
    if (!options_.progress || options_.progress(progress_)) return Ok{};
    stopped_ = true;
    return Err("stopped while reading " + folder_->path());
  }
  [[nodiscard]] Error Damage(const std::string& name, std::uint64_t offset,
                             const std::string& what) const {
    return Err(folder_->path(name) + " is damaged at offset " + std::to_string(offset) + ": " +
               what + "; 'laurel check " + folder_->path() +
               "' explains, and can repair it at the cost of what cannot be read");
  }

  base::Folder* folder_;
  Replayer* replayer_;
  const RecoverOptions& options_;
  Recovery found_;
  Progress progress_;
  bool stopped_ = false;
  std::vector<std::string> snapshots_;                           // newest first
  std::vector<SegmentFile> segments_;                            // ascending
  std::vector<std::pair<std::string, std::string>> headerless_;  // names and header problems
  std::size_t first_read_ = 0;                                   // index in segments_
  std::uint64_t damaged_end_ = 0;                                // highest E of a damaged snapshot
  std::uint64_t synced_ = 0;                                     // the highest `synced` of the log
  std::optional<OpenBatch> batch_;
};

std::uint64_t Reader::LastRecordProvenOnDisk(const SegmentWalk& walk) const {
  // Invariant 7: a snapshot that needs the log gets its name after the log is on disk through E.
  const Footer& footer = found_.footer;
  const std::uint64_t needed = footer.started_at < footer.ended_at ? footer.ended_at : 0;
  return std::max(walk.HighestSyncedAfter(), needed);
}

Status Reader::Miss(std::uint64_t first, std::uint64_t last, const Error& error) {
  if (options_.holes == Holes::kRefuse) return error;
  if (!found_.lost.empty() && found_.lost.back().last + 1 >= first) {
    found_.lost.back().last = std::max(found_.lost.back().last, last);
  } else {
    found_.lost.push_back({first, last});
  }
  return Ok{};
}

void Reader::NoteDamage(const std::string& name) {
  std::vector<std::string>& damaged = found_.damaged;
  if (std::find(damaged.begin(), damaged.end(), name) == damaged.end()) damaged.push_back(name);
}

bool Reader::IsOfAnotherHistory(std::uint64_t history) const {
  return options_.history != 0 && history != options_.history;
}

Status Reader::CheckHistory(const std::string& name, std::uint64_t history) {
  if (found_.history == 0) found_.history = history;
  if (found_.history == history) return Ok{};
  return Err(folder_->path(name) + " is of another data folder: move it away");
}

Status Reader::List() {
  const Result<std::vector<std::string>> names = folder_->List();
  if (!names.ok()) return names.error();
  std::vector<std::string> segments;
  for (const std::string& name : *names) {
    const std::optional<std::uint64_t> indexed = NumberOfIndexName(name);
    const bool orphan =
        indexed && !std::binary_search(names->begin(), names->end(), SegmentName(*indexed));
    if (name == kUnfinishedSnapshot || name == kUnfinishedSegment || name == kUnfinishedIndex ||
        orphan) {
      found_.leftovers.push_back(name);
    } else if (const auto end = NumberOfName(FileKind::kSnapshot, name)) {
      if (*end > options_.newest_snapshot) continue;
      snapshots_.insert(snapshots_.begin(), name);
    } else if (NumberOfName(FileKind::kLog, name)) {
      segments.push_back(name);
    }
  }
  for (const std::string& name : segments) {
    if (const Status added = AddSegment(name); !added.ok()) return added;
  }
  return Ok{};
}

Status Reader::AddSegment(const std::string& name) {
  const Result<std::string> head = ReadHead(folder_, name);
  if (!head.ok()) return head.error();
  const Result<std::uint64_t> size = SizeOf(folder_, name);
  if (!size.ok()) return size.error();
  const Result<FileHeader> header = ParseFileHeader(*head, FileKind::kLog);
  if (const Status ours = CheckVersion(name, *head, FileKind::kLog); !ours.ok()) return ours;
  // A segment gets its name after its header is on disk, so this is damage, whatever follows.
  if (!header.ok() || header->first != NumberOfName(FileKind::kLog, name)) {
    headerless_.emplace_back(
        name, header.ok() ? "its header is of another segment" : header.error().message);
    return Ok{};
  }
  if (IsOfAnotherHistory(header->history)) return Ok{};
  if (const Status same = CheckHistory(name, header->history); !same.ok()) return same;
  found_.epoch = std::max(found_.epoch, header->epoch);
  segments_.push_back({name, *header, *size});
  return Ok{};
}

Status Reader::CheckVersion(const std::string& name, std::string_view head, FileKind kind) {
  const std::optional<std::uint32_t> version = OtherVersion(head, kind);
  if (!version) return Ok{};
  return Err(folder_->path(name) + " has format version " + std::to_string(*version) +
             ", this program reads " + std::to_string(kOldestFormatVersion) + " to " +
             std::to_string(kFormatVersion) + ": start the laurel that wrote it");
}

Status Reader::CheckSnapshotHeaders() {
  for (const std::string& name : std::vector<std::string>(snapshots_)) {
    const Result<std::string> head = ReadHead(folder_, name);
    if (!head.ok()) return head.error();
    if (const Status ours = CheckVersion(name, *head, FileKind::kSnapshot); !ours.ok()) return ours;
    const Result<FileHeader> header = ParseFileHeader(*head, FileKind::kSnapshot);
    if (header.ok() && IsOfAnotherHistory(header->history)) std::erase(snapshots_, name);
  }
  return Ok{};
}

void Reader::Restart(std::uint64_t snapshot_bytes) {
  replayer_->Reset();
  progress_ = {0, snapshot_bytes};
  for (const SegmentFile& segment : segments_) progress_.total_bytes += segment.bytes;
}

Result<SnapshotContents> Reader::ReplaySnapshot(const std::string& name) {
  const Result<std::uint64_t> size = SizeOf(folder_, name);
  Restart(size.ok() ? *size : 0);
  Result<SnapshotContents> contents =
      ReadSnapshot(folder_, name, [&](std::string_view effects, std::uint64_t) {
        const Status advanced = Advance(FrameBytes(effects.size()));
        return advanced.ok() ? replayer_->OnSnapshot(effects) : advanced;
      });
  if (!contents.ok()) return contents;
  Status loaded = CheckHistory(name, contents->header.history);
  if (loaded.ok()) loaded = replayer_->OnSnapshotEnd(contents->footer);
  if (!loaded.ok()) return loaded.error();
  return contents;
}

void Reader::UseSnapshot(const std::string& name, const SnapshotContents& contents) {
  found_.snapshot = name;
  found_.footer = contents.footer;
  found_.snapshot_bytes = contents.bytes;
  found_.snapshot_created_us = contents.header.created_us;
  found_.epoch = std::max(found_.epoch, contents.header.epoch);
  found_.other_snapshots = snapshots_;
  std::erase(found_.other_snapshots, name);
}

Status Reader::LoadSnapshot() {
  if (const Status checked = CheckSnapshotHeaders(); !checked.ok()) return checked;
  std::optional<Error> failure;
  for (const std::string& name : snapshots_) {
    const Result<SnapshotContents> contents = ReplaySnapshot(name);
    if (contents.ok()) {
      UseSnapshot(name, *contents);
      return Ok{};
    }
    if (stopped_) return contents.error();
    found_.warnings.push_back(contents.error().message);
    if (!failure) failure = contents.error();
    damaged_end_ = std::max(damaged_end_, NumberOfName(FileKind::kSnapshot, name).value_or(0));
  }
  found_.other_snapshots = snapshots_;
  Restart(0);
  // Without a snapshot the log must begin with record 1.
  const bool whole_log = !segments_.empty() && segments_[0].header.first == 1;
  if (failure && !whole_log && damaged_end_ > 0) return *failure;
  return Ok{};
}

Status Reader::JudgeHeaders() {
  for (const auto& [name, problem] : headerless_) {
    const std::uint64_t first = *NumberOfName(FileKind::kLog, name);
    const auto next =
        std::find_if(segments_.begin(), segments_.end(),
                     [&](const SegmentFile& segment) { return segment.header.first > first; });
    NoteDamage(name);
    if (next != segments_.end() && next->header.first <= needed_from()) {
      found_.warnings.push_back(folder_->path(name) + " is damaged at offset 0: " + problem +
                                "; the snapshot holds what is in it");
      continue;
    }
    if (options_.holes == Holes::kRefuse) return Damage(name, 0, problem);
    // Its records may still be whole. Its name gives the first record, the other files the history.
    const Result<std::uint64_t> size = SizeOf(folder_, name);
    if (!size.ok()) return size.error();
    const Result<std::string> head = ReadHead(folder_, name);
    if (!head.ok()) return head.error();
    if (found_.history == 0) found_.history = ClaimedHistory(*head);
    FileHeader header;
    header.history = found_.history;
    header.first = first;
    segments_.insert(next, {name, header, *size, true});
  }
  return Ok{};
}

Status Reader::FindBeginning() {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i].header.first <= needed_from()) first_read_ = i;
  }
  if (segments_.empty() || segments_[first_read_].header.first <= needed_from()) return Ok{};
  const std::uint64_t first = segments_[first_read_].header.first;
  const Error missing = Err(folder_->path() + ": records " + std::to_string(needed_from()) +
                            " to " + std::to_string(first - 1) +
                            " are missing: the log begins with " + segments_[first_read_].name +
                            "; restore a backup, or 'laurel check' tells what there is");
  // Without a snapshot there is no state that the rest could be applied to.
  if (found_.snapshot.empty()) return missing;
  return Miss(needed_from(), first - 1, missing);
}

Status Reader::ReadLog() {
  found_.last = found_.footer.started_at;
  if (const Status judged = JudgeHeaders(); !judged.ok()) return judged;
  if (const Status found = FindBeginning(); !found.ok()) return found;
  if (const Status read = ReadSegments(); !read.ok()) return read;
  if (const Status reaches = CheckReach(); !reaches.ok()) return reaches;
  ListSegments();
  return Ok{};
}

Status Reader::ReadSegments() {
  for (std::size_t i = first_read_; i < segments_.size(); ++i) {
    const SegmentFile segment = segments_[i];
    const Result<std::string> bytes = base::ReadWhole(folder_, segment.name);
    if (!bytes.ok()) return bytes.error();
    SegmentWalk walk(segment.header, *bytes);
    const Status read = ReadSegment(segment, i + 1 == segments_.size(), &walk);
    if (!read.ok()) return read;
    if (const Status advanced = Advance(segment.bytes); !advanced.ok()) return advanced;
    found_.segments.push_back(
        {segment.header.first, walk.next() - 1, walk.offset(), segment.header.created_us});
    if (IsGivenUp(i + 1, walk)) {
      found_.leftovers.push_back(segments_.back().name);
      segments_.pop_back();
    }
    const Status ended = i + 1 == segments_.size() ? EndAt(segment, *bytes, walk)
                                                   : BreakAt(segment, segments_[i + 1], walk);
    if (!ended.ok()) return ended;
  }
  return Ok{};
}

// Applies the whole records. Continues after damaged ones if the snapshot holds them or holes are
// not refused; otherwise stops before them. Stops before a torn tail.
Status Reader::ReadSegment(const SegmentFile& segment, bool is_last, SegmentWalk* walk) {
  batch_.reset();
  for (;;) {
    while (const std::optional<Frame> frame = walk->Next()) {
      const Status taken = TakeRecord(segment, walk->offset() - frame->bytes(), *frame);
      if (!taken.ok()) return taken;
    }
    const std::optional<SegmentWalk::FoundRecord> after = walk->FindRecordAfter();
    if (!after || !SkipDamage(segment, is_last, *walk, after->number)) break;
    NoteDamage(segment.name);
    batch_.reset();
    walk->ContinueAt(*after);
  }
  synced_ = std::max(synced_, walk->synced());
  return Ok{};
}

bool Reader::SkipDamage(const SegmentFile& segment, bool is_last, const SegmentWalk& walk,
                        std::uint64_t next) {
  const std::string what = Numbered(walk.next()) + " is not whole";
  if (next <= needed_from()) {
    found_.warnings.push_back(folder_->path(segment.name) + " is damaged at offset " +
                              std::to_string(walk.offset()) + ": " + what +
                              "; the snapshot holds what it said");
    return true;
  }
  const bool torn = is_last && LastRecordProvenOnDisk(walk) < std::max(walk.next(), needed_from());
  if (torn || options_.holes == Holes::kRefuse) return false;
  const std::uint64_t first = batch_ ? batch_->first : walk.next();
  const Error error = Damage(segment.name, walk.offset(), what);
  return Miss(std::max(first, needed_from()), next - 1, error).ok();
}

Status Reader::TakeRecord(const SegmentFile& segment, std::size_t offset, const Frame& frame) {
  const bool continued = frame.Has(kContinued);
  if (continued != batch_.has_value() && frame.number > found_.footer.started_at) {
    const Status missed = MissPartOfBatch(segment, offset, frame);
    if (!missed.ok() || continued) return missed;
  }
  if (!batch_ && frame.Has(kContinues)) batch_ = OpenBatch{offset, frame.number, {}};
  if (batch_) batch_->payload.append(frame.payload);
  if (frame.Has(kContinues)) return Ok{};
  const std::optional<OpenBatch> whole = std::exchange(batch_, std::nullopt);
  if (frame.number <= found_.footer.started_at) return Ok{};
  return TakeBatch(segment, offset, frame, whole ? whole->payload : frame.payload);
}

Status Reader::MissPartOfBatch(const SegmentFile& segment, std::size_t offset, const Frame& frame) {
  const std::uint64_t first = batch_ ? batch_->first : frame.number;
  const std::uint64_t last = batch_ && !frame.Has(kContinued) ? frame.number - 1 : frame.number;
  const Error error = Damage(segment.name, offset, Numbered(first) + " is a part of a batch");
  if (const Status missed = Miss(first, last, error); !missed.ok()) return missed;
  NoteDamage(segment.name);
  batch_.reset();
  return Ok{};
}

// A batch is applied as a whole or not at all (invariant 5).
Status Reader::TakeBatch(const SegmentFile& segment, std::size_t offset, const Frame& frame,
                         std::string_view payload) {
  const bool behind_hole = !found_.lost.empty();
  if (behind_hole && options_.holes == Holes::kStopBefore) {
    found_.lost.back().last = frame.number;
    return Ok{};
  }
  const bool lenient = frame.number <= found_.footer.ended_at || behind_hole;
  const Status taken = replayer_->OnBatch(frame.number, payload, lenient);
  if (taken.ok()) {
    ++found_.batches;
    found_.last = frame.number;
    return Ok{};
  }
  NoteDamage(segment.name);
  const std::uint64_t parts =
      std::max<std::uint64_t>(1, (payload.size() + kMaxPayloadBytes - 1) / kMaxPayloadBytes);
  return Miss(frame.number - parts + 1, frame.number,
              Damage(segment.name, offset, taken.error().message));
}

bool Reader::IsGivenUp(std::size_t index, const SegmentWalk& before) const {
  if (index + 1 != segments_.size()) return false;
  const std::uint64_t first = segments_[index].header.first;
  if (first >= before.next() || before.followed()) return false;
  const Result<std::string> bytes = base::ReadWhole(folder_, segments_[index].name);
  return bytes.ok() && bytes->find_first_not_of('\0', kFileHeaderBytes) == std::string::npos;
}

// Invariant 4: a segment is begun after the one before is durable to its end, and no batch
// continues in the next segment.
Status Reader::BreakAt(const SegmentFile& segment, const SegmentFile& next,
                       const SegmentWalk& walk) {
  if (next.header.first == walk.next() && !batch_) return Ok{};
  const std::uint64_t first = batch_ ? batch_->first : walk.next();
  const Error error =
      Damage(segment.name, walk.offset(),
             Numbered(first) + " is not whole, and " + next.name + " shows that it was on disk");
  if (batch_ || walk.Content() > walk.offset()) NoteDamage(segment.name);
  if (next.header.first < walk.next()) return error;  // a record is there twice
  return Miss(std::max(first, needed_from()), next.header.first - 1, error);
}

Status Reader::EndAt(const SegmentFile& segment, std::string_view bytes, const SegmentWalk& walk) {
  found_.end_file = segment.name;
  if (const Status missed = MissProvenRecords(segment, walk); !missed.ok()) return missed;
  if (const Status checked = CheckLostEnd(segment, walk); !checked.ok()) return checked;
  SetEnd(segment, bytes, walk);
  return Ok{};
}

Status Reader::MissProvenRecords(const SegmentFile& segment, const SegmentWalk& walk) {
  const std::uint64_t next = std::max(walk.next(), needed_from());
  const std::uint64_t proven = LastRecordProvenOnDisk(walk);
  const bool is_broken = walk.HighestSyncedAfter() >= next;
  if (proven >= next) {
    const std::string why = is_broken
                                ? " is not whole, and what is behind it shows that it was on disk"
                                : " is not whole or missing, and " + found_.snapshot +
                                      " needs the log through " + Numbered(proven);
    const Error error = Damage(segment.name, walk.offset(), Numbered(walk.next()) + why);
    if (const Status missed = Miss(next, proven, error); !missed.ok()) return missed;
  }
  if (is_broken) NoteDamage(segment.name);
  return Ok{};
}

Status Reader::CheckLostEnd(const SegmentFile& segment, const SegmentWalk& walk) {
  found_.lost_end = walk.followed() || walk.IsCutShort() || segment.is_guessed;
  if (!found_.lost_end || options_.holes != Holes::kRefuse) return Ok{};
  return Damage(segment.name, walk.offset(),
                walk.followed()
                    ? "a segment follows it, " + SegmentName(walk.next()) + ", and is missing"
                    : "it ends there and had " + std::to_string(walk.extent()) + " bytes once");
}

void Reader::SetEnd(const SegmentFile& segment, std::string_view bytes, const SegmentWalk& walk) {
  found_.end_offset = batch_ ? batch_->offset : walk.offset();
  const std::uint64_t end = batch_ ? batch_->first : walk.next();  // drops an incomplete batch
  found_.segments.back().last = end - 1;
  found_.segments.back().bytes = found_.end_offset;
  SegmentWalk again(segment.header, bytes);
  found_.proven_offset = std::min<std::uint64_t>(found_.end_offset, again.offset());
  while (again.next() <= std::min(synced_, end - 1) && again.Next()) {
    found_.proven_offset = again.offset();
  }
  const std::size_t content = walk.Content();
  if (content > found_.end_offset) {
    found_.torn = Tail{segment.name, found_.end_offset, end, content - found_.end_offset};
  }
}

Status Reader::CheckReach() {
  const std::uint64_t needed = found_.footer.ended_at;
  if (found_.last < needed && found_.footer.started_at < needed) {  // invariant 9
    const Error error =
        Err(folder_->path(found_.snapshot) + " needs the log through " + Numbered(needed) +
            ", but it ends at " + Numbered(found_.last) + " (" +
            (found_.end_file.empty() ? "no segment" : folder_->path(found_.end_file)) +
            "): restore the missing part, or let 'laurel check --repair " + folder_->path() +
            "' keep what is there");
    // Without the log through E, the snapshot is not the state at any single record.
    if (options_.holes == Holes::kStopBefore) return error;
    if (const Status missed = Miss(found_.last + 1, needed, error); !missed.ok()) return missed;
  }
  // The log was durable through the E of the damaged snapshot, or not needed, when that was made.
  // So the records through that E existed and are missing.
  if (found_.last < damaged_end_) {
    const Error error = Err(found_.warnings.front() + "; it went to " + Numbered(damaged_end_) +
                            ", without it there is nothing behind " + Numbered(found_.last) +
                            ": restore a backup, or let 'laurel check --repair " + folder_->path() +
                            "' keep what is there");
    if (const Status missed = Miss(found_.last + 1, damaged_end_, error); !missed.ok()) {
      return missed;
    }
  }
  // The numbers of lost records are not given out again.
  if (options_.holes == Holes::kSkip && !found_.lost.empty()) {
    found_.last = std::max(found_.last, found_.lost.back().last);
  }
  return Ok{};
}

void Reader::ListSegments() {
  // Segments that were not read: the last record follows from the segment after.
  std::vector<Segment> before;
  for (std::size_t i = 0; i < first_read_; ++i) {
    before.push_back({segments_[i].header.first, segments_[i + 1].header.first - 1,
                      segments_[i].bytes, segments_[i].header.created_us});
  }
  found_.segments.insert(found_.segments.begin(), before.begin(), before.end());
  if (!found_.segments.empty() && found_.segments.back().first == found_.last + 1) {
    // The last segment holds no record. The log is about to begin one of the same name, which
    // replaces it. It is not removed here: the segment before may already state that it exists.
    found_.segments.pop_back();
    found_.end_file.clear();
  }
}

}  // namespace

Result<Recovery> Recover(base::Folder* folder, Replayer* replayer, const RecoverOptions& options) {
  return Reader(folder, replayer, options).Run();
}

Status Tidy(base::Folder* folder, Recovery* recovery) {
  if (!recovery->end_file.empty()) {
    const Result<std::unique_ptr<base::File>> file =
        folder->Open(recovery->end_file, base::Folder::Mode::kWrite);
    if (!file.ok()) return file.error();
    LAUREL_ASSERT(recovery->proven_offset <= recovery->end_offset);
    std::string end(recovery->end_offset - recovery->proven_offset, '\0');
    const Result<std::size_t> read =
        (*file)->ReadAt(recovery->proven_offset, end.data(), end.size());
    if (!read.ok()) return read.error();
    // This must be durable before another segment is begun: a stale record must not be taken for a
    // new one, and the next start must find every record that was replayed. The file keeps its
    // length: a truncated file without a final sync mark is refused.
    if (recovery->torn) end.append(recovery->torn->bytes, '\0');
    Status settled = (*file)->WriteAt(recovery->proven_offset, end);
    if (settled.ok()) settled = (*file)->Sync();
    if (!settled.ok()) return settled;
  }
  for (const std::string& name : recovery->leftovers) {
    if (const Status removed = folder->Remove(name); !removed.ok()) return removed;
  }
  const bool removed = !recovery->leftovers.empty();
  recovery->leftovers.clear();
  return removed ? folder->Sync() : Status(Ok{});
}

}  // namespace laurel::storage
