#include "storage/repair.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace laurel::storage {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

Error Refusal(std::string message) { return Error{ErrorCode::kErr, std::move(message)}; }

// Planning -------------------------------------------------------------------------------------

// How far a snapshot, or the empty beginning, can be taken by the log behind it.
struct Reach {
  const SnapshotState* snapshot = nullptr;  // null: the beginning
  std::uint64_t record = 0;
  std::size_t first = 0;  // the chain of segments that lead there
  std::size_t count = 0;
  BatchEnd end;  // in the last of them
};

class Planner {
 public:
  Planner(base::Folder* folder, const Inspection& inspection, const RepairLimits& limits)
      : folder_(folder), inspection_(inspection), limits_(limits) {
    for (const SegmentState& segment : inspection.segments) {
      if (segment.header) usable_.push_back(&segment);
    }
  }

  Result<RepairPlan> Run() {
    if (!inspection_.other_version.empty()) {
      return Refusal(folder_->path(inspection_.other_version[0]) +
                     " was written by another version of Laurel: this one does not touch it; use "
                     "that version, or move the file away");
    }
    std::optional<Reach> best;
    for (const SnapshotState& snapshot : inspection_.snapshots) {
      if (!snapshot.footer || IsRefused(snapshot.name)) continue;
      if (const Status tried = Try(&snapshot, &best); !tried.ok()) return tried.error();
    }
    if (const Status tried = Try(nullptr, &best); !tried.ok()) return tried.error();
    if (!best) {
      return Refusal(folder_->path() +
                     ": no snapshot is whole with the log that it needs, and no log begins with "
                     "record 1: restore a backup");
    }
    return Make(*best);
  }

 private:
  [[nodiscard]] bool IsRefused(const std::string& name) const {
    const auto& refused = limits_.refused_snapshots;
    return std::find(refused.begin(), refused.end(), name) != refused.end();
  }

  Status Try(const SnapshotState* snapshot, std::optional<Reach>* best) {
    const std::uint64_t began = snapshot != nullptr ? snapshot->footer->started_at : 0;
    const std::uint64_t ended = snapshot != nullptr ? snapshot->footer->ended_at : 0;
    if (snapshot == nullptr && (usable_.empty() || usable_[0]->header->first != 1)) return Ok{};
    if (ended > limits_.last) return Ok{};
    Reach reach;
    reach.snapshot = snapshot;
    reach.record = began;
    for (std::size_t i = 0; i < usable_.size(); ++i) {
      if (usable_[i]->header->first <= began + 1) reach.first = i;
    }
    for (std::size_t i = reach.first; i < usable_.size(); ++i) {
      const SegmentState& segment = *usable_[i];
      const bool follows = i == reach.first
                               ? segment.header->first <= began + 1 && segment.last + 1 >= began + 1
                               : segment.header->first == reach.record + 1;
      if (!follows) break;
      const Result<BatchEnd> end = FindBatchEnd(folder_, segment, limits_.last);
      if (!end.ok()) return end.error();
      reach.record = std::max(began, end->record);
      reach.end = *end;
      ++reach.count;
      if (end->record < segment.last) break;
    }
    // A snapshot without what happened while it was written is no state that ever was.
    if (reach.record < ended && began < ended) return Ok{};
    if (!*best || reach.record > (*best)->record) *best = reach;
    return Ok{};
  }

  RepairPlan Make(const Reach& reach) {
    plan_.record = reach.record;
    if (reach.snapshot != nullptr) plan_.snapshot = reach.snapshot->name;
    known_ = reach.record;
    for (const SnapshotState& snapshot : inspection_.snapshots) JudgeSnapshot(snapshot);
    for (const SegmentState& segment : inspection_.segments) JudgeSegment(segment, reach);
    if (reach.count > 0) JudgeEnd(*usable_[reach.first + reach.count - 1], reach.end);
    if (known_ > reach.record) plan_.lost_through = known_;
    return std::move(plan_);
  }

  void JudgeSnapshot(const SnapshotState& snapshot) {
    if (!snapshot.footer) {
      plan_.aside.push_back({snapshot.name, snapshot.problem});
    } else if (IsRefused(snapshot.name)) {
      plan_.aside.push_back({snapshot.name, "its boards do not fit together"});
    } else if (snapshot.footer->ended_at > plan_.record) {
      known_ = std::max(known_, snapshot.footer->ended_at);
      plan_.aside.push_back({snapshot.name, "it needs the log through record " +
                                                std::to_string(snapshot.footer->ended_at)});
    } else if (snapshot.name > plan_.snapshot) {
      plan_.aside.push_back({snapshot.name, "the log leads further from the one before it"});
    }
  }

  void JudgeSegment(const SegmentState& segment, const Reach& reach) {
    if (!segment.header) {
      known_ = std::max(known_, segment.last_behind);
      if (!IsUnborn(segment)) plan_.aside.push_back({segment.name, segment.problem});
      return;
    }
    const auto at = static_cast<std::size_t>(std::find(usable_.begin(), usable_.end(), &segment) -
                                             usable_.begin());
    const std::size_t end = reach.first + reach.count;
    if (at >= reach.first && at < end) return;
    if (segment.header->first > plan_.record + 1 || (reach.count > 0 && at >= end)) {
      known_ = std::max({known_, segment.last, segment.last_behind});
      plan_.aside.push_back({segment.name, "it is behind what can be read"});
      return;
    }
    // Not needed. It stays for those before it if it leads to the next one.
    const bool leads_on =
        at + 1 == usable_.size() || usable_[at + 1]->header->first == segment.next;
    if (leads_on && reach.count > 0) return;
    // One that ends before the next begins, with nothing behind its end, lost what had not been
    // synced when a snapshot held it already: ordinary in the modes that do not wait for the disk.
    if (segment.content > segment.end) {
      plan_.aside.push_back(
          {segment.name, "record " + std::to_string(segment.next) +
                             " is not whole; the newest snapshot does not need it"});
    }
  }

  // The newest segment may not have come to be: it holds no record, and a start removes it.
  [[nodiscard]] bool IsUnborn(const SegmentState& segment) const {
    return &segment == &inspection_.segments.back() && segment.last_behind == 0 &&
           segment.problem != kOfAnotherFolder;
  }

  // Whether what stands behind the segment's last batch that is kept was on disk once.
  [[nodiscard]] bool WasOnDisk(const SegmentState& segment, const BatchEnd& end) const {
    if (segment.synced_behind >= segment.next || end.record < segment.last) return true;
    for (const SegmentState& other : inspection_.segments) {
      if (other.name > segment.name && (other.header || other.last_behind > 0)) return true;
    }
    return false;
  }

  void JudgeEnd(const SegmentState& segment, const BatchEnd& end) {
    if (segment.content <= end.offset) return;
    const bool lost = WasOnDisk(segment, end);
    if (lost) known_ = std::max({known_, segment.last_behind, segment.last, end.record + 1});
    plan_.cut = {segment.name, end.offset, segment.content - end.offset, lost};
  }

  base::Folder* folder_;
  const Inspection& inspection_;
  const RepairLimits& limits_;
  std::vector<const SegmentState*> usable_;
  RepairPlan plan_;
  std::uint64_t known_ = 0;  // the highest record that there is a trace of
};

// Trying ---------------------------------------------------------------------------------------

class CutFile : public base::File {
 public:
  CutFile(std::unique_ptr<base::File> file, std::uint64_t size)
      : file_(std::move(file)), size_(size) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, char* to, std::size_t bytes) override {
    if (offset >= size_) return std::size_t{0};
    return file_->ReadAt(offset, to, std::min<std::uint64_t>(bytes, size_ - offset));
  }
  Status WriteAt(std::uint64_t, std::string_view) override { return Refusal("read only"); }
  Status Sync() override { return Refusal("read only"); }
  Status Truncate(std::uint64_t) override { return Refusal("read only"); }
  Result<std::uint64_t> Size() override { return size_; }

 private:
  std::unique_ptr<base::File> file_;
  std::uint64_t size_;
};

class RepairedFolder : public base::Folder {
 public:
  RepairedFolder(base::Folder* folder, RepairPlan plan) : folder_(folder), plan_(std::move(plan)) {}

  [[nodiscard]] std::string path(std::string_view name) const override {
    return folder_->path(name);
  }
  Result<std::unique_ptr<base::File>> Open(std::string_view name, Mode mode) override {
    if (mode != Mode::kRead) return Refusal("read only");
    Result<std::unique_ptr<base::File>> file = folder_->Open(name, mode);
    if (!file.ok() || !plan_.cut || plan_.cut->file != name) return file;
    return std::unique_ptr<base::File>(
        std::make_unique<CutFile>(std::move(*file), plan_.cut->offset));
  }
  Result<std::vector<std::string>> List() override {
    Result<std::vector<std::string>> names = folder_->List();
    if (!names.ok()) return names;
    for (const RepairPlan::SetAside& aside : plan_.aside) std::erase(*names, aside.file);
    return names;
  }
  Status Remove(std::string_view) override { return Refusal("read only"); }
  Status Rename(std::string_view, std::string_view) override { return Refusal("read only"); }
  Status Sync() override { return Refusal("read only"); }
  Result<std::unique_ptr<base::FolderLock>> Lock() override { return Refusal("read only"); }

 private:
  base::Folder* folder_;
  RepairPlan plan_;
};

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

Status CutBehind(base::Folder* folder, const RepairPlan::Cut& cut) {
  const Result<std::unique_ptr<base::File>> file =
      folder->Open(cut.file, base::Folder::Mode::kWrite);
  if (!file.ok()) return file.error();
  const Status done = (*file)->Truncate(cut.offset);
  return done.ok() ? (*file)->Sync() : done;
}

}  // namespace

Result<RepairPlan> PlanRepair(base::Folder* folder, const Inspection& inspection,
                              const RepairLimits& limits) {
  return Planner(folder, inspection, limits).Run();
}

std::unique_ptr<base::Folder> AfterRepair(base::Folder* folder, const RepairPlan& plan) {
  return std::make_unique<RepairedFolder>(folder, plan);
}

Status Repair(base::Folder* folder, const RepairPlan& plan, const std::string& aside) {
  if (!plan.aside.empty() || (plan.cut && plan.cut->acknowledged)) {
    const Result<std::unique_ptr<base::Folder>> kept =
        base::OpenFolder(folder->path(aside), /*create=*/true);
    if (!kept.ok()) return kept.error();
    if (plan.cut && plan.cut->acknowledged) {
      if (const Status copied = Copy(folder, kept->get(), plan.cut->file); !copied.ok()) {
        return copied;
      }
    }
    // The newest first: until the cut a segment that is left behind still tells of the damage.
    for (auto file = plan.aside.rbegin(); file != plan.aside.rend(); ++file) {
      const std::string from = folder->path(file->file);
      const std::string to = (*kept)->path(file->file);
      if (std::rename(from.c_str(), to.c_str()) != 0) {
        return Refusal("cannot move " + from + " to " + to + ": " + std::strerror(errno));
      }
    }
    if (const Status synced = (*kept)->Sync(); !synced.ok()) return synced;
    if (const Status synced = folder->Sync(); !synced.ok()) return synced;
  }
  return plan.cut ? CutBehind(folder, *plan.cut) : Status(Ok{});
}

}  // namespace laurel::storage
