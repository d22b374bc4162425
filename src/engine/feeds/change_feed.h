// LB.CHANGES: the log of a board for those who follow it.
//
// Reading happens on a thread of its own, outside the engine's lock, a slice at a time for each of
// those who ask, so that somebody who has to catch up holds up nobody else. Who has read everything
// and wants to wait is parked with the board; a batch about the board wakes him when it is durable.
//
// A cursor names the board by id. A board that was dropped or renamed may have been followed by
// another of the same name: its own events come first, to the one that ended it, and then the
// other's; if that one was there before, under another name, the rest is a gap. What ended it names
// the board too, so a cursor shows nobody the events of a board that never had the name he asked
// for.
//
// A client with a pattern token sees no event from a time in which the board had a name that the
// token does not open: such a time is a gap.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "engine/engine.h"
#include "engine/feed_cursor.h"
#include "engine/feeds/board_events.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "storage/feed_reader.h"
#include "storage/log.h"
#include "wire/reply.h"

namespace laurel::engine {

struct ChangesRequest {
  Pipeline* pipeline = nullptr;
  wire::Protocol protocol = wire::Protocol::kResp2;
  Access access;
  std::string name;         // of the board itself
  std::uint64_t board = 0;  // its id now; 0 if there is none
  Spec spec;
  enum class From : std::uint8_t { kOldest, kEnd, kCursor };
  From from = From::kOldest;
  FeedCursor cursor;
  std::size_t count = 100;
  bool waits = false;
  // Only what is about this period, and of its instances about the one that begins then.
  std::optional<Period> period;
  std::optional<std::int64_t> begin_s;
};

class ChangeFeed {
 public:
  // All outlive this.
  ChangeFeed(base::Folder* folder, storage::Log* log, storage::SyncMode sync);
  ~ChangeFeed() { Stop(); }
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

  // Nobody is asking any more. The log is not read after this.
  void Stop();

  // Answers with Pipeline::Done, on the thread of the feed.
  void Ask(ChangesRequest request);
  // Ends the wait; false if the pipeline does not wait here any more. See Engine::Cancel.
  bool Cancel(Pipeline* pipeline, Wakeup wakeup);
  [[nodiscard]] std::size_t waiting() const { return parked_.load(std::memory_order_relaxed); }

  // What the log says. `boards` as in Journal.
  void OnBatch(std::span<const std::uint64_t> boards, std::uint64_t number);
  void OnDurable(std::uint64_t number);

 private:
  // The names that a board had before each of its renames, from a place in the log on.
  struct Names {
    struct Rename {
      storage::FeedPlace place;  // of the batch
      std::size_t index;         // among the board's events in it
      std::string from;
    };
    explicit Names(std::uint64_t id, storage::FeedPlace begin_at)
        : board(id), begin(begin_at), through(begin_at) {}

    // The first rename behind the cursor, or the one right before it that took the name away:
    // ReadOn goes no further than that. Null if there is none.
    [[nodiscard]] const Rename* NextAfter(const FeedCursor& cursor, std::string_view name) const;

    std::uint64_t board;
    storage::FeedPlace begin;
    storage::FeedPlace through;
    std::deque<Rename> renames;
  };

  struct Reader {
    ChangesRequest asked;
    std::uint64_t end = 0;     // what was durable when he asked
    bool begun = false;        // `at` is set
    FeedCursor at;             // how far it has read
    storage::FeedPlace looks;  // for the ending of at.board, if that is not asked.board
    // Behind the ending, where it looks for how asked.board got the name.
    std::optional<storage::FeedPlace> follows;
    std::shared_ptr<Names> names;  // of at.board, if not every name is open
    std::uint64_t durable = 0;
    std::string events;  // replies
    std::size_t found = 0;
    bool gap = false;
    std::optional<Error> failed;
    bool parked = false;
    bool working = false;
    std::optional<Wakeup> cancelled;
  };
  using Readers = std::list<Reader>;

  enum class Step : std::uint8_t { kAgain, kDone, kPark };

  void Run();
  // A slice of work, without the mutex.
  Step Work(Reader* reader);
  Step Begin(Reader* reader);
  Step LookForEnding(Reader* reader);
  Step LookForBeginning(Reader* reader);
  Step ReadOn(Reader* reader, const Spec& spec);
  // Finds the renames of at.board through reader->durable; kDone once they are known.
  Step LookForNames(Reader* reader);
  // None while the client may see what follows `at`.
  std::optional<Step> PassHidden(Reader* reader);
  // Writes the events of a batch; why it went no further.
  enum class Taken : std::uint8_t {
    kAll,
    kFull,     // the page has no room for more
    kEnded,    // the board's time under the name asked for
    kRenamed,  // whether the client may be told what follows has to be looked at
  };
  static Result<Taken> Take(Reader* reader, const Spec& spec, const storage::FeedBatch& batch);
  Step Gap(Reader* reader, storage::FeedPlace restart);
  Step Fail(Reader* reader, const Error& error);
  [[nodiscard]] static bool Passes(const ChangesRequest& asked, const BoardEvent& event);

  // With the mutex.
  void Queue(Readers::iterator reader);
  void Park(Readers::iterator reader);
  void Unpark(Reader* reader);
  void Finish(Readers::iterator reader, std::unique_lock<std::mutex>& lock);
  static void Answer(Reader* reader);
  // At most once a second: how long until then.
  [[nodiscard]] std::int64_t MicrosToSync() const;
  void Sync(std::unique_lock<std::mutex>& lock);

  storage::Log* log_;
  const bool lazy_;                 // the log syncs when it likes: the feed sees to it
  storage::FeedReader log_reader_;  // the thread's
  // The thread's: boards whose time under a name is known to have ended, and what they were. One
  // may have the name again later, and lose it again.
  struct Ending {
    std::uint64_t number = 0;  // of the batch that says so
    Spec spec;
  };
  std::map<std::pair<std::uint64_t, std::string>, Ending> ends_;
  std::map<std::uint64_t, std::shared_ptr<Names>> names_;  // the thread's, by board

  std::atomic<std::size_t> parked_{0};
  std::atomic<std::uint64_t> wake_at_{UINT64_MAX};  // the first record that somebody waits for

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Readers readers_;
  std::unordered_map<const Pipeline*, Readers::iterator> by_pipeline_;
  std::deque<Readers::iterator> queue_;
  std::unordered_multimap<std::uint64_t, Readers::iterator> parked_by_board_;
  // Boards to wake when so much is durable.
  std::multimap<std::uint64_t, std::uint64_t> wakes_;
  std::unordered_set<std::uint64_t> awaking_;  // those boards: each is there once
  std::int64_t synced_at_us_ = 0;
  bool stop_ = false;

  std::thread thread_;
};

}  // namespace laurel::engine
