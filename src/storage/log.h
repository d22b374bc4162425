// The log: every effect, in order, on disk before the reply to whoever caused it.
//
// Append puts a batch into a buffer, numbers it and returns at once; the log's thread writes the
// buffer and makes it durable, so that all batches that arrive during one fdatasync share the next.
//
// The file is filled with zeros a step ahead of the records: a write into blocks that are there is
// synced in two thirds of the time (116 against 177 µs), and a full disk is met while what was
// accepted still has room.
//
// Twice a second the log's thread looks whether the folder is in its place and the segment has its
// name. A file that was unlinked takes writes and syncs like any other, so nothing else would tell;
// at most that long writes are acknowledged into a folder that is gone.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/format.h"

namespace laurel::storage {

enum class SyncMode : std::uint8_t {
  kAlways,    // a batch is durable before its reply
  kEverySec,  // at most a second is lost
  kOff,       // when the operating system likes
};

struct LogOptions {
  SyncMode sync = SyncMode::kAlways;
  std::uint64_t segment_bytes = std::uint64_t{64}
                                << 20;                // a segment ends at the first batch beyond
  std::uint64_t fill_bytes = std::uint64_t{1} << 20;  // zeros ahead of the records
  // After this time without a record the log writes a mark that vouches for the last record. Not in
  // mode kOff.
  std::int64_t quiet_us = 1'000'000;
  std::int64_t check_us = 500'000;  // how often the log looks whether its folder is in place
};

// A file of the log and what is in it.
struct Segment {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // first - 1 if it holds no record
  std::uint64_t bytes = 0;
  std::int64_t created_us = 0;
};

// Where a log goes on.
struct LogStart {
  std::uint64_t history = 0;
  std::uint64_t epoch = 1;
  std::uint64_t next = 1;  // the number of the next record
  std::vector<Segment> segments;
  bool is_new = false;  // the folder holds nothing yet: no room for a segment is an error then
  // What is to be done in the folder before the first segment is begun; none: nothing.
  std::function<Status()> before = nullptr;
};

struct LogFigures {
  std::uint64_t bytes = 0;     // of all segments
  std::uint64_t appended = 0;  // last number
  std::uint64_t durable = 0;
  std::uint64_t pending_bytes = 0;
  std::uint64_t written_bytes = 0;  // since the start
  std::uint64_t syncs = 0;
  std::int64_t last_sync_us = 0;
  std::int64_t longest_sync_us = 0;
  std::int64_t total_sync_us = 0;
  // Syncs that took at most 2^i × 64 µs, the last one for all longer ones.
  std::array<std::uint64_t, 12> sync_times{};

  // An upper bound of the time within which so many percent of the syncs were done.
  [[nodiscard]] std::int64_t SyncTimeAt(unsigned percent) const;
};

class Log {
 public:
  // Hears of what happens on the log's own thread; must not call the log.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void OnDurable(std::uint64_t number) = 0;
    // How many wait for OnDurable.
    [[nodiscard]] virtual std::size_t CountWaiting() const = 0;
    // What is not durable yet never will be. See Mend.
    virtual void OnBroken(const Error& error) = 0;
    // After OnBroken: all records through `number` are safe. Called before writes are accepted.
    virtual void OnMended(std::uint64_t /*number*/) {}
    // The disk is full: gives up something that can be done without. False if nothing is left.
    // May call segments and DropThrough.
    virtual bool MakeRoom() { return false; }
  };

  enum class State : std::uint8_t {
    kGood,
    kFull,    // the disk is full: what fits into room() still goes to disk, more should not come
    kBroken,  // a write or a sync failed; nothing is written any more
  };

  // Begins a new segment. On a full disk the log is kFull without a segment, unless the folder is
  // new. `folder` and `listener` outlive the log.
  static Result<std::unique_ptr<Log>> Open(base::Folder* folder, const LogOptions& options,
                                           const LogStart& start, Listener* listener);
  // Writes and syncs what is pending, if it can.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Numbers the batch and leaves the rest to the log's thread; returns the number of its last
  // record. Never waits. One caller at a time. On a broken log it numbers and forgets.
  std::uint64_t Append(std::string_view payload);

  // Sequentially consistent: who first says that it waits for a record and then looks, and who
  // first advances one of these and then looks whether somebody waits, do not miss each other.
  [[nodiscard]] std::uint64_t appended() const { return appended_; }
  [[nodiscard]] std::uint64_t durable() const { return durable_; }
  [[nodiscard]] State state() const { return state_.load(std::memory_order_acquire); }
  // What keeps the log from being good. Empty if nothing does.
  [[nodiscard]] std::string trouble() const;

  // Bytes appended and not yet written. With `limit`: waits until there are at most so many.
  [[nodiscard]] std::size_t pending_bytes() const {
    return pending_bytes_.load(std::memory_order_relaxed);
  }
  void AwaitRoom(std::size_t limit);
  // Returns when all records through `number` are durable, in every mode.
  Status SyncThrough(std::uint64_t number);

  // Bytes that are sure to have room in the segment. 0 if there is none yet.
  [[nodiscard]] std::uint64_t room() const {
    const std::uint64_t room = room_.load(std::memory_order_relaxed);
    return room - std::min<std::uint64_t>(room, pending_bytes());
  }
  // How much room is made at once.
  [[nodiscard]] std::uint64_t fill_bytes() const { return options_.fill_bytes; }
  // Makes room ahead, in a new segment if `rotate` and this one holds a record. The state stays.
  Status Extend(bool rotate);
  // A good log is full, for this reason, and a full one is good again.
  void Refuse(const std::string& trouble);
  void Accept();
  // Goes on in a fresh segment behind `number`, once a snapshot holds everything through it.
  // REQUIRES: broken, number == appended().
  Status Mend(std::uint64_t number);

  [[nodiscard]] std::vector<Segment> segments() const;
  // Removes whole segments at the front that hold no record after `through`.
  Status DropThrough(std::uint64_t through);
  [[nodiscard]] LogFigures figures() const;

 private:
  Log(base::Folder* folder, const LogOptions& options, const LogStart& start, Listener* listener);

  // The writer's, without the mutex.
  void Run();
  Status WriteOut(std::string_view frames, std::uint64_t last);
  Status Sync();
  // Room for what comes: zeros, and a new segment when this one is large enough. An error leaves
  // everything usable as it was.
  Status Prepare(bool rotate);
  // Tries again as long as the disk is full and the listener makes room.
  template <typename Attempt>
  Status MakingRoom(const Attempt& attempt);
  Status StartSegment(std::uint64_t first);
  // Begins the next segment, and says so in the one before.
  Status NextSegment();
  // A mark with what is known to be on disk, to stand behind the last record.
  [[nodiscard]] std::string SyncMarkNow(std::uint32_t flags) const;
  Status WriteSyncMark();
  // The last mark of a file, which is cut behind it.
  Status EndFile(base::File* file, std::uint64_t end, std::uint32_t flags) const;
  // Says in the segment before that the one just begun is there, if no record is between them.
  Status EndBefore(const Segment& before);
  // Moves `from` on to where zeros are.
  Status Fill(base::File* file, std::uint64_t* from, std::uint64_t to);
  // The folder is in its place, and the segment has its name. Looks every check_us, or now.
  Status CheckPlace(bool now);
  // After end_ or filled_ has changed.
  void NoteRoom();
  void SetState(State state, const std::string& trouble);
  void Break(const Error& error);

  // With the mutex.
  [[nodiscard]] bool SyncIsDue(std::int64_t now_us) const;
  // Whether a mark will be due if nothing happens, and whether it is.
  [[nodiscard]] bool AwaitsQuiet() const;
  [[nodiscard]] bool QuietIsOver(std::int64_t now_us) const;
  void AwaitWork(std::unique_lock<std::mutex>& lock);
  // Where a sync is slow: waits a little for those who were told last and are about to write again,
  // so that all share one sync instead of two groups taking turns.
  void Gather(std::unique_lock<std::mutex>& lock);

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

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable for_writer_;
  std::condition_variable for_waiters_;
  std::string pending_;            // frames
  std::uint64_t sync_wanted_ = 0;  // durable through here, whatever the mode
  enum class Extension : std::uint8_t { kNone, kFill, kRotate };
  Extension extension_wanted_ = Extension::kNone;
  std::uint64_t extensions_ = 0;
  Status extended_ = Ok{};  // how the last one went
  bool stop_ = false;
  bool parked_ = false;  // the writer waits for Mend
  std::string trouble_;
  std::vector<Segment> segments_;  // the last one is being written, if file_ is there
  LogFigures figures_;

  // The writer's own, and Mend's while the log is broken.
  std::function<Status()> before_;    // the first segment
  std::shared_ptr<base::File> file_;  // none as long as there was no room for a segment
  std::uint64_t end_ = 0;             // where the next record goes
  std::uint64_t filled_ = 0;          // zeros are written up to here
  std::uint64_t written_ = 0;         // the last number that was written
  std::uint64_t extent_ = 0;          // bytes of the file that are on disk, zeros included
  std::uint64_t told_ = 0;            // the extent that the header or a mark of the file tells
  std::uint64_t vouched_ = 0;         // the last record that a mark behind it vouches for
  std::int64_t wrote_at_us_ = 0;
  bool in_the_way_ = false;  // a segment has its name and could not be made durable
  std::int64_t synced_at_us_ = 0;
  std::int64_t checked_at_us_ = 0;
  std::int64_t sync_estimate_us_ = 0;  // a moving mean
  std::size_t expected_ = 0;           // who wait or were told when the last sync ended
  double patience_ = 0;                // the share of a sync that Gather waits at the most

  std::thread writer_;
};

}  // namespace laurel::storage
