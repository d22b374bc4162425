// Live readers of an embedded engine (engine/live.h): thousands of them on one hot board, and its
// writers do not feel it.
//
// A write does no more for them than count (Keyspace::View::changes). A thread looks every interval
// whether the boards that are followed have other numbers than at the last look, reads those that
// have, and publishes what it read once that is on disk:
//
//   look     all followed names, 64 in a hold of the engine's lock: found again by name each time,
//            so that drops, renames and the pipelines of periods need nobody to tell of them
//   read     of a changed board the longest top asked for, once for all readers, in one hold; the
//            members that anybody follows, 64 in a hold
//   wait     until the log is durable through what was read
//   publish  each rank and each followed member has the version at which it changed last; a reader
//            has the version that it was told last. The difference between two numbers is all that
//            a slow reader costs.
//   tell     those readers whose part has changed and who have taken what they were told of before
//
// Calls and look-ups have a rate at most, whatever the interval: a large crowd is told less often,
// and not at its writers' expense. What readers do when they are told counts most, so they are told
// in small groups with a pause after each; 5,000 take a quarter of a second. And the thread rests
// three times as long as it works, so that the lock is mostly others'.
//
// Rejected: a list of changed boards that writers add to. It must follow boards that are cleared
// (which moves them), renamed and dropped; a look by name needs no such care.
// Rejected: states as values that readers share. A slow reader of ten ranks then keeps the whole
// state, 1,000 ranks and everybody's members, that was current when it took last.
//
// Locks, in this order: calling_, mutex_. The engine's lock is taken with neither held.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/fair_lock.h"
#include "engine/keyspace/keyspace.h"
#include "engine/live.h"
#include "laurel/result.h"

namespace laurel::engine {

// Thread-safe.
class LiveFeed {
 public:
  // Whose boards are followed. From any thread.
  class Source {
   public:
    virtual ~Source() = default;
    // Calls it inside the engine's lock. Returns the record of the log that holds everything it
    // could see.
    virtual std::uint64_t Look(const std::function<void(Keyspace*)>& look) = 0;
    // Whether what is in that record may be told.
    [[nodiscard]] virtual bool MayPublish(std::uint64_t number) const = 0;
  };

  // The thread starts with the first reader.
  LiveFeed(Source* source, std::int64_t interval_us) : source_(source), interval_us_(interval_us) {}
  ~LiveFeed() { Stop(); }
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // See Engine.
  Result<LiveHandle> Subscribe(const LiveQuery& query, LiveReader* reader);
  void Unsubscribe(LiveHandle handle);
  std::optional<LiveUpdate> Take(LiveHandle handle);

  // MayPublish may say another thing than before.
  void OnDurable();
  // No reader is called after it returned, and none comes in.
  void Stop();

 private:
  using Version = std::uint64_t;

  struct Reader;

  // An entry that is told, and since when. It is null where there is none.
  struct Slot {
    std::shared_ptr<const Entry> entry;
    Version changed = 0;
  };
  struct Followed {
    explicit Followed(std::string_view name) : member(name) {}
    const std::string member;
    Slot slot;
    std::vector<Reader*> readers;
  };

  // Which state of which board was seen.
  struct Sight {
    bool found = false;
    std::uint64_t id = 0;
    std::uint32_t instance = 0;  // its number; 0: the board itself, or nobody has written to it
    Stamp begin = 0;             // of the instance
    std::uint64_t changed_at = 0;

    [[nodiscard]] bool SameBoard(const Sight& other) const {
      return found == other.found && id == other.id && begin == other.begin &&
             (instance == other.instance || instance == 0 || other.instance == 0);
    }
    bool operator==(const Sight&) const = default;
  };

  // What is published of a board. Only the thread changes it, with the mutex.
  struct Shown {
    Version version = 0;  // 0: nothing yet
    Version whole = 0;    // when there was another board last
    bool gone = false;
    std::string name;
    std::string owner;  // the board that the followed name belongs to
    std::shared_ptr<const Spec> spec;
    std::uint64_t size = 0;
    std::vector<Slot> top;  // as long as the longest asked for, or the board
  };

  // A name that somebody follows.
  struct Board {
    explicit Board(std::string_view board_name) : name(board_name) {}
    const std::string name;
    std::atomic<std::uint64_t> joined{0};  // readers so far

    // With the mutex.
    std::vector<Reader*> readers;
    std::map<std::uint32_t, std::size_t> tops;  // how many ask for each length
    std::unordered_map<std::string_view, std::shared_ptr<Followed>> members;
    std::uint64_t member_changes = 0;
    Shown shown;

    // The thread's.
    std::uint64_t joined_seen = 0;
    Sight seen;
    std::uint64_t members_listed = 0;  // as of this many changes
    std::vector<std::shared_ptr<Followed>> listed;
  };

  struct Reader {
    LiveHandle handle = 0;
    LiveReader* subscriber = nullptr;
    std::shared_ptr<Board> board;
    Access access;
    std::uint32_t top = 0;
    std::vector<std::shared_ptr<Followed>> members;
    std::size_t place = 0;     // in board->readers
    std::uint64_t joined = 0;  // shown what was read with so many readers or more
    bool ready = false;        // which has happened
    bool told = false;         // OnReady is called, or about to be
    Version version = 0;       // what it took last
    std::uint64_t top_size = 0;
  };

  // What was read of a board and is not published yet.
  struct Read {
    std::shared_ptr<Board> board;
    std::uint64_t joined = 0;
    std::uint32_t longest = 0;
    Sight sight;
    std::string name;
    std::string owner;
    std::optional<Spec> spec;  // if it is another one
    std::uint64_t size = 0;
    std::vector<Entry> top;
    std::vector<std::optional<Entry>> places;  // of board->listed
    bool whole = false;
    std::uint64_t first_changed = UINT64_MAX;  // ranks before it hold what they did
    std::vector<std::pair<std::size_t, std::shared_ptr<const Entry>>> top_changes;
    std::vector<std::pair<std::size_t, std::shared_ptr<const Entry>>> place_changes;
  };

  // The name's board as a reader sees it, and which one that is. Inside the engine's lock.
  static const core::Board* Find(Keyspace* keys, const std::string& name, Sight* sight,
                                 std::string* shown_name);

  Status Check(const LiveQuery& query) const;
  void Join(Reader* reader, const LiveQuery& query);
  void Leave(Reader* reader);

  // The thread's.
  void Run();
  // Microseconds of work, waits not counted.
  std::int64_t Pass(const std::vector<std::shared_ptr<Board>>& boards);
  [[nodiscard]] std::vector<std::shared_ptr<Board>> FindChanged(
      const std::vector<std::shared_ptr<Board>>& boards);
  // The number of the log's record that it depends on; none if it has to be read anew.
  std::optional<std::uint64_t> ReadBoard(Read* read);
  void Plan(Read* read);
  static void Compare(Read* read);
  void Pause(std::int64_t micros);
  // False if the feed stops.
  bool AwaitTold(std::uint64_t number);
  void Publish(Read* read, std::vector<LiveHandle>* news);
  void Tell(const std::vector<LiveHandle>& handles);

  Source* const source_;
  const std::int64_t interval_us_;

  base::FairLock calling_;  // held while readers are called

  std::mutex mutex_;  // guards what follows
  std::condition_variable for_thread_;
  bool stops_ = false;
  LiveHandle last_handle_ = 0;
  Version last_version_ = 0;
  std::size_t followed_ = 0;  // members, of all readers
  std::unordered_map<LiveHandle, std::unique_ptr<Reader>> readers_;
  std::unordered_map<std::string_view, std::shared_ptr<Board>> boards_;
  bool boards_changed_ = false;

  std::int64_t waited_us_ = 0;  // in this pass; the thread's

  std::mutex durable_mutex_;  // guards what follows
  std::condition_variable durable_;
  bool stops_waiting_ = false;

  std::thread thread_;
};

}  // namespace laurel::engine
