// The log holds every effect, in order. In mode kAlways an effect is on disk before the client that
// caused it gets its reply.
//
// Append puts a batch into a buffer, numbers it and returns at once. The writer thread writes the
// buffer and makes it durable, so all batches that arrive during one fdatasync share the next one.
//
// The file is filled with zeros ahead of the records. A write into blocks that are already there is
// synced in two thirds of the time (116 against 177 µs), and a full disk is noticed while the
// batches already accepted still have room.
//
// Twice a second the writer thread checks that the folder is in its place and that the segment
// still has its name. A file that was unlinked takes writes and syncs like any other, so nothing
// else would reveal it. Writes into a folder that is gone are acknowledged for at most that long.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "laurel/result.h"
#include "storage/format.h"
#include "storage/log_figures.h"

namespace laurel::storage {

enum class SyncMode : std::uint8_t {
  kAlways,    // a batch is durable before its reply
  kEverySec,  // a crash loses at most a second
  kOff,       // the operating system decides when to write
};

struct LogOptions {
  SyncMode sync = SyncMode::kAlways;
  // The log begins a new segment after the batch that brings this one to this size.
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;
  std::uint64_t fill_bytes = std::uint64_t{1} << 20;  // zeros ahead of the records
  // After this time without a record the log writes a sync mark that vouches for the last record.
  // Mode kOff has no such marks.
  std::int64_t quiet_us = 1'000'000;
  std::int64_t check_us = 500'000;  // how often the log checks that its folder is in place
};

// A file of the log and the records in it.
struct Segment {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // first - 1 if it holds no record
  std::uint64_t bytes = 0;
  std::int64_t created_us = 0;
};

// The state from which a log continues.
struct LogStart {
  std::uint64_t history = 0;
  std::uint64_t epoch = 1;
  std::uint64_t next = 1;  // the number of the next record
  std::vector<Segment> segments;
  // The folder holds nothing yet. Open then fails if there is no room for a segment.
  bool is_new = false;
  // Called before the first segment is begun, and again if it fails. Null: nothing to do.
  std::function<Status()> before = nullptr;
};

class Log {
 public:
  // Called on the writer thread, except for OnMended. A listener must not call the log, except from
  // MakeRoom.
  class Listener {
   public:
    virtual ~Listener() = default;
    // All records through `number` are durable.
    virtual void OnDurable(std::uint64_t number) = 0;
    // Returns how many waiters there are for OnDurable. The mutex of the log may be held.
    [[nodiscard]] virtual std::size_t CountWaiting() const = 0;
    // The log is broken: records that are not durable yet will never be written. See Mend.
    virtual void OnBroken(const Error& error) = 0;
    // The log is mended: a snapshot holds all records through `number`. Called on the thread that
    // calls Mend, before writes are accepted again.
    virtual void OnMended(std::uint64_t /*number*/) {}
    // The disk is full. Frees some space that can be spared and returns true, or returns false if
    // there is none. May call segments and DropThrough.
    virtual bool MakeRoom() { return false; }
  };

  enum class State : std::uint8_t {
    kGood,
    kFull,    // the disk is full: records that fit into room() are written, no more should come
    kBroken,  // a write, a sync or CheckPlace failed; nothing is written until Mend
  };

  // Opens the log and begins a new segment. If the disk is full, the log is kFull and has no
  // segment; in a new folder that is an error. `folder` and `listener` must outlive the log.
  static Result<std::unique_ptr<Log>> Open(base::Folder* folder, const LogOptions& options,
                                           const LogStart& start, Listener* listener);
  // Writes and syncs the pending records, if possible.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Numbers the records of the batch and leaves the rest to the writer thread. Returns the number
  // of the last record. Never waits for the disk. REQUIRES: one caller at a time. A broken log only
  // gives the batch a number and discards it.
  std::uint64_t Append(std::string_view payload);

  // Sequentially consistent. One thread registers as a waiter and then reads one of these; another
  // advances it and then looks for waiters. The two cannot miss each other.
  [[nodiscard]] std::uint64_t appended() const { return appended_; }
  [[nodiscard]] std::uint64_t durable() const { return durable_; }
  [[nodiscard]] State state() const { return state_.load(std::memory_order_acquire); }
  // Returns why the log is not kGood. Empty if it is.
  [[nodiscard]] std::string trouble() const;

  // Bytes appended and not yet written.
  [[nodiscard]] std::size_t pending_bytes() const {
    return pending_bytes_.load(std::memory_order_relaxed);
  }
  // Blocks until at most `limit` bytes are pending.
  void AwaitRoom(std::size_t limit);
  // Blocks until all records through `number` are durable, in every mode. Returns an error if the
  // log breaks before.
  Status SyncThrough(std::uint64_t number);

  // Bytes that can be appended and are sure to have room in the segment. 0 if there is no segment.
  [[nodiscard]] std::uint64_t room() const {
    const std::uint64_t room = room_.load(std::memory_order_relaxed);
    return room - std::min<std::uint64_t>(room, pending_bytes());
  }
  // How many bytes of room the log makes at once.
  [[nodiscard]] std::uint64_t fill_bytes() const { return options_.fill_bytes; }
  // Makes room ahead, in a new segment if `rotate` and this one holds a record. Blocks until the
  // writer thread has done so. A full log stays full until Accept. If there is no room,
  // Extend(false) makes a good log full.
  Status Extend(bool rotate);
  // Refuse makes a good log full, with `trouble` as the reason. Accept makes a full log good again.
  void Refuse(const std::string& trouble);
  void Accept();
  // Continues in a new segment after record `number`, once a snapshot holds everything through it.
  // REQUIRES: broken, number == appended().
  Status Mend(std::uint64_t number);

  [[nodiscard]] std::vector<Segment> segments() const;
  // Removes the segments at the front that hold no record after `through`, never the newest one.
  Status DropThrough(std::uint64_t through);
  [[nodiscard]] LogFigures figures() const;

 private:
  Log(base::Folder* folder, const LogOptions& options, const LogStart& start, Listener* listener);

  // For the writer thread, Open and Mend, without the mutex held.
  void Run() LAUREL_EXCLUDES(mutex_);
  Status WriteOut(std::string_view frames, std::uint64_t last) LAUREL_EXCLUDES(mutex_);
  Status Sync() LAUREL_EXCLUDES(mutex_);
  // Makes room for the next records: zeros, or a new segment if this one is large enough or
  // `rotate` is set. After an error the log is as usable as before, unless
  // undurable_segment_has_name_ is set.
  Status Prepare(bool rotate) LAUREL_EXCLUDES(mutex_);
  // Calls Prepare, again as long as the disk is full and the listener makes room. After an error
  // the log is kBroken if undurable_segment_has_name_ is set, otherwise kFull unless `rotate`.
  Status PrepareOrStopWriting(bool rotate) LAUREL_EXCLUDES(mutex_);
  // Calls `attempt`, again and again as long as the disk is full and the listener makes room.
  template <typename Attempt>
  Status RetryWhileFreeingSpace(const Attempt& attempt) LAUREL_EXCLUDES(mutex_);
  Status StartSegment(std::uint64_t first) LAUREL_EXCLUDES(mutex_);
  // Begins the next segment and writes the final sync mark of the one before.
  Status NextSegment() LAUREL_EXCLUDES(mutex_);
  // Returns a sync mark that states what is known to be on disk, to be written after the last
  // record.
  [[nodiscard]] std::string SyncMarkNow(std::uint32_t flags) const;
  Status WriteSyncMark() LAUREL_EXCLUDES(mutex_);
  // Writes the final sync mark of a file at `end` and truncates the file after it.
  Status EndFile(base::File* file, std::uint64_t end, std::uint32_t flags) const;
  // Writes into `before`, a segment of an earlier start, that the new segment follows it. Does
  // nothing if its records do not reach the new segment.
  Status EndBefore(const Segment& before);
  // Writes zeros up to `to` and advances *from past those written.
  Status Fill(base::File* file, std::uint64_t* from, std::uint64_t to);
  // Returns an error if the folder is not in its place or the segment does not have its name.
  // Checks every check_us, or at once if `now`.
  Status CheckPlace(bool now) LAUREL_EXCLUDES(mutex_);
  // Updates room_. Called after end_ or filled_ has changed.
  void NoteRoom();
  void SetState(State state, const std::string& trouble) LAUREL_EXCLUDES(mutex_);
  void Break(const Error& error) LAUREL_EXCLUDES(mutex_);

  // For the writer thread.
  [[nodiscard]] bool SyncIsDue(std::int64_t now_us) const LAUREL_REQUIRES(mutex_);
  // SyncMarkIsPending: a sync mark will be due if no record is appended. SyncMarkIsDue: it is due
  // now.
  [[nodiscard]] bool SyncMarkIsPending() const LAUREL_REQUIRES(mutex_);
  [[nodiscard]] bool SyncMarkIsDue(std::int64_t now_us) const LAUREL_REQUIRES(mutex_);
  // Blocks while the log is broken. Returns false if the log is to be closed instead.
  bool AwaitMend() LAUREL_REQUIRES(mutex_);
  // Whether there is work that is not collected for a moment first (see AwaitWork).
  [[nodiscard]] bool HasUrgentWork() const LAUREL_REQUIRES(mutex_);
  void AwaitWork() LAUREL_REQUIRES(mutex_);
  // If syncs are slow, waits a little for the clients that were answered last and are about to
  // write again, so that all share one sync instead of two groups alternating.
  void Gather() LAUREL_REQUIRES(mutex_);

  base::Folder* folder_;
  const LogOptions options_;
  const std::uint64_t history_;
  const std::uint64_t epoch_;
  const FrameFormat format_;
  Listener* listener_;

  std::atomic<std::uint64_t> appended_;
  std::atomic<std::uint64_t> durable_;
  std::atomic<State> state_{State::kGood};
  std::atomic<std::size_t> pending_bytes_{0};
  std::atomic<std::uint64_t> room_{0};

  mutable base::Mutex mutex_;
  base::CondVar for_writer_;
  base::CondVar for_waiters_;
  std::string pending_ LAUREL_GUARDED_BY(mutex_);  // encoded frames
  // SyncThrough asks for this record, whatever the mode.
  std::uint64_t sync_wanted_ LAUREL_GUARDED_BY(mutex_) = 0;
  enum class Extension : std::uint8_t { kNone, kFill, kRotate };
  Extension extension_wanted_ LAUREL_GUARDED_BY(mutex_) = Extension::kNone;
  std::uint64_t extensions_ LAUREL_GUARDED_BY(mutex_) = 0;
  Status extended_ LAUREL_GUARDED_BY(mutex_) = Ok{};  // result of the last extension
  bool stop_ LAUREL_GUARDED_BY(mutex_) = false;
  // The log is broken and the writer thread waits for Mend.
  bool parked_ LAUREL_GUARDED_BY(mutex_) = false;
  std::string trouble_ LAUREL_GUARDED_BY(mutex_);
  // The last one is being written, if file_ is set.
  std::vector<Segment> segments_ LAUREL_GUARDED_BY(mutex_);
  LogFigures figures_ LAUREL_GUARDED_BY(mutex_);

  // Used by the writer thread alone, and by Mend while the log is broken.
  std::function<Status()> before_;    // LogStart::before, until it has succeeded
  std::shared_ptr<base::File> file_;  // null as long as there was no room for a segment
  std::uint64_t end_ = 0;             // offset of the next record
  std::uint64_t filled_ = 0;          // zeros are written up to here
  std::uint64_t written_ = 0;         // the last record written
  std::uint64_t extent_ = 0;          // bytes of the file that are on disk, zeros included
  std::uint64_t stated_extent_ = 0;   // the extent stated by the header or a sync mark of the file
  std::uint64_t vouched_ = 0;         // the last record that a sync mark after it vouches for
  std::int64_t wrote_at_us_ = 0;
  bool undurable_segment_has_name_ =
      false;  // a new segment has its name but could not be made durable
  std::int64_t synced_at_us_ = 0;
  std::int64_t checked_at_us_ = 0;
  std::int64_t sync_estimate_us_ = 0;  // a moving mean
  std::size_t expected_ = 0;  // waiters when the last sync ended, those it answered included
  double gather_share_ = 0;   // the share of a sync for which Gather waits at most

  std::thread writer_;
};

}  // namespace laurel::storage
