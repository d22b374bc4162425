// LB.CHANGES: serves the events of a board to followers, from the log.
//
// A thread of its own reads the log, outside the engine's lock. It serves each request a slice at a
// time, in rotation, so that a follower that has much to catch up with does not delay the others. A
// request that has read everything and may wait (BLOCK) is parked under the board's id. A batch
// about the board wakes it once the batch is durable.
//
// A deadline ends the wait, not the reading: a request that is not parked yet reads on, and is
// answered with what it finds. So every answer has a cursor from which the client can continue. A
// request that does not wait, or no longer waits, reads through the records that were durable when
// it began, or last waited: it ends even if the board is written faster than it reads.
//
// A cursor names a board by id. That board may have been dropped or renamed, and another board may
// have the name now. The follower then gets the events of the cursor's board, up to and including
// the event that ended its time under the name, and after that the events of the present board. If
// the present board existed before under another name, the follower gets a gap instead of its
// earlier events. The ending event contains the name, and the feed looks for it before it shows any
// event. So a cursor with a foreign id gives no access to a board that never had the name.
//
// A client whose token has a pattern gets no events from a time in which the board had a name that
// the pattern does not match: such a time is a gap.
//
// The last n events (-n) are found by a search back through the log. It only places the cursor: the
// events are then read forward from there, by the same rules. The search ends early at the start of
// the log that is kept, at lost batches, and where the board was renamed away from this name or
// from a name that the client's pattern does not match. Then the reply says that a gap precedes its
// events.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
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
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/engine.h"
#include "engine/feed_cursor.h"
#include "engine/feeds/board_events.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "storage/feed_reader.h"
#include "storage/log.h"
#include "wire/command_answer.h"
#include "wire/leaderboard_words.h"
#include "wire/reply.h"

namespace laurel::engine {

inline constexpr std::size_t kMaxPageBytes = std::size_t{4} << 20;  // of the events of one reply

// The arguments of one LB.CHANGES.
struct ChangesRequest {
  Pipeline* pipeline = nullptr;
  wire::Protocol protocol = wire::Protocol::kResp2;
  wire::Answer* answer = nullptr;        // null: the reply is RESP
  std::unique_ptr<wire::Events> events;  // for that answer, or wire::RespEvents
  Access access;
  std::string name;         // the board's own name, not an instance name
  std::uint64_t board = 0;  // id of the board that has the name now; 0 if there is none
  Spec spec;                // of that board
  // Set if the board has the name by a rename that is not durable yet: the record of the rename.
  std::optional<storage::FeedPosition> renamed_at;
  // The record that creates the board, if it may not be durable yet; otherwise 0.
  std::uint64_t created_at = 0;
  using From = wire::ChangesArguments::From;
  From from = From::kOldest;
  std::size_t last = 0;  // kLast: how many of the last events
  FeedCursor cursor;     // kCursor
  std::size_t count = 100;
  std::size_t max_bytes = kMaxPageBytes;  // the page ends with the event that reaches this size
  bool waits = false;                     // BLOCK was given, and its time is not over
  leaderboard::EventFilter filter;
};

class ChangeFeed {
 public:
  // `folder` and `log` must outlive the feed.
  ChangeFeed(base::Folder* folder, storage::Log* log, storage::SyncMode sync);
  ~ChangeFeed() { Stop(); }
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

  // Ends the thread. The log is not read after this. No request may be pending or follow.
  void Stop();

  // Adds a request. The feed's thread answers it and calls Pipeline::Done.
  void Ask(ChangesRequest request);
  // Ends the wait of a request, as Engine::Cancel. Returns false if the pipeline has no request
  // here.
  bool Cancel(Pipeline* pipeline, Wakeup wakeup);
  [[nodiscard]] std::size_t waiting() const { return parked_.load(std::memory_order_relaxed); }

  // The batch `number` about these boards (see Journal::boards) was appended to the log.
  void OnBatch(std::span<const std::uint64_t> boards, std::uint64_t number);
  // The records through `number` are durable.
  void OnDurable(std::uint64_t number);

 private:
  // The renames of a board between two positions in the log.
  struct Names {
    struct Rename {
      storage::FeedPosition place;  // after the batch with the rename
      std::size_t index;            // of the rename among the board's events in the batch
      std::string from;             // the name before
    };
    explicit Names(std::uint64_t id, storage::FeedPosition begin_at)
        : board(id), begin(begin_at), through(begin_at) {}

    // Returns the first rename after the cursor; null if there is none. A rename away from `name`
    // just before the cursor, in the same batch, counts too, because ReadOn does not read beyond
    // it.
    [[nodiscard]] const Rename* NextAfter(const FeedCursor& cursor, std::string_view name) const;

    std::uint64_t board;
    storage::FeedPosition begin;    // renames up to here are not known
    storage::FeedPosition through;  // the log was searched up to here
    std::deque<Rename> renames;
  };

  // The search for the last events.
  struct Search {
    std::uint64_t through = 0;  // the log after this record was searched
    std::size_t missing = 0;    // events that are still to be found
  };

  // A request that is being served or is parked.
  struct Reader {
    ChangesRequest asked;
    std::uint64_t end = 0;         // the last durable record when the request came
    bool begun = false;            // `at` is set
    FeedCursor at;                 // read up to here; during a search: before the events found
    std::optional<Search> search;  // set while a search runs
    storage::FeedPosition looks;   // searched up to here for the ending of at.board
    // Set after the ending of at.board: searched up to here for how asked.board got the name.
    std::optional<storage::FeedPosition> follows;
    std::shared_ptr<Names> names;     // of at.board; used if the client's access is restricted
    std::uint64_t durable = 0;        // reads through this record
    std::size_t found = 0;            // number of events
    bool full = false;                // the page has no room for the next event
    bool gap = false;                 // the reply reports a gap before its events
    std::optional<Error> failed;      // the reply is this error
    bool parked = false;              // it is in parked_by_board_
    bool working = false;             // the thread works on it, without the mutex
    std::optional<Wakeup> cancelled;  // set by Cancel: kError or kGone
  };
  using Readers = std::list<Reader>;

  // A reader goes on after a slice with the next one or with the answer. If it has read everything
  // and found nothing, it waits, provided that it may.
  enum class Step : std::uint8_t { kAgain, kDone, kPark };

  // On the feed's thread, without the mutex.
  void Run();
  // Does one slice of work for a reader.
  Step Work(Reader* reader);
  // Sets the position where the reader begins.
  Step Begin(Reader* reader);
  // Searches a part of the log for the last events.
  Step FindLast(Reader* reader);
  // Moves the cursor back to the events of a batch that are asked for. Returns whether the search
  // continues before the batch.
  static Result<bool> SearchBatch(Reader* reader, const storage::FeedBatch& batch);
  // See the definitions.
  Step FindEndOfName(Reader* reader);
  Step FindStartOfName(Reader* reader);
  // Reads the next events of at.board, whose spec is `spec`.
  Step ReadOn(Reader* reader, const Spec& spec);
  // Finds the renames of at.board through reader->durable. Returns kDone when they are known, or
  // with reader->failed set.
  Step FindRenames(Reader* reader);
  // Returns none if the client may see what follows `at`. Otherwise returns the next step, which
  // may be a gap.
  std::optional<Step> CheckNamesOpen(Reader* reader);
  // Adds the events of a batch to the reply. Returns why it stopped.
  enum class Taken : std::uint8_t {
    kAll,      // all events are taken
    kFull,     // the page has no room for more
    kEnded,    // the board's time under the name asked for has ended
    kRenamed,  // the client's access has to be checked again for what follows
    kLoaded,   // the board was loaded: the event is shown, and a gap follows it
  };
  static Result<Taken> Take(Reader* reader, const Spec& spec, const storage::FeedBatch& batch);
  // Answers with a gap and a cursor at `restart`; NOBOARD if no board has the name now. A reader of
  // the last events continues after the gap instead.
  Step Gap(Reader* reader, storage::FeedPosition restart);
  // Answers with an error.
  Step Fail(Reader* reader, const Error& error);

  void Queue(Readers::iterator reader) LAUREL_REQUIRES(mutex_);
  void Park(Readers::iterator reader) LAUREL_REQUIRES(mutex_);
  void Unpark(Reader* reader) LAUREL_REQUIRES(mutex_);
  // Queues the parked readers whose batches are durable.
  void WakeDue() LAUREL_REQUIRES(mutex_);
  // Answers the request and removes the reader. Releases the mutex while it calls Pipeline::Done.
  void Finish(Readers::iterator reader) LAUREL_REQUIRES(mutex_);
  static void Answer(Reader* reader);
  // The earliest time at which the feed may sync the log again: a second after the last sync.
  [[nodiscard]] std::int64_t NextSyncMicros() const LAUREL_REQUIRES(mutex_);
  // Syncs the log, with the mutex released.
  void Sync() LAUREL_REQUIRES(mutex_);

  storage::Log* log_;
  const bool lazy_;  // fsync off: the log does not sync regularly by itself, so the feed syncs it

  // Used by the feed's thread only.
  storage::FeedReader log_reader_;
  // A cache of endings, by board id and name. A board may get the name again and lose it again; the
  // ending found last is kept.
  struct Ending {
    std::uint64_t number = 0;  // of the batch with the ending
    Spec spec;                 // of the board
  };
  std::map<std::pair<std::uint64_t, std::string>, Ending> ends_;
  std::map<std::uint64_t, std::shared_ptr<Names>> names_;  // a cache, by board id

  std::atomic<std::size_t> parked_{0};              // number of parked readers
  std::atomic<std::uint64_t> wake_at_{UINT64_MAX};  // the first key of wakes_

  base::Mutex mutex_;
  base::CondVar changed_;
  // While Reader::working is set, only the feed's thread accesses the reader, without the mutex;
  // Reader::cancelled and Reader::asked.waits are set and read with it.
  Readers readers_ LAUREL_GUARDED_BY(mutex_);
  std::unordered_map<const Pipeline*, Readers::iterator> by_pipeline_ LAUREL_GUARDED_BY(mutex_);
  std::deque<Readers::iterator> queue_ LAUREL_GUARDED_BY(mutex_);
  std::unordered_multimap<std::uint64_t, Readers::iterator> parked_by_board_
      LAUREL_GUARDED_BY(mutex_);
  // Boards whose readers are to be woken, by the record that must be durable first.
  std::multimap<std::uint64_t, std::uint64_t> wakes_ LAUREL_GUARDED_BY(mutex_);
  // The boards in wakes_, so that each is there once.
  std::unordered_set<std::uint64_t> boards_to_wake_ LAUREL_GUARDED_BY(mutex_);
  std::int64_t synced_at_us_ LAUREL_GUARDED_BY(mutex_) = 0;
  bool stop_ LAUREL_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace laurel::engine
