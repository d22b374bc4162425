#include "engine/embedded/keeper.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "laurel/stamp_clock.h"
#include "storage/snapshot.h"

namespace laurel::engine {
namespace {

constexpr std::int64_t kLookAroundUs = 100'000;
// The share of a core that a snapshot takes while others are served.
constexpr std::int64_t kPauseFactor = 2;
constexpr std::size_t kKeptSnapshots = 2;

}  // namespace

Keeper::Keeper(base::Folder* folder, storage::Log* log, const KeeperOptions& options,
               const storage::Recovery& recovery, std::uint64_t history, std::uint64_t epoch,
               Source* source)
    : folder_(folder),
      log_(log),
      options_(options),
      history_(history),
      epoch_(epoch),
      source_(source) {
  if (!recovery.snapshot.empty()) {
    kept_.push_back({recovery.snapshot, recovery.footer.started_at});
    figures_.snapshot_at_us = recovery.snapshot_created_us;
    figures_.snapshot_record = recovery.footer.ended_at;
    figures_.snapshot_bytes = recovery.snapshot_bytes;
  }
  // Those before are good for a fall-back only with the log from where they began.
  for (const std::string& name : recovery.other_snapshots) kept_.push_back({name, 0});
  for (const storage::Segment& segment : log->segments()) {
    if (segment.last <= recovery.footer.started_at) log_bytes_at_snapshot_ += segment.bytes;
  }
  thread_ = std::thread([this] { Run(); });
}

Keeper::~Keeper() { Stop(false); }

void Keeper::Request(std::function<void(const Status&)> done) {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
    if (done) requests_.push_back(std::move(done));
  }
  changed_.notify_one();
}

void Keeper::Stop(bool snapshot) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
  const bool anything_new = log_->appended() != figures().snapshot_record || kept_.empty() ||
                            kept_[0].started_at != figures().snapshot_record;
  if (!snapshot || !anything_new) return;
  if (log_->state() == storage::Log::State::kBroken) {
    Mend();
  } else if (const Status taken = Snapshot(true); !taken.ok()) {
    source_->OnTrouble("the last snapshot failed (the log has everything): " +
                       taken.error().message);
  }
}

KeeperFigures Keeper::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

bool Keeper::SnapshotIsDue() const {
  const std::uint64_t bytes = log_->figures().bytes;
  const std::uint64_t since = bytes - std::min(bytes, log_bytes_at_snapshot_);
  return since > std::max(options_.snapshot_log_bytes, figures().snapshot_bytes);
}

void Keeper::Run() {
  const auto look_around = std::chrono::microseconds(std::min(kLookAroundUs, options_.retry_us));
  std::int64_t tried_us = 0;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    changed_.wait_for(lock, look_around, [&] { return stop_ || requested_; });
    if (stop_) break;
    const bool requested = std::exchange(requested_, false);
    const auto requests = std::exchange(requests_, {});
    lock.unlock();
    const std::int64_t now_us = base::MonotonicMicros();
    const storage::Log::State state = log_->state();
    Status status = Ok{};
    if (state != storage::Log::State::kGood &&
        (requested || now_us - tried_us >= options_.retry_us)) {
      tried_us = now_us;
      Mend();
    }
    if (log_->state() != storage::Log::State::kGood) {
      status = Error{ErrorCode::kErr, log_->trouble()};
    } else if (requested || (SnapshotIsDue() && now_us - tried_us >= options_.retry_us)) {
      tried_us = now_us;
      status = Snapshot(false);
      if (!status.ok()) source_->OnTrouble("snapshot failed: " + status.error().message);
    }
    for (const auto& done : requests) done(status);
    lock.lock();
  }
  const auto requests = std::exchange(requests_, {});
  lock.unlock();
  for (const auto& done : requests) done(Error{ErrorCode::kErr, "the server is stopping"});
}

Status Keeper::Snapshot(bool in_a_hurry) {
  const std::int64_t began_us = base::MonotonicMicros();
  {
    const std::lock_guard lock(mutex_);
    figures_.snapshot_runs = true;
    figures_.snapshot_began_us = began_us;
  }
  const std::uint64_t bytes_before = log_->figures().bytes;
  storage::Footer footer;
  footer.started_at = source_->BeginSnapshot();
  std::uint64_t bytes = 0;
  Status status = WriteSnapshot(in_a_hurry, &footer, &bytes);
  source_->EndSnapshot();
  {
    const std::lock_guard lock(mutex_);
    figures_.snapshot_runs = false;
    figures_.snapshot_failed = !status.ok();
    if (!status.ok()) return status;
    figures_.snapshot_at_us = SystemNow();
    figures_.snapshot_record = footer.ended_at;
    figures_.snapshot_bytes = bytes;
    figures_.snapshot_took_us = base::MonotonicMicros() - began_us;
    ++figures_.snapshots;
  }
  log_bytes_at_snapshot_ = bytes_before;
  const std::string name = storage::SnapshotName(footer.ended_at);
  std::erase_if(kept_, [&](const Kept& kept) { return kept.name == name; });
  kept_.insert(kept_.begin(), {name, footer.started_at});
  return DropRedundant();
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
    if (!more && !effects.empty()) ends.push_back(effects.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const Status added = (*writer)->Add(std::string_view(effects).substr(begin, end - begin));
      if (!added.ok()) return added;
      begin = end;
    }
    effects.erase(0, begin);
    std::unique_lock lock(mutex_);
    figures_.entries_done = footer->entries;
    figures_.entries_estimate = estimate;
    if (!more || in_a_hurry) continue;
    const std::int64_t spent_us = base::MonotonicMicros() - before_us;
    changed_.wait_for(lock, std::chrono::microseconds(spent_us * kPauseFactor),
                      [&] { return stop_; });
  }
  if (const Status finished = (*writer)->Finish(*footer); !finished.ok()) return finished;
  // Invariant 7: a snapshot that counts must find the log that it needs.
  if (footer->started_at < footer->ended_at) {
    const Status synced = log_->SyncThrough(footer->ended_at);
    if (!synced.ok()) return synced;
  }
  *bytes = (*writer)->bytes();
  return (*writer)->Publish();
}

Status Keeper::DropRedundant() {
  while (kept_.size() > kKeptSnapshots) {
    if (const Status removed = folder_->Remove(kept_.back().name); !removed.ok()) return removed;
    kept_.pop_back();
  }
  if (kept_.empty()) return Ok{};
  // Behind this no snapshot needs anything; what is before may be kept for the change feed.
  const std::uint64_t needed_after = kept_.back().started_at;
  const std::vector<storage::Segment> segments = log_->segments();
  std::uint64_t redundant_bytes = 0;
  std::size_t redundant = 0;
  while (redundant + 1 < segments.size() && segments[redundant + 1].first <= needed_after + 1) {
    redundant_bytes += segments[redundant++].bytes;
  }
  std::uint64_t through = 0;
  const std::int64_t now_us = SystemNow();
  for (std::size_t i = 0; i < redundant; ++i) {
    const std::int64_t ended_us = segments[i + 1].created_us;
    if (redundant_bytes <= options_.keep_log_bytes && now_us - ended_us <= options_.keep_log_us) {
      break;
    }
    redundant_bytes -= segments[i].bytes;
    log_bytes_at_snapshot_ -= std::min(log_bytes_at_snapshot_, segments[i].bytes);
    through = segments[i + 1].first - 1;
  }
  return through == 0 ? Status(Ok{}) : log_->DropThrough(through);
}

void Keeper::Mend() {
  if (log_->state() == storage::Log::State::kFull) {
    // Redundant files may be what fills the disk; their turn comes with the next snapshot.
    if (log_->Retry()) source_->OnNews("there is room on the disk again: writes are accepted");
    return;
  }
  // Nothing is written while the log is broken, so this snapshot is exact by itself: S is E.
  const std::uint64_t number = source_->BeginSnapshot();
  source_->EndSnapshot();
  if (figures().snapshot_record != number || kept_.empty() || kept_[0].started_at != number) {
    if (const Status taken = Snapshot(true); !taken.ok()) return;
  }
  LAUREL_ASSERT(log_->appended() == number && figures().snapshot_record == number);
  if (const Status mended = log_->Mend(number); !mended.ok()) return;
  // The log has a hole now: what is before it leads nowhere.
  while (kept_.size() > 1) {
    (void)folder_->Remove(kept_.back().name).ok();
    kept_.pop_back();
  }
  (void)log_->DropThrough(number).ok();
  log_bytes_at_snapshot_ = 0;
  source_->OnMended(number);
  source_->OnNews("the disk works again: everything in memory is saved, writes are accepted");
}

}  // namespace laurel::engine
