#include "storage/recovery.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "storage/snapshot.h"

namespace laurel::storage {
namespace {

Error Refusal(std::string message) { return Error{ErrorCode::kErr, std::move(message)}; }

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

// Whether record `number`, which should be at `offset` and is not whole, was on disk once: a whole
// record behind it says so (invariant 11).
bool WasOnDisk(const FrameFormat& format, std::string_view bytes, std::size_t offset,
               std::uint64_t number) {
  const std::uint64_t highest = number + (bytes.size() - offset) / kFrameHeaderBytes;
  while (offset + kFrameHeaderBytes <= bytes.size()) {
    const std::string_view rest = bytes.substr(offset);
    offset += kFrameAlignment;
    // The checksum of what only looks like a record would cost too much to try everywhere.
    const std::optional<Frame> claimed = format.ParseHeader(rest);
    if (!claimed || claimed->number < number || claimed->number > highest ||
        claimed->synced >= claimed->number || claimed->synced < number) {
      continue;
    }
    if (format.Parse(rest)) return true;
  }
  return false;
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
  };
  // How far a segment's whole records go.
  struct Extent {
    std::size_t offset = kFileHeaderBytes;
    std::uint64_t next = 0;  // the number that was expected there
  };

  Status List();
  Status CheckVersion(const std::string& name, std::string_view head, FileKind kind);
  Status AddSegment(const std::string& name, bool is_last);
  Status CheckHistory(const std::string& name, std::uint64_t history);
  Status LoadSnapshot();
  Status ReadLog();
  Result<Extent> ReadSegment(const SegmentFile& segment, std::string_view bytes);
  // Whether the newest segment could not be made whole, so that the log went on in the one before.
  [[nodiscard]] bool IsGivenUp(std::size_t index, std::uint64_t next) const;
  Status EndAt(const SegmentFile& segment, std::string_view bytes, Extent end);
  Status Advance(std::uint64_t bytes) {
    progress_.done_bytes += bytes;
    if (!options_.progress || options_.progress(progress_)) return Ok{};
    stopped_ = true;
    return Refusal("stopped while reading " + folder_->path());
  }
  [[nodiscard]] Error Damage(const std::string& name, std::uint64_t offset,
                             const std::string& what) const {
    return Refusal(folder_->path(name) + " is damaged at offset " + std::to_string(offset) + ": " +
                   what + "; 'laurel check " + folder_->path() +
                   "' explains, and can repair it at the cost of what is behind");
  }

  base::Folder* folder_;
  Replayer* replayer_;
  const RecoverOptions& options_;
  Recovery found_;
  Progress progress_;
  bool stopped_ = false;
  std::vector<std::string> snapshots_;                                // newest first
  std::vector<SegmentFile> segments_;                                 // by number
  std::size_t first_read_ = 0;                                        // of segments_
  std::uint64_t damaged_end_ = 0;                                     // E of a damaged snapshot
  std::uint64_t synced_ = 0;                                          // the highest of the log
  std::string batch_;                                                 // the parts of a batch so far
  std::optional<std::pair<std::size_t, std::uint64_t>> batch_start_;  // offset, number
};

Status Reader::CheckHistory(const std::string& name, std::uint64_t history) {
  if (found_.history == 0) found_.history = history;
  if (found_.history == history) return Ok{};
  return Refusal(folder_->path(name) + " is of another data folder: move it away");
}

Status Reader::List() {
  const Result<std::vector<std::string>> names = folder_->List();
  if (!names.ok()) return names.error();
  std::vector<std::string> segments;
  for (const std::string& name : *names) {
    const std::optional<std::uint64_t> indexed = NumberOfIndexName(name);
    const bool orphan =
        indexed && !std::binary_search(names->begin(), names->end(), SegmentName(*indexed));
    if (name == kUnfinishedSnapshot || name == kUnfinishedIndex || orphan) {
      found_.leftovers.push_back(name);
    } else if (NumberOfName(FileKind::kSnapshot, name)) {
      snapshots_.insert(snapshots_.begin(), name);
    } else if (NumberOfName(FileKind::kLog, name)) {
      segments.push_back(name);
    }
  }
  for (const std::string& name : segments) {
    const Status added = AddSegment(name, name == segments.back());
    if (!added.ok()) return added;
  }
  return Ok{};
}

Status Reader::AddSegment(const std::string& name, bool is_last) {
  const Result<std::string> head = ReadHead(folder_, name);
  if (!head.ok()) return head.error();
  const Result<std::uint64_t> size = SizeOf(folder_, name);
  if (!size.ok()) return size.error();
  const Result<FileHeader> header = ParseFileHeader(*head, FileKind::kLog);
  if (const Status ours = CheckVersion(name, *head, FileKind::kLog); !ours.ok()) return ours;
  const bool named = header.ok() && header->first == NumberOfName(FileKind::kLog, name);
  if (!named) {
    // The newest may not have come to be: its header was never synced, so nothing is behind it.
    // (Not to be told by looking for records: which bytes are one depends on the header's history.)
    const Result<std::string> bytes = base::ReadWhole(folder_, name);
    if (!bytes.ok()) return bytes.error();
    if (is_last && bytes->find_first_not_of('\0', kFileHeaderBytes) == std::string::npos) {
      found_.leftovers.push_back(name);
      return Ok{};
    }
    return Damage(name, 0,
                  header.ok() ? "its header is of another segment" : header.error().message);
  }
  if (const Status same = CheckHistory(name, header->history); !same.ok()) return same;
  found_.epoch = std::max(found_.epoch, header->epoch);
  segments_.push_back({name, *header, *size});
  return Ok{};
}

Status Reader::CheckVersion(const std::string& name, std::string_view head, FileKind kind) {
  const std::optional<std::uint32_t> version = OtherVersion(head, kind);
  if (!version) return Ok{};
  return Refusal(folder_->path(name) + " has format version " + std::to_string(*version) +
                 ", this program reads version " + std::to_string(kFormatVersion) +
                 ": start the laurel that wrote it");
}

Status Reader::LoadSnapshot() {
  for (const std::string& name : snapshots_) {
    const Result<std::string> head = ReadHead(folder_, name);
    if (!head.ok()) return head.error();
    if (const Status ours = CheckVersion(name, *head, FileKind::kSnapshot); !ours.ok()) return ours;
  }
  std::optional<Error> failure;
  for (std::size_t i = 0; i < snapshots_.size(); ++i) {
    const std::string& name = snapshots_[i];
    const Result<std::uint64_t> size = SizeOf(folder_, name);
    progress_ = {0, size.ok() ? *size : 0};
    for (const SegmentFile& segment : segments_) progress_.total_bytes += segment.bytes;
    replayer_->Reset();
    const Result<SnapshotContents> contents =
        ReadSnapshot(folder_, name, [&](std::string_view effects, std::uint64_t) {
          const Status advanced = Advance(FrameBytes(effects.size()));
          return advanced.ok() ? replayer_->OnSnapshot(effects) : advanced;
        });
    Status loaded =
        contents.ok() ? CheckHistory(name, contents->header.history) : Status(contents.error());
    if (loaded.ok()) loaded = replayer_->OnSnapshotEnd(contents->footer);
    if (stopped_) return loaded;
    if (!loaded.ok()) {
      found_.warnings.push_back(loaded.error().message);
      if (!failure) failure = loaded.error();
      damaged_end_ = std::max(damaged_end_, NumberOfName(FileKind::kSnapshot, name).value_or(0));
      continue;
    }
    found_.snapshot = name;
    found_.footer = contents->footer;
    found_.snapshot_bytes = contents->bytes;
    found_.snapshot_created_us = contents->header.created_us;
    found_.epoch = std::max(found_.epoch, contents->header.epoch);
    found_.other_snapshots = snapshots_;
    found_.other_snapshots.erase(found_.other_snapshots.begin() + static_cast<std::ptrdiff_t>(i));
    return Ok{};
  }
  found_.other_snapshots = snapshots_;
  replayer_->Reset();
  progress_ = {};
  for (const SegmentFile& segment : segments_) progress_.total_bytes += segment.bytes;
  // Without a snapshot the log must go back to its beginning.
  const bool whole_log = !segments_.empty() && segments_[0].header.first == 1;
  if (failure && !whole_log && damaged_end_ > 0) return *failure;
  return Ok{};
}

Status Reader::ReadLog() {
  const std::uint64_t after = found_.footer.started_at;  // S: invariant 8
  const std::uint64_t needed = found_.footer.ended_at;   // E
  found_.last = after;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i].header.first <= after + 1) first_read_ = i;
  }
  if (!segments_.empty() && segments_[first_read_].header.first > after + 1) {
    return Refusal(folder_->path() + ": records " + std::to_string(after + 1) + " to " +
                   std::to_string(segments_[first_read_].header.first - 1) +
                   " are missing: the log begins with " + segments_[first_read_].name +
                   "; restore a backup, or 'laurel check' tells what there is");
  }
  for (std::size_t i = first_read_; i < segments_.size(); ++i) {
    const SegmentFile& segment = segments_[i];
    const Result<std::string> bytes = base::ReadWhole(folder_, segment.name);
    if (!bytes.ok()) return bytes.error();
    const Result<Extent> end = ReadSegment(segment, *bytes);
    if (!end.ok()) return end.error();
    if (const Status advanced = Advance(segment.bytes); !advanced.ok()) return advanced;
    found_.segments.push_back(
        {segment.header.first, end->next - 1, end->offset, segment.header.created_us});
    if (IsGivenUp(i + 1, end->next)) {
      found_.leftovers.push_back(segments_.back().name);
      segments_.pop_back();
    }
    const bool is_last = i + 1 == segments_.size();
    if (is_last) {
      const Status ended = EndAt(segment, *bytes, *end);
      if (!ended.ok()) return ended;
    } else if (segments_[i + 1].header.first != end->next || batch_start_) {
      // Invariant 4: the next segment was begun when this one was durable to its end, and no batch
      // goes on in the next.
      return Damage(segment.name, end->offset,
                    Numbered(end->next) + " is not whole, and " + segments_[i + 1].name +
                        " shows that it was on disk");
    }
    found_.last = std::max(found_.last, end->next - 1);
  }
  if (found_.torn) found_.last = std::max(after, found_.torn->record - 1);
  if (found_.last < needed && after < needed) {  // invariant 9
    return Refusal(folder_->path(found_.snapshot) + " needs the log through " + Numbered(needed) +
                   ", but it ends at " + Numbered(found_.last) + " (" +
                   (found_.end_file.empty() ? "no segment" : folder_->path(found_.end_file)) +
                   "): restore the missing part, or let 'laurel check --repair " + folder_->path() +
                   "' go back to the snapshot before");
  }
  // The log was durable through E, or not needed, when that snapshot was made.
  if (found_.last < damaged_end_) {
    return Refusal(found_.warnings.front() + "; it went to " + Numbered(damaged_end_) +
                   ", without it there is nothing behind " + Numbered(found_.last) +
                   ": restore a backup, or move it away and lose what is between");
  }
  // What is not read is known by its names.
  std::vector<Segment> before;
  for (std::size_t i = 0; i < first_read_; ++i) {
    before.push_back({segments_[i].header.first, segments_[i + 1].header.first - 1,
                      segments_[i].bytes, segments_[i].header.created_us});
  }
  found_.segments.insert(found_.segments.begin(), before.begin(), before.end());
  if (!found_.segments.empty() && found_.segments.back().first == found_.last + 1) {
    found_.leftovers.push_back(SegmentName(found_.segments.back().first));  // holds no record
    found_.segments.pop_back();
    found_.end_file.clear();
  }
  return Ok{};
}

Result<Reader::Extent> Reader::ReadSegment(const SegmentFile& segment, std::string_view bytes) {
  const FrameFormat format(FileKind::kLog, found_.history);
  Extent at{kFileHeaderBytes, segment.header.first};
  batch_start_.reset();
  for (;;) {
    const std::optional<Frame> frame =
        at.offset <= bytes.size() ? format.Parse(bytes.substr(at.offset)) : std::nullopt;
    if (!frame || frame->number != at.next) return at;
    synced_ = std::max(synced_, frame->synced);
    if (!batch_start_) {
      batch_.clear();
      batch_start_ = {at.offset, at.next};
    }
    const bool continues = (frame->flags & kContinues) != 0;
    if (frame->number > found_.footer.started_at) {
      // A batch is applied as a whole or not at all (invariant 5).
      if (continues || !batch_.empty()) batch_.append(frame->payload);
      if (!continues) {
        const Status taken =
            replayer_->OnBatch(frame->number, batch_.empty() ? frame->payload : batch_,
                               frame->number <= found_.footer.ended_at);
        if (!taken.ok()) return Damage(segment.name, at.offset, taken.error().message);
        ++found_.batches;
      }
    }
    if (!continues) batch_start_.reset();
    at.offset += frame->bytes();
    ++at.next;
  }
}

bool Reader::IsGivenUp(std::size_t index, std::uint64_t next) const {
  if (index + 1 != segments_.size() || segments_[index].header.first >= next) return false;
  const Result<std::string> bytes = base::ReadWhole(folder_, segments_[index].name);
  return bytes.ok() && bytes->find_first_not_of('\0', kFileHeaderBytes) == std::string::npos;
}

// What stands behind the last whole record of the log: nothing, a torn tail, or damage.
Status Reader::EndAt(const SegmentFile& segment, std::string_view bytes, Extent end) {
  found_.end_file = segment.name;
  if (end.next > found_.footer.started_at &&
      WasOnDisk(FrameFormat(FileKind::kLog, found_.history), bytes, end.offset, end.next)) {
    return Damage(
        segment.name, end.offset,
        Numbered(end.next) + " is not whole, and a later record shows that it was on disk");
  }
  if (batch_start_) {  // parts without their last
    end.offset = batch_start_->first;
    end.next = batch_start_->second;
  }
  found_.end_offset = end.offset;
  const FrameFormat format(FileKind::kLog, found_.history);
  found_.proven_offset = kFileHeaderBytes;
  for (std::uint64_t number = segment.header.first; number < end.next && number <= synced_;
       ++number) {
    found_.proven_offset += format.ClaimedBytes(bytes.substr(found_.proven_offset));
  }
  std::size_t content = bytes.size();
  while (content > end.offset && bytes[content - 1] == '\0') --content;
  if (content > end.offset) {
    found_.torn = Tail{segment.name, end.offset, end.next, content - end.offset};
  }
  return Ok{};
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
    std::string end(recovery->end_offset - recovery->proven_offset, '\0');
    const Result<std::size_t> read =
        (*file)->ReadAt(recovery->proven_offset, end.data(), end.size());
    if (!read.ok()) return read.error();
    // Durable before another segment is begun: a stale record must not be taken for a new one, and
    // what is replayed must be there the next time too.
    Status settled = (*file)->Truncate(recovery->end_offset);
    if (settled.ok()) settled = (*file)->WriteAt(recovery->proven_offset, end);
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
