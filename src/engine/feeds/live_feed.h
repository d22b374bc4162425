// The live readers of an embedded engine (engine/live.h). Made for thousands of readers of one hot
// board, at almost no cost for its writers.
//
// A write only increments a number of its board (Keyspace::View::changes). At every interval a
// thread compares the numbers of the followed boards with those of the last pass, reads the boards
// that have changed, and publishes what it read once that is durable:
//
//   look     at all followed names, 64 per hold of the engine's lock. Each is looked up by name, so
//            drops, renames and turns of periods need no notification
//   read     of a changed board the longest top that a reader asks for, once for all readers, in
//            one hold; then all followed members, 64 per hold
//   wait     until the log is durable through what was read
//   publish  each rank and each followed member has the version of its last change, and each reader
//            the version that it took last. That number is all that is kept for a slow reader
//   tell     (OnReady) the readers that see a difference and have taken their last update
//
// The rates of calls and look-ups are limited whatever the interval, so a large number of readers
// is notified less often and does not slow down the writers. The readers' own work after OnReady
// costs most, so OnReady is called for small groups with a pause after each; 5,000 readers take a
// quarter of a second. After each pass the thread rests three times as long as it worked, so that
// the engine's lock is mostly free for others.
//
// Rejected: a list of changed boards that writers add to. It would have to keep up with boards that
// are cleared (which moves them), renamed and dropped; a look-up by name does not.
// Rejected: immutable states that readers share. A slow reader of ten ranks would keep the whole
// state that it took last in memory, with 1,000 ranks and the members of all readers.
//
// Lock order: calling_, mutex_. The engine's lock is taken with neither of them held.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fair_lock.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/keyspace/keyspace.h"
#include "engine/live.h"
#include "laurel/result.h"

namespace laurel::engine {

// Thread-safe.
class LiveFeed {
 public:
  // The engine whose boards are followed. Called from any thread.
  class Source {
   public:
    virtual ~Source() = default;
    // Calls `look` with the engine's lock held. Returns the last record of the log then: the log
    // through this record holds everything that `look` could see.
    virtual std::uint64_t UnderLock(const std::function<void(Keyspace*)>& look) = 0;
    // Whether states through this record may be published.
    [[nodiscard]] virtual bool MayPublish(std::uint64_t number) const = 0;
  };

  // The thread starts with the first reader.
  LiveFeed(Source* source, std::int64_t interval_us) : source_(source), interval_us_(interval_us) {}
  ~LiveFeed() { Stop(); }
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // As in Engine.
  Result<LiveHandle> Subscribe(const LiveQuery& query, LiveReader* reader);
  void Unsubscribe(LiveHandle handle);
  std::optional<LiveUpdate> Take(LiveHandle handle);

  // How many readers there are.
  [[nodiscard]] std::size_t readers() const {
    return reader_count_.load(std::memory_order_relaxed);
  }

  // More records are durable: the feed asks MayPublish again.
  void OnDurable();
  // Ends the thread. After it returns, no reader is called and Subscribe is refused.
  void Stop();

 private:
  using Version = std::uint64_t;

  struct Reader;

  // A published entry and the version of its last change.
  struct Slot {
    std::shared_ptr<const Entry> entry;  // null: there is none
    Version changed = 0;
  };
  // A member that readers of a board follow.
  struct FollowedMember {
    explicit FollowedMember(std::string_view name) : member(name) {}
    const std::string member;
    Slot slot;
    std::vector<Reader*> readers;
  };

  // Identifies the board that a name meant at some moment, and the state of its entries.
  struct Sight {
    bool found = false;
    std::uint64_t id = 0;
    std::uint32_t instance = 0;    // its number; 0: the board itself, or an unwritten instance
    Stamp begin = 0;               // of the instance
    std::uint64_t changed_at = 0;  // Keyspace::View::changes

    // Whether both are the same board and instance. An instance gets its number with its first
    // write, so number 0 equals any other.
    [[nodiscard]] bool SameBoard(const Sight& other) const {
      return found == other.found && id == other.id && begin == other.begin &&
             (instance == other.instance || instance == 0 || other.instance == 0);
    }
    bool operator==(const Sight&) const = default;
  };

  // The published state of a board. Changed by the feed's thread only, with the mutex held.
  struct Shown {
    Version version = 0;  // 0: nothing is published yet
    Version whole = 0;    // the last version that replaced everything
    bool gone = false;
    std::string name;
    std::string owner;  // the board that the followed name belongs to
    std::shared_ptr<const Spec> spec;
    std::uint64_t size = 0;
    std::vector<Slot> top;  // up to the longest top asked for
  };

  // A name that readers follow.
  struct Board {
    explicit Board(std::string_view board_name) : name(board_name) {}
    const std::string name;
    std::atomic<std::uint64_t> joined{0};  // readers that have joined so far

    // Guarded by mutex_ (the annotations cannot name a lock of another object).
    std::vector<Reader*> readers;
    std::map<std::uint32_t, std::size_t> tops;  // number of readers by length of their top
    std::unordered_map<std::string_view, std::shared_ptr<FollowedMember>> members;
    std::uint64_t member_changes = 0;  // counts changes of `members`
    Shown shown;

    // Used by the feed's thread only.
    std::uint64_t joined_seen = 0;                        // `joined` at the last read
    Sight seen;                                           // at the last read
    std::uint64_t members_listed = 0;                     // member_changes when `listed` was made
    std::vector<std::shared_ptr<FollowedMember>> listed;  // a copy of `members`
  };

  struct Reader {
    LiveHandle handle = 0;
    LiveReader* subscriber = nullptr;
    std::shared_ptr<Board> board;
    Access access;
    std::uint32_t top = 0;
    std::vector<std::shared_ptr<FollowedMember>> members;
    std::size_t place = 0;     // index in board->readers
    std::uint64_t joined = 0;  // a Read with this `joined` or more includes what it asked for
    bool ready = false;        // such a Read is published
    bool told = false;         // OnReady was called or is about to be, and no Take since
    Version version = 0;       // that it took last
    std::uint64_t size = 0;    // of the board, that it took last
  };

  // A state of a board that was read and is not published yet.
  struct Read {
    std::shared_ptr<Board> board;
    std::uint64_t joined = 0;   // board->joined when the read began
    std::uint32_t longest = 0;  // length of the longest top asked for
    Sight sight;
    std::string name;
    std::string owner;
    std::optional<Spec> spec;  // set if it differs from the published one
    std::uint64_t size = 0;
    std::vector<Entry> top;
    std::vector<std::optional<Entry>> places;  // of board->listed, in the same order
    bool whole = false;                        // it replaces everything published before
    // An index; readers whose top ends before it see no difference.
    std::uint64_t first_changed = UINT64_MAX;
    // The differences from the published state, with indexes in `top` and `places`.
    std::vector<std::pair<std::size_t, std::shared_ptr<const Entry>>> top_changes;
    std::vector<std::pair<std::size_t, std::shared_ptr<const Entry>>> place_changes;
  };

  // Returns the board that a read of the name sees; null if there is none. Sets *sight, and
  // *shown_name unless it is null. REQUIRES: the engine's lock is held.
  static const core::Standings* Find(Keyspace* keys, const std::string& name, Sight* sight,
                                     std::string* shown_name);

  Status Check(const LiveQuery& query) const;
  // Adds the reader to its board, and removes it.
  void Join(Reader* reader, const LiveQuery& query) LAUREL_REQUIRES(mutex_);
  void Leave(Reader* reader) LAUREL_REQUIRES(mutex_);

  // On the feed's thread.
  void Run();
  // Makes one pass over the boards. Returns the microseconds of work, without waits.
  std::int64_t Pass(const std::vector<std::shared_ptr<Board>>& boards);
  [[nodiscard]] std::vector<std::shared_ptr<Board>> FindChanged(
      const std::vector<std::shared_ptr<Board>>& boards);
  // Reads the board. Returns the record of the log that must be durable before the state may be
  // published; none if the name came to mean another board meanwhile and must be read again.
  std::optional<std::uint64_t> ReadBoard(Read* read);
  void Plan(Read* read) LAUREL_EXCLUDES(mutex_);
  // Finds the differences between the state read and the published one.
  static void Compare(Read* read);
  void Pause(std::int64_t micros) LAUREL_EXCLUDES(mutex_);
  // Waits until states through this record may be published. Returns false if the feed stops.
  bool AwaitPublishable(std::uint64_t number) LAUREL_EXCLUDES(durable_mutex_);
  // Publishes the state. Appends the readers to notify to `news`.
  void Publish(Read* read, std::vector<LiveHandle>* news) LAUREL_EXCLUDES(mutex_);
  // Calls OnReady of the readers.
  void Tell(const std::vector<LiveHandle>& handles) LAUREL_EXCLUDES(calling_, mutex_);

  Source* const source_;
  const std::int64_t interval_us_;

  base::FairLock calling_;  // held while readers are called

  base::Mutex mutex_;
  base::CondVar for_thread_;
  bool stops_ LAUREL_GUARDED_BY(mutex_) = false;
  LiveHandle last_handle_ LAUREL_GUARDED_BY(mutex_) = 0;
  Version last_version_ LAUREL_GUARDED_BY(mutex_) = 0;
  // Members that readers follow, summed over all readers.
  std::size_t followed_ LAUREL_GUARDED_BY(mutex_) = 0;
  std::unordered_map<LiveHandle, std::unique_ptr<Reader>> readers_ LAUREL_GUARDED_BY(mutex_);
  std::atomic<std::size_t> reader_count_{0};  // readers_.size(), to be read without the mutex
  std::unordered_map<std::string_view, std::shared_ptr<Board>> boards_ LAUREL_GUARDED_BY(mutex_);
  bool boards_changed_ LAUREL_GUARDED_BY(mutex_) = false;  // since Run copied boards_

  std::int64_t waited_us_ = 0;  // in this pass; used by the feed's thread only

  base::Mutex durable_mutex_;
  base::CondVar durable_;
  bool stops_waiting_ LAUREL_GUARDED_BY(durable_mutex_) = false;

  std::thread thread_;
};

}  // namespace laurel::engine
