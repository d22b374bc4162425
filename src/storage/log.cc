#include "storage/log.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "laurel/stamp_clock.h"
#include "storage/segment_walk.h"

namespace laurel::storage {
namespace {

constexpr std::int64_t kSecond = 1'000'000;  // µs
// Where nobody waits for the disk, records are collected for a moment before they are written.
constexpr auto kCollect = std::chrono::milliseconds(10);
constexpr std::size_t kCollectedBytes = std::size_t{256} << 10;
constexpr std::size_t kKeptBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kZeroBytes = std::size_t{256} << 10;
// Shorter syncs are over before anybody could be waited for.
constexpr std::int64_t kSlowSyncUs = 400;
constexpr double kMostPatience = 0.5;
constexpr double kLeastPatience = 1.0 / 64;

}  // namespace

Log::Log(base::Folder* folder, const LogOptions& options, const LogStart& start, Listener* listener)
    : folder_(folder),
      options_(options),
      history_(start.history),
      epoch_(start.epoch),
      format_(FileKind::kLog, start.history),
      listener_(listener),
      appended_(start.next - 1),
      durable_(start.next - 1),
      segments_(start.segments),
      written_(start.next - 1),
      vouched_(start.next - 1),
      synced_at_us_(base::MonotonicMicros()) {}

Result<std::unique_ptr<Log>> Log::Open(base::Folder* folder, const LogOptions& options,
                                       const LogStart& start, Listener* listener) {
  std::unique_ptr<Log> log(new Log(folder, options, start, listener));
  if (const Status started = log->StartSegment(start.next); !started.ok()) return started.error();
  if (!start.segments.empty() && start.segments.back().last + 1 == start.next) {
    const Status ended = log->EndBefore(start.segments.back());
    if (!ended.ok()) return ended.error();
  }
  log->writer_ = std::thread([raw = log.get()] { raw->Run(); });
  return log;
}

Log::~Log() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  for_writer_.notify_one();
  if (writer_.joinable()) writer_.join();
}

// Appending ------------------------------------------------------------------------------------

std::uint64_t Log::Append(std::string_view payload) {
  std::unique_lock lock(mutex_);
  std::uint64_t number = appended_.load(std::memory_order_relaxed);
  if (state() == State::kBroken) {
    appended_ = ++number;
    return number;
  }
  const bool was_empty = pending_.empty();
  Frame frame;
  frame.synced = durable();
  do {
    frame.payload = payload.substr(0, kMaxPayloadBytes);
    payload.remove_prefix(frame.payload.size());
    frame.number = ++number;
    frame.flags = (frame.flags & kContinues) != 0 ? kContinued : 0;
    if (!payload.empty()) frame.flags |= kContinues;
    format_.Append(frame, &pending_);
  } while (!payload.empty());
  appended_ = number;
  pending_bytes_.store(pending_.size(), std::memory_order_relaxed);
  const bool urgent = pending_.size() >= kCollectedBytes;
  lock.unlock();
  if (was_empty || urgent) for_writer_.notify_one();
  return number;
}

std::string Log::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void Log::AwaitRoom(std::size_t limit) {
  if (pending_bytes() <= limit) return;
  std::unique_lock lock(mutex_);
  for_waiters_.wait(lock, [&] { return pending_bytes() <= limit; });
}

Status Log::SyncThrough(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  sync_wanted_ = std::max(sync_wanted_, number);
  for_writer_.notify_one();
  for_waiters_.wait(lock, [&] { return durable() >= number || state() == State::kBroken; });
  if (durable() >= number) return Ok{};
  return Error{ErrorCode::kErr, trouble_};
}

bool Log::Retry() {
  std::unique_lock lock(mutex_);
  if (state() != State::kFull) return state() == State::kGood;
  retry_wanted_ = true;
  const std::uint64_t before = retries_;
  for_writer_.notify_one();
  for_waiters_.wait(lock, [&] { return retries_ != before || state() == State::kBroken; });
  return state() == State::kGood;
}

// The writer -----------------------------------------------------------------------------------

bool Log::SyncIsDue(std::int64_t now_us) const {
  if (durable() == written_) return false;
  if (stop_ || sync_wanted_ > durable() || end_ >= options_.segment_bytes) return true;
  switch (options_.sync) {
    case SyncMode::kAlways:
      return true;
    case SyncMode::kEverySec:
      return now_us - synced_at_us_ >= kSecond;
    case SyncMode::kOff:
      return false;
  }
  return true;
}

bool Log::AwaitsQuiet() const {
  return options_.sync != SyncMode::kOff && state() == State::kGood && pending_.empty() &&
         durable() == written_ && vouched_ < written_ && filled_ >= end_ + kMarkBytes;
}

bool Log::QuietIsOver(std::int64_t now_us) const {
  return !stop_ && AwaitsQuiet() && now_us - wrote_at_us_ >= options_.quiet_us;
}

void Log::AwaitWork(std::unique_lock<std::mutex>& lock) {
  const auto urgent = [&] {
    return stop_ || retry_wanted_ || pending_.size() >= kCollectedBytes ||
           (sync_wanted_ > durable() && state() != State::kBroken);
  };
  const auto work = [&] { return urgent() || !pending_.empty(); };
  if (options_.sync == SyncMode::kEverySec && durable() != written_) {
    const auto left = std::chrono::microseconds(
        std::clamp<std::int64_t>(synced_at_us_ + kSecond - base::MonotonicMicros(), 0, kSecond));
    for_writer_.wait_for(lock, left, work);
  } else if (AwaitsQuiet()) {
    const std::int64_t left_us = wrote_at_us_ + options_.quiet_us - base::MonotonicMicros();
    for_writer_.wait_for(lock, std::chrono::microseconds(std::max<std::int64_t>(left_us, 0)), work);
  } else {
    for_writer_.wait(lock, work);
  }
  if (options_.sync != SyncMode::kAlways && !pending_.empty()) {
    for_writer_.wait_for(lock, kCollect, urgent);
  }
}

void Log::Gather(std::unique_lock<std::mutex>& lock) {
  if (options_.sync != SyncMode::kAlways || sync_estimate_us_ < kSlowSyncUs || expected_ < 2)
    return;
  const std::int64_t began_us = base::MonotonicMicros();
  const auto patience_us =
      static_cast<std::int64_t>(patience_ * static_cast<double>(sync_estimate_us_));
  const auto step = std::chrono::microseconds(std::max<std::int64_t>(patience_us / 8, 50));
  while (listener_->CountWaiting() < expected_ && !stop_ &&
         base::MonotonicMicros() - began_us < patience_us) {
    for_writer_.wait_for(lock, step, [&] { return stop_; });
  }
  // They may have other plans: then the next sync waits less.
  const bool came = listener_->CountWaiting() >= expected_ - expected_ / 4;
  patience_ = came ? std::min(kMostPatience, 2 * patience_ + kLeastPatience)
                   : std::max(kLeastPatience, patience_ / 2);
}

void Log::Run() {
  std::string frames;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (state() == State::kBroken) {
      retry_wanted_ = false;
      parked_ = true;
      for_waiters_.notify_all();
      for_writer_.wait(lock, [&] { return stop_ || state() != State::kBroken; });
      parked_ = false;
      if (state() == State::kBroken) return;
    }
    AwaitWork(lock);
    if (!pending_.empty()) Gather(lock);
    frames.clear();
    if (frames.capacity() > kKeptBufferBytes) std::string().swap(frames);
    frames.swap(pending_);
    const std::uint64_t last = appended();
    const bool retry = std::exchange(retry_wanted_, false);
    const bool stops = stop_;
    const bool vouches = frames.empty() && QuietIsOver(base::MonotonicMicros());
    lock.unlock();

    Status status = vouches ? WriteMark() : WriteOut(frames, last);
    lock.lock();
    const bool due = SyncIsDue(base::MonotonicMicros());
    lock.unlock();
    if (status.ok() && due) status = Sync();
    if (!status.ok()) {
      Break(status.error());
    } else if (!stops && (!frames.empty() || retry)) {
      const Status prepared = Prepare();
      if (!prepared.ok() && in_the_way_) {
        Break(prepared.error());
      } else {
        SetState(prepared.ok() ? State::kGood : State::kFull,
                 prepared.ok() ? "" : prepared.error().message);
      }
    }
    lock.lock();
    if (retry) ++retries_;
    for_waiters_.notify_all();
    if (stops && (pending_.empty() || state() == State::kBroken)) break;
  }
  // Without its last mark a file that was not filled ahead would pass for one that was cut.
  if (state() != State::kBroken && durable() == written_) {
    (void)EndFile(file_.get(), end_, kEnds).ok();
  }
}

Status Log::WriteOut(std::string_view frames, std::uint64_t last) {
  if (frames.empty()) return Ok{};
  LAUREL_ASSERT(end_ % kFrameAlignment == 0);  // invariant 2
  if (extent_ > told_) {
    const Status told = file_->WriteAt(end_, MarkNow(0));
    if (!told.ok()) return told;
    end_ += kMarkBytes;
    told_ = extent_;
  }
  const Status written = file_->WriteAt(end_, frames);
  if (!written.ok()) return written;
  end_ += frames.size();
  wrote_at_us_ = base::MonotonicMicros();
  const std::lock_guard lock(mutex_);
  written_ = last;
  segments_.back().last = last;
  segments_.back().bytes = end_;
  figures_.written_bytes += frames.size();
  pending_bytes_.store(pending_.size(), std::memory_order_relaxed);
  return Ok{};
}

std::string Log::MarkNow(std::uint32_t flags) const {
  return EncodeMark(format_, {written_, durable(), extent_, kMark | flags});
}

Status Log::WriteMark() {
  LAUREL_ASSERT(durable() == written_);
  const Status written = file_->WriteAt(end_, MarkNow(0));
  if (!written.ok()) return written;
  end_ += kMarkBytes;
  told_ = extent_;
  vouched_ = written_;
  {
    const std::lock_guard lock(mutex_);
    segments_.back().bytes = end_;
    figures_.written_bytes += kMarkBytes;
  }
  return file_->Sync();
}

// The order matters: a file that is cut before it has its last mark would be refused.
Status Log::EndFile(base::File* file, std::uint64_t end, std::uint32_t flags) const {
  const std::string mark = EncodeMark(format_, {written_, written_, 0, kMark | flags});
  if (const Status written = file->WriteAt(end, mark); !written.ok()) return written;
  if (const Status synced = file->Sync(); !synced.ok()) return synced;
  return file->Truncate(end + mark.size());
}

Status Log::EndBefore(const Segment& before) {
  const std::string name = SegmentName(before.first);
  const Result<std::unique_ptr<base::File>> file = folder_->Open(name, base::Folder::Mode::kWrite);
  if (!file.ok()) return file.error();
  const Result<std::uint64_t> size = (*file)->Size();
  if (!size.ok()) return size.error();
  std::string last(std::min<std::uint64_t>(*size, kMarkBytes), '\0');
  const Result<std::size_t> read = (*file)->ReadAt(*size - last.size(), last.data(), last.size());
  if (!read.ok()) return read.error();
  const std::optional<Frame> mark = format_.Parse(last);
  if (mark && mark->Has(kMark) && mark->number == written_) {
    if (mark->Has(kFollowed)) return Ok{};
    if (mark->Has(kEnds)) return EndFile(file->get(), *size, kEnds | kFollowed);
  }
  // It was not left in good order.
  const Result<std::string> bytes = base::ReadWhole(folder_, name);
  if (!bytes.ok()) return bytes.error();
  const Result<FileHeader> header = ParseFileHeader(*bytes, FileKind::kLog);
  if (!header.ok()) return Ok{};  // damaged, and no snapshot needs it
  SegmentWalk walk(*header, *bytes);
  for (;;) {
    while (walk.Next()) continue;
    const std::optional<SegmentWalk::Place> behind = walk.FindBehind();
    if (!behind) break;
    walk.GoOnAt(*behind);
  }
  if (walk.followed() || walk.next() != written_ + 1) return Ok{};
  return EndFile(file->get(), walk.offset(), kEnds | kFollowed);
}

Status Log::Sync() {
  const std::int64_t before = base::MonotonicMicros();
  const Status synced = file_->Sync();
  if (!synced.ok()) return synced;
  const std::int64_t micros = base::MonotonicMicros() - before;
  {
    const std::lock_guard lock(mutex_);
    synced_at_us_ = before + micros;
    durable_ = written_;
    extent_ = std::max(filled_, end_);
    ++figures_.syncs;
    figures_.last_sync_us = micros;
    figures_.longest_sync_us = std::max(figures_.longest_sync_us, micros);
    figures_.total_sync_us += micros;
    const auto power = static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(micros - 1, 0)) / 64));
    ++figures_.sync_times[std::min(power, figures_.sync_times.size() - 1)];
  }
  sync_estimate_us_ += (micros - sync_estimate_us_) / 8;
  expected_ = listener_->CountWaiting();
  listener_->OnDurable(durable());
  return Ok{};
}

Status Log::Prepare() {
  if (end_ >= options_.segment_bytes) {
    LAUREL_ASSERT(durable() == written_);  // invariant 4
    const std::shared_ptr<base::File> before = file_;
    const std::uint64_t end = end_;
    const Status started = StartSegment(written_ + 1);
    if (started.ok()) {
      // Nothing is lost without this mark: only a loss of the new segment would not be noticed.
      (void)EndFile(before.get(), end, kEnds | kFollowed).ok();
    } else if (in_the_way_) {
      // The log goes on in the segment before: the new one must not stand in its way.
      in_the_way_ = !folder_->Remove(SegmentName(written_ + 1)).ok();
    }
    return started;
  }
  if (filled_ >= end_ + options_.fill_bytes) return Ok{};
  const std::uint64_t from = std::max(filled_, end_);
  const Status filled = Fill(file_.get(), from, from + options_.fill_bytes);
  if (filled.ok()) filled_ = from + options_.fill_bytes;
  return filled;
}

Status Log::Fill(base::File* file, std::uint64_t from, std::uint64_t to) {
  static const std::string zeros(kZeroBytes, '\0');
  while (from < to) {
    const std::uint64_t step = std::min<std::uint64_t>(to - from, zeros.size());
    const Status written = file->WriteAt(from, std::string_view(zeros).substr(0, step));
    if (!written.ok()) return written;
    from += step;
  }
  return Ok{};
}

Status Log::StartSegment(std::uint64_t first) {
  const std::string name = SegmentName(first);
  in_the_way_ = false;
  FileHeader header;
  header.kind = FileKind::kLog;
  header.history = history_;
  header.epoch = epoch_;
  header.first = first;
  header.created_us = SystemNow();
  const std::uint64_t filled = kFileHeaderBytes + options_.fill_bytes;
  header.filled = filled;
  (void)folder_->Remove(kUnfinishedSegment).ok();  // what an attempt that failed has left
  Result<std::unique_ptr<base::File>> file =
      folder_->Open(kUnfinishedSegment, base::Folder::Mode::kCreate);
  if (!file.ok()) return file.error();
  Status made = (*file)->WriteAt(0, EncodeFileHeader(header));
  if (made.ok()) made = Fill(file->get(), kFileHeaderBytes, filled);
  if (made.ok()) made = (*file)->Sync();
  // It gets its name when it is whole: one of that name which is not whole was so once. An empty
  // one from an earlier start is replaced.
  if (made.ok()) made = folder_->Rename(kUnfinishedSegment, name);
  if (!made.ok()) {
    (void)folder_->Remove(kUnfinishedSegment).ok();  // the disk may be full
    return made;
  }
  if (made = folder_->Sync(); !made.ok()) {
    in_the_way_ = true;
    return made;
  }
  file_ = std::move(*file);
  end_ = kFileHeaderBytes;
  filled_ = extent_ = told_ = filled;
  vouched_ = first - 1;
  const std::lock_guard lock(mutex_);
  segments_.push_back({first, first - 1, end_, header.created_us});
  return Ok{};
}

// Trouble --------------------------------------------------------------------------------------

void Log::SetState(State state, const std::string& trouble) {
  const std::lock_guard lock(mutex_);
  state_.store(state, std::memory_order_release);
  trouble_ = trouble;
}

void Log::Break(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    state_.store(State::kBroken, std::memory_order_release);
    trouble_ = error.message;
    pending_.clear();
    pending_bytes_ = 0;
    for_waiters_.notify_all();
  }
  listener_->OnBroken(error);
}

Status Log::Mend(std::uint64_t number) {
  LAUREL_ASSERT(state() == State::kBroken && number == appended());
  {
    // The listener may still be hearing of the trouble: it must not come after that it is over.
    std::unique_lock lock(mutex_);
    for_waiters_.wait(lock, [&] { return parked_; });
  }
  if (const Status started = StartSegment(number + 1); !started.ok()) return started;
  {
    const std::lock_guard lock(mutex_);
    written_ = number;
    sync_wanted_ = 0;
    durable_ = number;
    trouble_.clear();
    state_.store(State::kGood, std::memory_order_release);
  }
  for_writer_.notify_one();
  return Ok{};
}

std::int64_t LogFigures::SyncTimeAt(unsigned percent) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < sync_times.size(); ++i) {
    sum += sync_times[i];
    if (sum * 100 >= syncs * percent) return std::int64_t{64} << i;
  }
  return longest_sync_us;
}

// Segments -------------------------------------------------------------------------------------

std::vector<Segment> Log::segments() const {
  const std::lock_guard lock(mutex_);
  return segments_;
}

Status Log::DropThrough(std::uint64_t through) {
  bool dropped = false;
  for (;;) {
    std::uint64_t first = 0;
    {
      const std::lock_guard lock(mutex_);
      // What a segment holds ends where the next one begins.
      if (segments_.size() < 2 || segments_[1].first > through + 1) break;
      first = segments_[0].first;
    }
    if (const Status removed = folder_->Remove(SegmentName(first)); !removed.ok()) return removed;
    dropped = true;
    {
      const std::lock_guard lock(mutex_);
      segments_.erase(segments_.begin());
    }
    // Last: who saves an index looks afterwards whether its segment is still listed.
    (void)folder_->Remove(IndexName(first)).ok();
  }
  return dropped ? folder_->Sync() : Status(Ok{});
}

LogFigures Log::figures() const {
  const std::lock_guard lock(mutex_);
  LogFigures figures = figures_;
  for (const Segment& segment : segments_) figures.bytes += segment.bytes;
  figures.appended = appended();
  figures.durable = durable();
  figures.pending_bytes = pending_bytes();
  return figures;
}

}  // namespace laurel::storage
