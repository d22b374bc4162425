#include "engine/disk/keeper.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "laurel/stamp_clock.h"
#include "storage/snapshot.h"

namespace laurel::engine {
namespace {

constexpr std::int64_t kLookAroundUs = 100'000;
// After each slice a snapshot pauses this many times as long as the slice took, so that requests
// are executed.
constexpr std::int64_t kPauseFactor = 2;
constexpr std::size_t kKeptSnapshots = 2;
constexpr std::int64_t kComplainUs = 10'000'000;  // between two reports of failed snapshots

}  // namespace

Keeper::Keeper(base::Folder* folder, storage::Log* log, const KeeperOptions& options,
               const storage::Recovery& recovery, std::uint64_t history, std::uint64_t epoch,
               Source* source)
    : folder_(folder),
      log_(log),
      options_(options),
      history_(history),
      epoch_(epoch),
      source_(source),
      reserve_(folder) {
  if (!recovery.snapshot.empty()) {
    kept_.push_back(
        {recovery.snapshot, recovery.footer.started_at, recovery.snapshot_bytes, false});
    figures_.snapshot_at_us = recovery.snapshot_created_us;
    figures_.snapshot_record = recovery.footer.ended_at;
    figures_.snapshot_bytes = recovery.snapshot_bytes;
  }
  // The other snapshots are useful as a fall-back only with the log from their S on. Their S is not
  // known here; 0 keeps the whole log.
  for (const std::string& name : recovery.other_snapshots) kept_.push_back({name, 0, 0, false});
  for (const storage::Segment& segment : log->segments()) {
    if (segment.last <= recovery.footer.started_at) log_bytes_at_snapshot_ += segment.bytes;
  }
  figures_.reserve_bytes = reserve_.bytes();
  NoteSpace();
  // The reserve is there before the first write. A busy machine may run this thread too late:
  // writers could fill the disk before it.
  KeepReserve();
  reserved_us_ = base::MonotonicMicros();
  thread_ = std::thread([this] { Run(); });
}

Keeper::~Keeper() { Stop(false); }

void Keeper::Request(std::function<void(const Status&)> done) {
  {
    const base::MutexLock lock(mutex_);
    requested_ = true;
    if (done) requests_.push_back(std::move(done));
  }
  changed_.NotifyOne();
}

void Keeper::Stop(bool snapshot) {
  {
    const base::MutexLock lock(mutex_);
    if (stop_) return;
    stop_ = true;
  }
  changed_.NotifyOne();
  thread_.join();
  if (!snapshot || IsSaved(log_->appended())) return;
  if (log_->state() == storage::Log::State::kBroken) {
    Mend();
    if (log_->state() == storage::Log::State::kBroken) {
      source_->OnTrouble("what was answered UNKNOWN could not be saved: " + log_->trouble());
    }
  } else if (const Status taken = Snapshot(true); !taken.ok()) {
    source_->OnTrouble("the last snapshot failed (the log has everything): " +
                       taken.error().message);
  }
}

bool Keeper::IsSaved(std::uint64_t number) const {
  if (figures().snapshot_record != number) return false;
  const base::MutexLock lock(files_mutex_);
  return !kept_.empty() && kept_[0].started_at == number;
}

KeeperFigures Keeper::figures() const {
  const base::MutexLock lock(mutex_);
  return figures_;
}

std::uint64_t Keeper::LogBytesSinceSnapshot() const {
  const std::uint64_t bytes = log_->figures().bytes;
  const base::MutexLock lock(files_mutex_);
  return bytes - std::min(bytes, log_bytes_at_snapshot_);
}

bool Keeper::SnapshotIsDue() const {
  // If disk space is short, a snapshot pays as soon as it is smaller than the log that it replaces.
  const std::uint64_t bytes = IsTight() ? std::min(options_.snapshot_log_bytes, 2 * LeastReserve())
                                        : options_.snapshot_log_bytes;
  return LogBytesSinceSnapshot() > std::max(bytes, figures().snapshot_bytes);
}

void Keeper::Run() {
  const std::int64_t look_around_us = std::min(kLookAroundUs, options_.retry_us);
  base::MutexLock lock(mutex_);
  while (!stop_) {
    const std::int64_t until_us = base::MonotonicMicros() + look_around_us;
    while (!stop_ && !requested_ && changed_.WaitUntil(mutex_, until_us)) continue;
    if (stop_) break;
    const bool requested = std::exchange(requested_, false);
    const auto requests = std::exchange(requests_, {});
    lock.Unlock();
    const Status status = DoDueWork(requested);
    for (const auto& done : requests) done(status);
    lock.Lock();
  }
  const auto requests = std::exchange(requests_, {});
  lock.Unlock();
  for (const auto& done : requests) done(Error{ErrorCode::kErr, "the server is stopping"});
}

void Keeper::NoteSpace() {
  const std::optional<base::DiskSpace> space = folder_->Space();
  const base::MutexLock lock(mutex_);
  figures_.disk_free_bytes = space ? std::optional(space->free_bytes) : std::nullopt;
}

Status Keeper::DoDueWork(bool requested) {
  using State = storage::Log::State;
  NoteSpace();
  const std::int64_t now_us = base::MonotonicMicros();
  // The first attempt is made at once, later ones every retry_us until one succeeds.
  const bool tries = requested || tried_us_ == 0 || now_us - tried_us_ >= options_.retry_us;
  ReportGivenUp();
  if (log_->state() == State::kBroken && tries) {
    Mend();
    tried_us_ = log_->state() == State::kGood ? 0 : now_us;
  }
  if (log_->state() == State::kBroken) return Error{ErrorCode::kErr, log_->trouble()};
  if (log_->state() == State::kFull) {
    if (full_since_us_ == 0) full_since_us_ = now_us;
    if (!tries) GiveLogRoom();
    if (!tries) return Ok{};
    const Status made = MakeRoom(requested);
    tried_us_ = log_->state() == State::kGood ? 0 : now_us;
    return made;
  }
  if (now_us - reserved_us_ >= options_.retry_us) {
    reserved_us_ = now_us;
    KeepReserve();
  }
  if (!requested && !(tries && SnapshotIsDue())) return Ok{};
  const Status status = IsTight() ? Compact() : Snapshot(false);
  tried_us_ = status.ok() ? 0 : now_us;
  if (!status.ok() && (requested || now_us - complained_us_ >= kComplainUs)) {
    complained_us_ = now_us;
    source_->OnTrouble("snapshot failed: " + status.error().message);
  }
  return status;
}

Status Keeper::Snapshot(bool in_a_hurry) {
  for (;;) {
    const Status taken = SnapshotOnce(in_a_hurry);
    if (taken.ok() || taken.error().code != ErrorCode::kNoSpace) return taken;
    if (DropDispensableFiles()) continue;
    if (reserve_.bytes() == 0) {
      GrowReserveWithFreeSpace();
      return taken;
    }
    // The log is full until the reserve is whole again, so that no new data takes its room.
    log_->Refuse(taken.error().message);
    ResizeReserve(0);
  }
}

Status Keeper::SnapshotOnce(bool in_a_hurry) {
  const std::int64_t began_us = base::MonotonicMicros();
  {
    const base::MutexLock lock(mutex_);
    figures_.snapshot_runs = true;
    figures_.snapshot_began_us = began_us;
  }
  const std::uint64_t bytes_before = log_->figures().bytes;
  storage::Footer footer;
  footer.started_at = source_->BeginSnapshot();
  std::uint64_t bytes = 0;
  Status status = WriteSnapshot(in_a_hurry, &footer, &bytes);
  source_->EndSnapshot();
  // An unfinished snapshot would take up room on a full disk.
  if (!status.ok()) (void)folder_->Remove(storage::kUnfinishedSnapshot).ok();
  {
    const base::MutexLock lock(mutex_);
    figures_.snapshot_runs = false;
    figures_.entries_done = figures_.entries_estimate = 0;
    figures_.snapshot_failed = !status.ok();
    if (!status.ok()) return status;
    figures_.snapshot_at_us = SystemNow();
    figures_.snapshot_record = footer.ended_at;
    figures_.snapshot_bytes = bytes;
    figures_.snapshot_took_us = base::MonotonicMicros() - began_us;
    ++figures_.snapshots;
  }
  {
    const base::MutexLock lock(files_mutex_);
    log_bytes_at_snapshot_ = bytes_before;
    const std::string name = storage::SnapshotName(footer.ended_at);
    std::erase_if(kept_, [&](const Kept& kept) { return kept.name == name; });
    kept_.insert(kept_.begin(), {name, footer.started_at, bytes, true});
  }
  return DropRedundant(true);
}

Status Keeper::WriteSnapshot(bool in_a_hurry, storage::Footer* footer, std::uint64_t* bytes) {
  auto writer = storage::SnapshotWriter::Begin(folder_, history_, epoch_, footer->started_at);
  if (!writer.ok()) return writer.error();
  std::string effects;
  for (bool more = true; more;) {
    const std::int64_t before_us = base::MonotonicMicros();
    std::vector<std::size_t> ends;
    std::uint64_t estimate = 0;
    more = source_->SnapshotSlice(&effects, &ends, footer, &estimate);
    LAUREL_ASSERT(ends.empty() || ends.back() <= effects.size());
    if (!more && !effects.empty()) ends.push_back(effects.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const Status added = (*writer)->Add(std::string_view(effects).substr(begin, end - begin));
      if (!added.ok()) return added;
      begin = end;
    }
    effects.erase(0, begin);
    NoteSpace();
    const base::MutexLock lock(mutex_);
    figures_.entries_done = footer->entries;
    figures_.entries_estimate = estimate;
    if (!more || in_a_hurry) continue;
    const std::int64_t now_us = base::MonotonicMicros();
    const std::int64_t until_us = now_us + (now_us - before_us) * kPauseFactor;
    while (!stop_ && changed_.WaitUntil(mutex_, until_us)) continue;
  }
  if (const Status finished = (*writer)->Finish(*footer); !finished.ok()) return finished;
  // Invariant 7: the log that a snapshot needs must be durable before the snapshot gets its name. A
  // snapshot with S = E needs no log, but followers do: records that only the snapshot holds would
  // be a gap in the change feed. A full or broken log is not synced for followers, because it may
  // be waiting for this snapshot.
  const bool needs_log = footer->started_at < footer->ended_at;
  if (needs_log || log_->state() == storage::Log::State::kGood) {
    const Status synced = log_->SyncThrough(footer->ended_at);
    if (!synced.ok() && needs_log) return synced;
  }
  LAUREL_ASSERT(!needs_log || log_->durable() >= footer->ended_at);  // invariant 7
  *bytes = (*writer)->bytes();
  return (*writer)->Publish();
}

Status Keeper::DropRedundant(bool for_feed) {
  const base::MutexLock lock(files_mutex_);
  if (!NewestIsOurs()) return Ok{};
  while (kept_.size() > kKeptSnapshots) {
    const Status removed = base::RemoveIfThere(folder_, kept_.back().name);
    if (!removed.ok()) return removed;
    kept_.pop_back();
  }
  return DropLog(kept_.back().started_at, for_feed);
}

Status Keeper::DropLog(std::uint64_t needed_after, bool for_feed) {
  const std::vector<storage::Segment> segments = log_->segments();
  std::uint64_t redundant_bytes = 0;
  std::size_t redundant = 0;
  while (redundant + 1 < segments.size() && segments[redundant + 1].first <= needed_after + 1) {
    redundant_bytes += segments[redundant++].bytes;
  }
  const std::uint64_t keep_bytes = for_feed ? options_.keep_log_bytes : 0;
  std::uint64_t through = 0;
  std::uint64_t given_up_bytes = 0;
  const std::int64_t now_us = SystemNow();
  for (std::size_t i = 0; i < redundant; ++i) {
    const std::int64_t ended_us = segments[i + 1].created_us;
    const bool is_old = now_us - ended_us > options_.keep_log_us;
    if (redundant_bytes <= keep_bytes && !is_old) break;
    if (redundant_bytes <= options_.keep_log_bytes && !is_old) given_up_bytes += segments[i].bytes;
    redundant_bytes -= segments[i].bytes;
    log_bytes_at_snapshot_ -= std::min(log_bytes_at_snapshot_, segments[i].bytes);
    through = segments[i + 1].first - 1;
  }
  if (through == 0) return Ok{};
  const Status dropped = log_->DropThrough(through);
  untold_log_bytes_ += given_up_bytes;
  const base::MutexLock lock(mutex_);
  figures_.log_given_up_bytes += given_up_bytes;
  return dropped;
}

void Keeper::Mend() {
  // If the path leads to another folder, or the lock is lost, nothing is written to it.
  if (!folder_->CheckPlace().ok()) return;
  // No write is accepted while the log is broken, so nothing changes during the snapshot: S = E.
  const std::uint64_t number = source_->BeginSnapshot();
  source_->EndSnapshot();
  bool is_ours = false;
  {
    const base::MutexLock lock(files_mutex_);
    is_ours = NewestIsOurs();
  }
  if (!is_ours || !IsSaved(number)) {
    if (const Status taken = Snapshot(true); !taken.ok()) return;
  }
  LAUREL_ASSERT(log_->appended() == number && figures().snapshot_record == number);
  Status mended = log_->Mend(number);
  while (!mended.ok() && mended.error().code == ErrorCode::kNoSpace && DropDispensableFiles()) {
    mended = log_->Mend(number);
  }
  if (!mended.ok()) return;
  {
    // The log has a hole now, so the older snapshots and the log before the hole are useless.
    const base::MutexLock lock(files_mutex_);
    while (kept_.size() > 1) {
      (void)folder_->Remove(kept_.back().name).ok();
      kept_.pop_back();
    }
    (void)log_->DropThrough(number).ok();
    log_bytes_at_snapshot_ = 0;
  }
  KeepReserve();
  source_->OnNews("the disk works again: everything in memory is saved, writes are accepted");
}

}  // namespace laurel::engine
