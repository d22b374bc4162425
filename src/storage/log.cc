#include "storage/log.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "laurel/stamp_clock.h"
#include "storage/segment_walk.h"

namespace laurel::storage {
namespace {

constexpr std::int64_t kSecond = 1'000'000;  // µs
// In the modes in which no client waits for the disk, records are collected for a moment before
// they are written.
constexpr std::int64_t kCollectUs = 10'000;
constexpr std::size_t kCollectedBytes = std::size_t{256} << 10;
constexpr std::size_t kKeptBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kZeroBytes = std::size_t{256} << 10;
constexpr std::uint64_t kMinFillDivisor =
    4;  // a segment begins with at least fill_bytes / kMinFillDivisor
// Gather does not wait if syncs are shorter: they are over before other clients could write.
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
      before_(start.before),
      written_(start.next - 1),
      vouched_(start.next - 1),
      synced_at_us_(base::MonotonicMicros()) {}

Result<std::unique_ptr<Log>> Log::Open(base::Folder* folder, const LogOptions& options,
                                       const LogStart& start, Listener* listener) {
  std::unique_ptr<Log> log(new Log(folder, options, start, listener));
  if (const Status started = log->Prepare(false); !started.ok()) {
    if (started.error().code != ErrorCode::kNoSpace || log->undurable_segment_has_name_ ||
        start.is_new) {
      return started.error();
    }
    log->SetState(State::kFull, started.error().message);
  }
  log->writer_ = std::thread([raw = log.get()] { raw->Run(); });
  return log;
}

Log::~Log() {
  {
    const base::MutexLock lock(mutex_);
    stop_ = true;
  }
  for_writer_.NotifyOne();
  if (writer_.joinable()) writer_.join();
}

// Appending ------------------------------------------------------------------------------------

std::uint64_t Log::Append(std::string_view payload) {
  base::MutexLock lock(mutex_);
  std::uint64_t number = appended_.load(std::memory_order_relaxed);
  if (state() == State::kBroken) {
    appended_ = ++number;
    return number;
  }
  const bool was_empty = pending_.empty();
  Frame frame;
  frame.synced = durable();
  LAUREL_ASSERT(frame.synced <= number);
  do {
    frame.payload = payload.substr(0, kMaxPayloadBytes);
    payload.remove_prefix(frame.payload.size());
    frame.number = ++number;
    frame.flags = (frame.flags & kContinues) != 0 ? kContinued : 0;
    if (!payload.empty()) frame.flags |= kContinues;
    format_.Append(frame, &pending_);
  } while (!payload.empty());
  LAUREL_ASSERT(pending_.size() % kFrameAlignment == 0);  // invariant 2
  appended_ = number;
  pending_bytes_.store(pending_.size(), std::memory_order_relaxed);
  const bool urgent = pending_.size() >= kCollectedBytes;
  lock.Unlock();
  if (was_empty || urgent) for_writer_.NotifyOne();
  return number;
}

std::string Log::trouble() const {
  const base::MutexLock lock(mutex_);
  return trouble_;
}

void Log::AwaitRoom(std::size_t limit) {
  if (pending_bytes() <= limit) return;
  const base::MutexLock lock(mutex_);
  while (pending_bytes() > limit) for_waiters_.Wait(mutex_);
}

Status Log::SyncThrough(std::uint64_t number) {
  const base::MutexLock lock(mutex_);
  LAUREL_ASSERT(number <= appended());
  sync_wanted_ = std::max(sync_wanted_, number);
  for_writer_.NotifyOne();
  while (durable() < number && state() != State::kBroken) for_waiters_.Wait(mutex_);
  if (durable() >= number) return Ok{};
  return Error{ErrorCode::kErr, trouble_};
}

Status Log::Extend(bool rotate) {
  const base::MutexLock lock(mutex_);
  extension_wanted_ = rotate ? Extension::kRotate : Extension::kFill;
  const std::uint64_t before = extensions_;
  for_writer_.NotifyOne();
  while (extensions_ == before && state() != State::kBroken) for_waiters_.Wait(mutex_);
  if (state() == State::kBroken) return Error{ErrorCode::kErr, trouble_};
  return extended_;
}

void Log::Refuse(const std::string& trouble) {
  const base::MutexLock lock(mutex_);
  if (state() != State::kGood) return;
  state_.store(State::kFull, std::memory_order_release);
  trouble_ = trouble;
}

void Log::Accept() {
  const base::MutexLock lock(mutex_);
  if (state() != State::kFull) return;
  state_.store(State::kGood, std::memory_order_release);
  trouble_.clear();
}

// The writer thread ----------------------------------------------------------------------------

bool Log::SyncIsDue(std::int64_t now_us) const {
  if (durable() == written_) return false;
  const bool rotates = extension_wanted_ == Extension::kRotate || end_ >= options_.segment_bytes;
  if (stop_ || sync_wanted_ > durable() || rotates) return true;
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

bool Log::SyncMarkIsPending() const {
  return options_.sync != SyncMode::kOff && state() == State::kGood && pending_.empty() &&
         durable() == written_ && vouched_ < written_ && filled_ >= end_ + kSyncMarkBytes;
}

bool Log::SyncMarkIsDue(std::int64_t now_us) const {
  return !stop_ && SyncMarkIsPending() && now_us - wrote_at_us_ >= options_.quiet_us;
}

bool Log::HasUrgentWork() const {
  return stop_ || extension_wanted_ != Extension::kNone || pending_.size() >= kCollectedBytes ||
         (sync_wanted_ > durable() && state() != State::kBroken);
}

void Log::AwaitWork() {
  std::int64_t until_us = checked_at_us_ + options_.check_us;
  if (options_.sync == SyncMode::kEverySec && durable() != written_) {
    until_us = std::min(until_us, synced_at_us_ + kSecond);
  } else if (SyncMarkIsPending()) {
    until_us = std::min(until_us, wrote_at_us_ + options_.quiet_us);
  }
  while (!HasUrgentWork() && pending_.empty() && for_writer_.WaitUntil(mutex_, until_us)) continue;
  if (options_.sync != SyncMode::kAlways && !pending_.empty()) {
    const std::int64_t collected_us = base::MonotonicMicros() + kCollectUs;
    while (!HasUrgentWork() && for_writer_.WaitUntil(mutex_, collected_us)) continue;
  }
}

void Log::Gather() {
  if (options_.sync != SyncMode::kAlways || sync_estimate_us_ < kSlowSyncUs || expected_ < 2)
    return;
  const std::int64_t began_us = base::MonotonicMicros();
  const auto patience_us =
      static_cast<std::int64_t>(gather_share_ * static_cast<double>(sync_estimate_us_));
  const std::int64_t step_us = std::max<std::int64_t>(patience_us / 8, 50);
  while (listener_->CountWaiting() < expected_ && !stop_ &&
         base::MonotonicMicros() - began_us < patience_us) {
    const std::int64_t until_us = base::MonotonicMicros() + step_us;
    while (!stop_ && for_writer_.WaitUntil(mutex_, until_us)) continue;
  }
  // If more than a quarter of the expected clients did not write again, the next sync waits less.
  const bool came = listener_->CountWaiting() >= expected_ - expected_ / 4;
  gather_share_ = came ? std::min(kMostPatience, 2 * gather_share_ + kLeastPatience)
                       : std::max(kLeastPatience, gather_share_ / 2);
}

void Log::Run() {
  std::string frames;
  base::MutexLock lock(mutex_);
  for (;;) {
    if (state() == State::kBroken && !AwaitMend()) return;
    AwaitWork();
    if (!pending_.empty()) Gather();
    frames.clear();
    if (frames.capacity() > kKeptBufferBytes) std::string().swap(frames);
    frames.swap(pending_);
    const std::uint64_t last = appended();
    const bool stops = stop_;
    const bool vouches = frames.empty() && SyncMarkIsDue(base::MonotonicMicros());
    lock.Unlock();

    Status status = vouches ? WriteSyncMark() : WriteOut(frames, last);
    lock.Lock();
    const bool due = SyncIsDue(base::MonotonicMicros());
    const Extension wanted = std::exchange(extension_wanted_, Extension::kNone);
    lock.Unlock();
    // Before Sync reports records as durable to waiting clients.
    if (status.ok()) status = CheckPlace(stops);
    if (status.ok() && due) status = Sync();
    Status prepared = Ok{};
    if (!status.ok()) {
      Break(status.error());
    } else if (!stops && (!frames.empty() || wanted != Extension::kNone)) {
      prepared = PrepareOrStopWriting(wanted == Extension::kRotate);
    }
    lock.Lock();
    if (wanted != Extension::kNone) {
      ++extensions_;
      extended_ = prepared;
    }
    for_waiters_.NotifyAll();
    if (stops && (pending_.empty() || state() == State::kBroken)) break;
  }
  // Ends the file with its final sync mark. If that fails, the file keeps its zeros and has no such
  // mark, which is valid too.
  if (file_ != nullptr && state() != State::kBroken && durable() == written_) {
    (void)EndFile(file_.get(), end_, kEnds).ok();
  }
}

bool Log::AwaitMend() {
  extension_wanted_ = Extension::kNone;
  parked_ = true;
  for_waiters_.NotifyAll();
  while (!stop_ && state() == State::kBroken) for_writer_.Wait(mutex_);
  parked_ = false;
  return state() != State::kBroken;
}

Status Log::PrepareOrStopWriting(bool rotate) {
  const Status prepared = RetryWhileFreeingSpace([&] { return Prepare(rotate); });
  if (prepared.ok()) return prepared;
  if (undurable_segment_has_name_) {
    Break(prepared.error());
  } else if (!rotate) {
    SetState(State::kFull, prepared.error().message);
  }
  return prepared;
}

template <typename Attempt>
Status Log::RetryWhileFreeingSpace(const Attempt& attempt) {
  Status status = attempt();
  while (!status.ok() && status.error().code == ErrorCode::kNoSpace &&
         !undurable_segment_has_name_ && listener_->MakeRoom()) {
    status = attempt();
  }
  return status;
}

Status Log::WriteOut(std::string_view frames, std::uint64_t last) {
  if (frames.empty()) return Ok{};
  LAUREL_ASSERT(end_ % kFrameAlignment == 0);                          // invariant 2
  LAUREL_ASSERT(format_.ParseHeader(frames)->number == written_ + 1);  // invariant 1
  LAUREL_ASSERT(last > written_);
  LAUREL_ASSERT(state() != State::kBroken);  // invariant 12
  if (file_ == nullptr) return Error{ErrorCode::kNoSpace, trouble()};
  const std::string sync_mark = extent_ > stated_extent_ ? SyncMarkNow(0) : "";
  // Retried only if the disk was full. Any other failure breaks the log (invariant 12).
  const Status written = RetryWhileFreeingSpace([&] {
    const Status marked = sync_mark.empty() ? Status(Ok{}) : file_->WriteAt(end_, sync_mark);
    return marked.ok() ? file_->WriteAt(end_ + sync_mark.size(), frames) : marked;
  });
  if (!written.ok()) return written;
  stated_extent_ = extent_;
  end_ += sync_mark.size() + frames.size();
  NoteRoom();
  wrote_at_us_ = base::MonotonicMicros();
  const base::MutexLock lock(mutex_);
  written_ = last;
  segments_.back().last = last;
  segments_.back().bytes = end_;
  figures_.written_bytes += frames.size();
  pending_bytes_.store(pending_.size(), std::memory_order_relaxed);
  return Ok{};
}

std::string Log::SyncMarkNow(std::uint32_t flags) const {
  LAUREL_ASSERT(durable() <= written_ && extent_ >= stated_extent_);
  return EncodeSyncMark(format_, {written_, durable(), extent_, kSyncMark | flags});
}

Status Log::WriteSyncMark() {
  LAUREL_ASSERT(durable() == written_ && state() != State::kBroken);
  LAUREL_ASSERT(file_ != nullptr && filled_ >= end_ + kSyncMarkBytes);
  const Status written = file_->WriteAt(end_, SyncMarkNow(0));
  if (!written.ok()) return written;
  end_ += kSyncMarkBytes;
  stated_extent_ = extent_;
  vouched_ = written_;
  NoteRoom();
  {
    const base::MutexLock lock(mutex_);
    segments_.back().bytes = end_;
    figures_.written_bytes += kSyncMarkBytes;
  }
  return file_->Sync();
}

// The order matters: recovery refuses a file that was truncated and has no final sync mark.
Status Log::EndFile(base::File* file, std::uint64_t end, std::uint32_t flags) const {
  const std::string sync_mark = EncodeSyncMark(format_, {written_, written_, 0, kSyncMark | flags});
  if (const Status written = file->WriteAt(end, sync_mark); !written.ok()) return written;
  if (const Status synced = file->Sync(); !synced.ok()) return synced;
  return file->Truncate(end + sync_mark.size());
}

Status Log::EndBefore(const Segment& before) {
  const std::string name = SegmentName(before.first);
  const Result<std::unique_ptr<base::File>> file = folder_->Open(name, base::Folder::Mode::kWrite);
  if (!file.ok()) return file.error();
  const Result<std::uint64_t> size = (*file)->Size();
  if (!size.ok()) return size.error();
  std::string last(std::min<std::uint64_t>(*size, kSyncMarkBytes), '\0');
  const Result<std::size_t> read = (*file)->ReadAt(*size - last.size(), last.data(), last.size());
  if (!read.ok()) return read.error();
  const std::optional<Frame> sync_mark = format_.Parse(last);
  if (sync_mark && sync_mark->Has(kSyncMark) && sync_mark->number == written_) {
    if (sync_mark->Has(kFollowed)) return Ok{};
    if (sync_mark->Has(kEnds)) {
      const Status ended = EndFile(file->get(), *size, kEnds | kFollowed);
      if (ended.ok() || ended.error().code != ErrorCode::kNoSpace) return ended;
      return (*file)->Truncate(*size);  // full disk: its sync mark with kEnds is enough
    }
  }
  // The file has no final sync mark: its server did not stop cleanly.
  const Result<std::string> bytes = base::ReadWhole(folder_, name);
  if (!bytes.ok()) return bytes.error();
  const Result<FileHeader> header = ParseFileHeader(*bytes, FileKind::kLog);
  if (!header.ok()) return Ok{};  // damaged, and no snapshot needs it
  SegmentWalk walk(*header, *bytes);
  for (;;) {
    while (walk.Next()) continue;
    const std::optional<SegmentWalk::FoundRecord> behind = walk.FindRecordAfter();
    if (!behind) break;
    walk.ContinueAt(*behind);
  }
  if (walk.followed() || walk.next() != written_ + 1) return Ok{};
  return EndFile(file->get(), walk.offset(), kEnds | kFollowed);
}

Status Log::Sync() {
  LAUREL_ASSERT(file_ != nullptr && durable() <= written_);
  const std::int64_t before = base::MonotonicMicros();
  const Status synced = file_->Sync();
  if (!synced.ok()) return synced;
  const std::int64_t micros = base::MonotonicMicros() - before;
  {
    const base::MutexLock lock(mutex_);
    synced_at_us_ = before + micros;
    durable_ = written_;
    extent_ = std::max(filled_, end_);
    figures_.last_sync_us = micros;
    figures_.longest_sync_us = std::max(figures_.longest_sync_us, micros);
    figures_.sync_times.Record(micros);
  }
  sync_estimate_us_ += (micros - sync_estimate_us_) / 8;
  expected_ = listener_->CountWaiting();
  listener_->OnDurable(durable());
  return Ok{};
}

Status Log::CheckPlace(bool now) {
  const std::int64_t now_us = base::MonotonicMicros();
  if (!now && now_us - checked_at_us_ < options_.check_us) return Ok{};
  checked_at_us_ = now_us;
  if (const Status in_place = folder_->CheckPlace(); !in_place.ok()) return in_place;
  if (file_ == nullptr) return Ok{};
  const std::string name = SegmentName(segments().back().first);
  const Result<base::FileId> open = file_->Id();
  if (!open.ok()) return open.error();
  const Result<std::optional<base::FileId>> named = folder_->IdOf(name);
  if (!named.ok()) return named.error();
  if (*named == *open) return Ok{};
  return Error{ErrorCode::kErr,
               folder_->path(name) + (*named ? " was replaced by another file" : " was removed")};
}

Status Log::Prepare(bool rotate) {
  if (file_ == nullptr && before_ != nullptr) {
    if (const Status done = before_(); !done.ok()) return done;
    before_ = nullptr;
  }
  const bool is_large = end_ >= options_.segment_bytes;
  if (file_ == nullptr || is_large || (rotate && end_ > kFileHeaderBytes)) {
    return NextSegment();
  }
  if (filled_ >= end_ + options_.fill_bytes) return Ok{};
  filled_ = std::max(filled_, end_);
  const Status filled = Fill(file_.get(), &filled_, filled_ + options_.fill_bytes);
  NoteRoom();
  return filled;
}

Status Log::NextSegment() {
  LAUREL_ASSERT(durable() == written_);  // invariant 4
  const std::shared_ptr<base::File> before = file_;
  const std::uint64_t end = end_;
  const std::vector<Segment> earlier = segments();
  if (const Status started = StartSegment(written_ + 1); !started.ok()) {
    // The log continues in the segment before. The new one must not block the name, nor reappear
    // after a power loss and be taken for the log after a snapshot.
    if (undurable_segment_has_name_) {
      undurable_segment_has_name_ =
          !folder_->Remove(SegmentName(written_ + 1)).ok() || !folder_->Sync().ok();
    }
    return started;
  }
  if (before != nullptr) {
    // Best effort: without this sync mark no record is lost, but a loss of the new segment would go
    // unnoticed.
    (void)EndFile(before.get(), end, kEnds | kFollowed).ok();
    return Ok{};
  }
  const bool follows = !earlier.empty() && earlier.back().last == written_;
  return follows ? EndBefore(earlier.back()) : Status(Ok{});
}

void Log::NoteRoom() {
  const std::uint64_t taken = end_ + 2 * kSyncMarkBytes;  // one before the next batch, one final
  room_ = filled_ - std::min(filled_, taken);
}

Status Log::Fill(base::File* file, std::uint64_t* from, std::uint64_t to) {
  static const std::string zeros(kZeroBytes, '\0');
  while (*from < to) {
    const std::uint64_t step = std::min<std::uint64_t>(to - *from, zeros.size());
    const Status written = file->WriteAt(*from, std::string_view(zeros).substr(0, step));
    if (!written.ok()) return written;
    *from += step;
  }
  return Ok{};
}

Status Log::StartSegment(std::uint64_t first) {
  const std::string name = SegmentName(first);
  undurable_segment_has_name_ = false;
  FileHeader header;
  header.kind = FileKind::kLog;
  header.history = history_;
  header.epoch = epoch_;
  header.first = first;
  header.created_us = SystemNow();
  header.filled = kFileHeaderBytes + options_.fill_bytes;
  std::uint64_t filled = kFileHeaderBytes;
  (void)folder_->Remove(kUnfinishedSegment).ok();  // left by a failed attempt
  Result<std::unique_ptr<base::File>> file =
      folder_->Open(kUnfinishedSegment, base::Folder::Mode::kCreate);
  if (!file.ok()) return file.error();
  Status made = (*file)->WriteAt(0, EncodeFileHeader(header));
  if (made.ok()) made = Fill(file->get(), &filled, header.filled);
  // On a full disk part of the zeros is enough to log removals. The next batch then finds that
  // there is no more room.
  const bool has_some = filled >= kFileHeaderBytes + options_.fill_bytes / kMinFillDivisor;
  if (!made.ok() && made.error().code == ErrorCode::kNoSpace && has_some) {
    header.filled = filled;
    made = (*file)->WriteAt(0, EncodeFileHeader(header));
  }
  if (made.ok()) made = (*file)->Sync();
  // The file gets its name when it is complete, so a segment with a damaged header is always
  // damage, never an unfinished file. The rename replaces an empty segment of an earlier start.
  if (made.ok()) made = folder_->Rename(kUnfinishedSegment, name);
  if (!made.ok()) {
    (void)folder_->Remove(kUnfinishedSegment).ok();  // the disk may be full
    return made;
  }
  if (made = folder_->Sync(); !made.ok()) {
    undurable_segment_has_name_ = true;
    return made;
  }
  file_ = std::move(*file);
  end_ = kFileHeaderBytes;
  filled_ = extent_ = stated_extent_ = filled;
  vouched_ = first - 1;
  NoteRoom();
  const base::MutexLock lock(mutex_);
  // The rename has replaced the file of a segment without records.
  if (!segments_.empty() && segments_.back().first == first) segments_.pop_back();
  segments_.push_back({first, first - 1, end_, header.created_us});
  return Ok{};
}

// Failures -------------------------------------------------------------------------------------

void Log::SetState(State state, const std::string& trouble) {
  const base::MutexLock lock(mutex_);
  state_.store(state, std::memory_order_release);
  trouble_ = trouble;
}

void Log::Break(const Error& error) {
  {
    const base::MutexLock lock(mutex_);
    state_.store(State::kBroken, std::memory_order_release);
    trouble_ = error.message;
    pending_.clear();
    pending_bytes_ = 0;
    for_waiters_.NotifyAll();
  }
  listener_->OnBroken(error);
}

Status Log::Mend(std::uint64_t number) {
  LAUREL_ASSERT(state() == State::kBroken && number == appended());
  {
    // Wait until the writer thread is parked: its call of OnBroken must return before OnMended is
    // called.
    const base::MutexLock lock(mutex_);
    while (!parked_) for_waiters_.Wait(mutex_);
  }
  if (const Status started = StartSegment(number + 1); !started.ok()) return started;
  {
    const base::MutexLock lock(mutex_);
    written_ = number;
    sync_wanted_ = 0;
    durable_ = number;
  }
  listener_->OnMended(number);
  {
    const base::MutexLock lock(mutex_);
    LAUREL_ASSERT(appended() == number);  // invariant 1
    trouble_.clear();
    state_.store(State::kGood, std::memory_order_release);
  }
  for_writer_.NotifyOne();
  return Ok{};
}

// Segments -------------------------------------------------------------------------------------

std::vector<Segment> Log::segments() const {
  const base::MutexLock lock(mutex_);
  return segments_;
}

Status Log::DropThrough(std::uint64_t through) {
  bool dropped = false;
  for (;;) {
    std::uint64_t first = 0;
    {
      const base::MutexLock lock(mutex_);
      // A segment's records end where the next segment begins.
      if (segments_.size() < 2 || segments_[1].first > through + 1) break;
      first = segments_[0].first;
    }
    const Status removed = base::RemoveIfThere(folder_, SegmentName(first));
    if (!removed.ok()) return removed;
    dropped = true;
    {
      const base::MutexLock lock(mutex_);
      LAUREL_ASSERT(segments_.size() > 1 && segments_.front().first == first);
      segments_.erase(segments_.begin());
    }
    // Last: a FeedReader that saves an index checks afterwards whether the segment is still listed,
    // and removes the index if it is not.
    (void)folder_->Remove(IndexName(first)).ok();
  }
  return dropped ? folder_->Sync() : Status(Ok{});
}

LogFigures Log::figures() const {
  const base::MutexLock lock(mutex_);
  LogFigures figures = figures_;
  for (const Segment& segment : segments_) figures.bytes += segment.bytes;
  figures.segments = segments_.size();
  figures.appended = appended();
  figures.durable = durable();
  figures.pending_bytes = pending_bytes();
  return figures;
}

}  // namespace laurel::storage
