// The keeper on a disk that is full or nearly full: which files it gives up, and how it gets to
// accept writes again.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "engine/disk/keeper.h"

namespace laurel::engine {
namespace {

// On a small disk the reserve takes at most 1/N of the disk.
constexpr std::uint64_t kLargestPart = 8;
// The least time between two log lines about the same condition.
constexpr std::int64_t kTellUs = 60'000'000;
// The keeper tries a snapshot that did not fit again after kTryAnywayUs, even if the disk shows no
// more room, but not before kRestFactor times the time that the last attempt took.
constexpr std::int64_t kTryAnywayUs = 30'000'000;
constexpr std::int64_t kRestFactor = 4;

std::string Megabytes(std::uint64_t bytes) {
  if (bytes < std::uint64_t{1} << 20) return std::to_string(bytes) + " bytes";
  return std::to_string(bytes >> 20) + " MB";
}

}  // namespace

// Giving up ------------------------------------------------------------------------------------

bool Keeper::DropDispensableFiles() {
  const base::MutexLock lock(files_mutex_);
  if (!NewestIsOurs()) return false;
  const std::size_t segments = log_->segments().size();
  const auto drops = [&](std::uint64_t needed_after) LAUREL_REQUIRES(files_mutex_) {
    return DropLog(needed_after, false).ok() && log_->segments().size() < segments;
  };
  if (drops(kept_.back().started_at)) return true;
  if (kept_.size() == 1) return false;
  while (kept_.size() > 1) {
    if (!base::RemoveIfThere(folder_, kept_.back().name).ok()) return false;
    kept_.pop_back();
    ++untold_snapshots_;
  }
  (void)drops(kept_[0].started_at);
  return true;
}

void Keeper::ReportGivenUp() {
  const std::int64_t now_us = base::MonotonicMicros();
  if (told_given_up_us_ != 0 && now_us - told_given_up_us_ < kTellUs) return;
  std::uint64_t log_bytes = 0;
  std::uint64_t snapshots = 0;
  {
    const base::MutexLock lock(files_mutex_);
    log_bytes = std::exchange(untold_log_bytes_, 0);
    snapshots = std::exchange(untold_snapshots_, 0);
  }
  if (log_bytes == 0 && snapshots == 0) return;
  told_given_up_us_ = now_us;
  std::string what = folder_->path() + ": the disk is full, so ";
  if (log_bytes > 0) {
    what += Megabytes(log_bytes) + " of log that keep-log would keep for LB.CHANGES";
  }
  if (log_bytes > 0 && snapshots > 0) what += " and ";
  if (snapshots > 0) what += std::to_string(snapshots) + " older snapshot(s)";
  source_->OnWarning(what + " were given up; everything that was written is in what is left");
}

// The reserve ----------------------------------------------------------------------------------

std::uint64_t Keeper::LeastReserve() const {
  const std::optional<base::DiskSpace> space = folder_->Space();
  if (!space) return options_.reserve_bytes;
  return std::min(options_.reserve_bytes, space->total_bytes / kLargestPart);
}

bool Keeper::IsTight() const {
  const std::optional<base::DiskSpace> space = folder_->Space();
  return options_.reserve_bytes > 0 && space && space->free_bytes < LeastReserve();
}

void Keeper::ResizeReserve(std::uint64_t bytes) {
  (void)reserve_.Resize(bytes).ok();
  const base::MutexLock lock(mutex_);
  figures_.reserve_bytes = reserve_.bytes();
}

void Keeper::KeepReserve() {
  const std::uint64_t least = LeastReserve();
  if (least == 0) {
    reserve_wanted_ = 0;
    return ResizeReserve(0);
  }
  // A snapshot must fit into the reserve together with the room of the older snapshot, which can be
  // given up.
  const std::uint64_t snapshot_bytes =
      std::min(figures().snapshot_bytes + LogBytesSinceSnapshot(), source_->BoardBytes());
  std::uint64_t older_bytes = 0;
  {
    const base::MutexLock lock(files_mutex_);
    if (kept_.size() > 1) older_bytes = kept_[1].bytes;
  }
  const std::uint64_t missing = snapshot_bytes - std::min(snapshot_bytes, older_bytes);
  reserve_wanted_ = std::max<std::uint64_t>(1, (missing + least - 1) / least) * least;
  const std::uint64_t held = reserve_.bytes();
  if (held < reserve_wanted_) {
    // Leaves the room that the log will need next.
    const std::uint64_t needed = reserve_wanted_ - held + 2 * log_->fill_bytes();
    const auto fits = [&] {
      const std::optional<base::DiskSpace> space = folder_->Space();
      return !space || space->free_bytes >= needed;
    };
    if (!fits()) (void)DropRedundant(false).ok();
    if (!fits()) return;
  }
  ResizeReserve(reserve_wanted_);
}

// Making room ----------------------------------------------------------------------------------

Status Keeper::Compact() {
  // If the log begins a new segment first, the snapshot makes all segments before it redundant.
  const bool rotated = log_->Extend(true).ok();
  const Status taken = Snapshot(false);
  if (!taken.ok()) return taken;
  if (!rotated) (void)log_->Extend(true).ok();
  return DropRedundant(false);
}

bool Keeper::CompactionIsWorthATry() const {
  if (compacted_us_ == 0) return true;
  const std::int64_t since_us = base::MonotonicMicros() - compacted_us_;
  if (since_us < kRestFactor * compacting_took_us_) return false;
  const std::optional<base::DiskSpace> space = folder_->Space();
  const bool has_more_room =
      space && space->free_bytes > compacted_free_bytes_ + log_->fill_bytes();
  return log_->appended() != compacted_at_ || has_more_room || since_us >= kTryAnywayUs;
}

Status Keeper::MakeRoom(bool requested) {
  (void)DropRedundant(false).ok();
  KeepReserve();
  if (!requested && ReserveIsWhole() && log_->Extend(false).ok()) {
    AcceptWrites();
    return Ok{};
  }
  Status compacted = Error{ErrorCode::kNoSpace, log_->trouble()};
  if (requested || CompactionIsWorthATry()) {
    const std::int64_t began_us = base::MonotonicMicros();
    compacted_at_ = log_->appended();  // a removal during the attempt makes another one worthwhile
    compacted = Compact();
    // Drops the older snapshot as well: on a full disk one snapshot has to do.
    if (compacted.ok()) {
      while (DropDispensableFiles()) {
      }
    }
    compacted_us_ = base::MonotonicMicros();
    compacting_took_us_ = compacted_us_ - began_us;
    const std::optional<base::DiskSpace> space = folder_->Space();
    compacted_free_bytes_ = space ? space->free_bytes : 0;
    KeepReserve();
  }
  if (log_->state() != storage::Log::State::kFull) return compacted;
  if (ReserveIsWhole() && log_->Extend(false).ok()) {
    AcceptWrites();
  } else {
    GrowReserveWithFreeSpace();
    GiveLogRoom();
    ReportRefusal();
  }
  return compacted;
}

void Keeper::GrowReserveWithFreeSpace() {
  // The log gets room for removals first. The rest goes to the reserve, for the snapshot that the
  // removals make smaller.
  if (log_->room() < log_->fill_bytes() / 2) (void)log_->Extend(false).ok();
  const std::optional<base::DiskSpace> space = folder_->Space();
  if (!space || space->free_bytes == 0 || ReserveIsWhole()) return;
  ResizeReserve(std::min(reserve_wanted_, reserve_.bytes() + space->free_bytes));
}

void Keeper::GiveLogRoom() {
  const std::uint64_t step = log_->fill_bytes() + log_->fill_bytes() / 16;  // with a file header
  if (log_->room() >= log_->fill_bytes() / 2) return;
  if (log_->Extend(false).ok()) return;
  // A quarter of the least reserve stays for a snapshot after the removals.
  if (reserve_.bytes() < LeastReserve() / 4 + step) return;
  ResizeReserve(reserve_.bytes() - step);
  (void)log_->Extend(false).ok();
}

// Reporting ------------------------------------------------------------------------------------

void Keeper::AcceptWrites() {
  log_->Accept();
  compacted_us_ = 0;
  const std::int64_t now_us = base::MonotonicMicros();
  const std::int64_t took_us = now_us - std::exchange(full_since_us_, 0);
  if (std::exchange(refusal_is_told_, false) || now_us - told_refusal_us_ >= kTellUs) {
    told_refusal_us_ = now_us;
    source_->OnNews(folder_->path() +
                    ": there is room on the disk again: writes are accepted, after " +
                    std::to_string(took_us / 1000) + " ms without");
  }
}

void Keeper::ReportRefusal() {
  const std::int64_t now_us = base::MonotonicMicros();
  if (refusal_is_told_ && now_us - told_refusal_us_ < kTellUs) return;
  refusal_is_told_ = true;
  told_refusal_us_ = now_us;
  const std::optional<base::DiskSpace> space = folder_->Space();
  std::string what = folder_->path() + ": the disk is full (" + log_->trouble() + "; " +
                     (space ? Megabytes(space->free_bytes) + " free, " : "") +
                     Megabytes(reserve_wanted_) +
                     " needed for a snapshot). Nothing is left that could be given up, so writes "
                     "that add are refused; reads go on, and removals as long as the log has room. "
                     "What helps: make room on the disk, or remove entries or boards (LB.TRIM, "
                     "LB.REMOVE, DEL, FLUSHALL); a snapshot then makes the folder smaller";
  source_->OnTrouble(what);
}

}  // namespace laurel::engine
