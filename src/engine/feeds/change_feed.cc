#include "engine/feeds/change_feed.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "calendar/zone_calendar.h"
#include "engine/keyspace/keyspace.h"
#include "leaderboard/event_shape.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kKnownEndings = 64;
constexpr std::size_t kKnownNames = 256;       // boards whose renames are cached
constexpr std::size_t kRenamesOfABoard = 256;  // events before the oldest are a gap
constexpr std::int64_t kLazySyncUs = 1'000'000;

// The position before a batch. If the batch has several records, this is before its last record,
// which means the same.
storage::FeedPosition Before(const storage::FeedBatch& batch) {
  return {batch.epoch, batch.number - 1};
}

storage::FeedPosition PlaceOf(const FeedCursor& cursor) { return {cursor.epoch, cursor.number}; }

// Moves the cursor to the place. `skipped` counts events in the batch after the place, so it stays
// valid only if the place is the same.
void MoveTo(storage::FeedPosition place, FeedCursor* cursor) {
  if (place.number != cursor->number) cursor->skipped = 0;
  cursor->epoch = place.epoch;
  cursor->number = place.number;
}

FeedCursor CursorAt(storage::FeedPosition place, std::uint64_t board) {
  return {place.epoch, place.number, 0, board};
}

// Bounds a page of the log. A batch holds at least one event. With a filter the number of batches
// that hold `events` events is not known.
storage::FeedLimits LimitsFor(const ChangesRequest& asked, std::size_t events) {
  storage::FeedLimits limits;
  limits.bytes = std::min(limits.bytes, asked.max_bytes);  // events are larger in a reply
  if (!asked.filter.period && !asked.filter.member)
    limits.batches = std::max<std::size_t>(events, 1);
  return limits;
}

}  // namespace

ChangeFeed::ChangeFeed(base::Folder* folder, storage::Log* log, storage::SyncMode sync)
    : log_(log),
      lazy_(sync == storage::SyncMode::kOff),
      log_reader_(folder, log, TagBatch, {.scheme = kTagScheme}) {
  thread_ = std::thread([this] { Run(); });
}

void ChangeFeed::Stop() {
  if (!thread_.joinable()) return;
  {
    const base::MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

// Asking and waiting ---------------------------------------------------------------------------

void ChangeFeed::Ask(ChangesRequest request) {
  const base::MutexLock lock(mutex_);
  readers_.emplace_back().asked = std::move(request);
  const auto reader = std::prev(readers_.end());
  reader->end = log_->durable();
  by_pipeline_.emplace(reader->asked.pipeline, reader);
  Queue(reader);
}

void ChangeFeed::Queue(Readers::iterator reader) {
  queue_.push_back(reader);
  changed_.NotifyOne();
}

bool ChangeFeed::Cancel(Pipeline* pipeline, Wakeup wakeup) {
  const base::MutexLock lock(mutex_);
  const auto found = by_pipeline_.find(pipeline);
  if (found == by_pipeline_.end()) return false;
  const Readers::iterator reader = found->second;
  if (wakeup == Wakeup::kTimeout) {
    if (!std::exchange(reader->asked.waits, false)) return false;
    if (reader->parked) {
      Unpark(&*reader);
      Finish(reader);
    }
    return true;
  }
  if (wakeup == Wakeup::kError && !reader->asked.waits) return false;
  reader->cancelled = wakeup;
  if (wakeup == Wakeup::kGone) by_pipeline_.erase(found);  // the pipeline is not used any more
  if (reader->working) return true;                        // Run checks `cancelled` afterwards
  if (reader->parked) {
    Unpark(&*reader);
  } else {
    std::erase(queue_, reader);
  }
  Finish(reader);
  return true;
}

// The reader has read through reader->durable. A batch appended since then may have come before the
// reader was parked, and so without a wake: then a wake is added here.
void ChangeFeed::Park(Readers::iterator reader) {
  reader->parked = true;
  parked_by_board_.emplace(reader->asked.board, reader);
  ++parked_;  // before appended() is read; see OnBatch
  const std::uint64_t appended = log_->appended();
  if (appended <= reader->durable) return;
  if (boards_to_wake_.insert(reader->asked.board).second)
    wakes_.emplace(appended, reader->asked.board);
  wake_at_ = wakes_.begin()->first;  // before Run reads durable(); see OnDurable
}

void ChangeFeed::Unpark(Reader* reader) {
  const auto [begin, end] = parked_by_board_.equal_range(reader->asked.board);
  const auto found =
      std::find_if(begin, end, [&](const auto& entry) { return &*entry.second == reader; });
  parked_by_board_.erase(found);
  reader->parked = false;
  --parked_;
}

void ChangeFeed::OnBatch(std::span<const std::uint64_t> boards, std::uint64_t number) {
  if (parked_ == 0) return;  // appended() has advanced before parked_ is read; see Park
  const base::MutexLock lock(mutex_);
  for (const std::uint64_t board : boards) {
    if (board != kEveryBoard && !parked_by_board_.contains(board)) continue;
    if (boards_to_wake_.insert(board).second) wakes_.emplace(number, board);
  }
  if (wakes_.empty()) return;
  wake_at_ = wakes_.begin()->first;
  // If the batch is durable already, OnDurable may have been called before wake_at_ was set.
  if (lazy_ || log_->durable() >= number) changed_.NotifyOne();
}

void ChangeFeed::OnDurable(std::uint64_t number) {
  // durable() has advanced before wake_at_ is read, and the other side sets wake_at_ before it
  // reads durable(). So either this call sees the wake, or the other side sees that the record is
  // durable.
  if (number < wake_at_) return;
  const base::MutexLock lock(mutex_);
  changed_.NotifyOne();
}

void ChangeFeed::WakeDue() {
  const std::uint64_t durable = log_->durable();
  while (!wakes_.empty() && wakes_.begin()->first <= durable) {
    const std::uint64_t board = wakes_.begin()->second;
    wakes_.erase(wakes_.begin());
    boards_to_wake_.erase(board);
    std::vector<Readers::iterator> woken;
    const bool all = board == kEveryBoard;
    const auto of_board = parked_by_board_.equal_range(board);
    const auto begin = all ? parked_by_board_.begin() : of_board.first;
    const auto end = all ? parked_by_board_.end() : of_board.second;
    for (auto at = begin; at != end; ++at) woken.push_back(at->second);
    for (const Readers::iterator reader : woken) {
      Unpark(&*reader);
      queue_.push_back(reader);
    }
  }
  wake_at_ = wakes_.empty() ? UINT64_MAX : wakes_.begin()->first;
}

void ChangeFeed::Run() {
  base::MutexLock lock(mutex_);
  while (!stop_) {
    WakeDue();
    if (queue_.empty()) {
      if (!lazy_ || wakes_.empty()) {
        changed_.Wait(mutex_);
      } else if (NextSyncMicros() > base::MonotonicMicros()) {
        (void)changed_.WaitUntil(mutex_, NextSyncMicros());
      } else {
        Sync();
      }
      continue;
    }
    const Readers::iterator reader = queue_.front();
    queue_.pop_front();
    reader->working = true;
    if (lazy_ && NextSyncMicros() <= base::MonotonicMicros()) Sync();
    if (reader->asked.waits || !reader->begun) reader->durable = log_->durable();
    lock.Unlock();
    const Step step = Work(&*reader);
    lock.Lock();
    reader->working = false;
    if (!reader->cancelled && step == Step::kAgain) {
      queue_.push_back(reader);
    } else if (!reader->cancelled && step == Step::kPark && reader->asked.waits) {
      Park(reader);
    } else {
      Finish(reader);
    }
  }
}

std::int64_t ChangeFeed::NextSyncMicros() const { return synced_at_us_ + kLazySyncUs; }

void ChangeFeed::Sync() {
  synced_at_us_ = base::MonotonicMicros();
  mutex_.Unlock();
  (void)log_->SyncThrough(log_->appended());  // if it fails, followers get no new events
  mutex_.Lock();
}

void ChangeFeed::Finish(Readers::iterator reader) {
  Pipeline* pipeline = nullptr;
  if (reader->cancelled != Wakeup::kGone) {
    pipeline = reader->asked.pipeline;
    Answer(&*reader);
    by_pipeline_.erase(pipeline);
  }
  readers_.erase(reader);
  if (pipeline == nullptr) return;
  mutex_.Unlock();
  pipeline->Done();
  mutex_.Lock();
}

void ChangeFeed::Answer(Reader* reader) {
  wire::Reply reply(&reader->asked.pipeline->replies, reader->asked.protocol, reader->asked.answer);
  if (reader->cancelled == Wakeup::kError) {
    return reply.Error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
  }
  if (reader->failed) {
    const bool is_of_board = reader->failed->code == ErrorCode::kNoBoard;
    return reply.Error(*reader->failed, is_of_board ? 1 : wire::kNoWord);
  }
  const wire::EventsEnd end{FormatCursor(reader->at), reader->found, reader->gap,
                            reader->full || reader->found == reader->asked.count};
  if (wire::Answer* to = reader->asked.answer) {
    return to->ShowEvents(std::move(reader->asked.events), end);
  }
  static_cast<wire::RespEvents&>(*reader->asked.events).Show(end, &reply);
}

// Reading --------------------------------------------------------------------------------------

ChangeFeed::Step ChangeFeed::Work(Reader* reader) {
  if (!reader->begun) {
    if (const Step begun = Begin(reader); begun != Step::kAgain) return begun;
  }
  if (reader->search) return FindLast(reader);
  if (reader->follows) return FindStartOfName(reader);
  const ChangesRequest& asked = reader->asked;
  if (reader->at.board == asked.board) return ReadOn(reader, asked.spec);
  const auto known = ends_.find({reader->at.board, asked.name});
  const bool ahead = known != ends_.end() && known->second.number > reader->at.number;
  return ahead ? ReadOn(reader, known->second.spec) : FindEndOfName(reader);
}

ChangeFeed::Step ChangeFeed::Begin(Reader* reader) {
  const ChangesRequest& asked = reader->asked;
  reader->begun = true;
  // The log does not show yet that the board had another name, which the client may not see.
  if (asked.renamed_at && !asked.access.all() && asked.renamed_at->number > reader->durable) {
    Gap(reader, *asked.renamed_at);
    return Step::kDone;
  }
  if (asked.from == ChangesRequest::From::kCursor) {
    reader->at = asked.cursor;
    // A cursor at position 0 has read no events, so it has no gap if this log still starts at
    // record 0, whatever the cursor's epoch.
    if (asked.cursor.number == 0 && asked.cursor.skipped == 0) {
      const Result<storage::FeedPosition> oldest = log_reader_.Oldest();
      if (oldest.ok() && oldest->number == 0) reader->at.epoch = oldest->epoch;
    }
    reader->looks = PlaceOf(reader->at);
    return Step::kAgain;
  }
  const Result<storage::FeedPosition> place = asked.from == ChangesRequest::From::kOldest
                                                  ? log_reader_.Oldest()
                                                  : log_reader_.End(reader->end);
  if (!place.ok()) return Fail(reader, place.error());
  reader->at = CursorAt(*place, asked.board);
  // A board that is created after the end of the durable log has no events before it.
  if (asked.from == ChangesRequest::From::kLast && asked.created_at <= reader->end) {
    reader->search = Search{reader->end, asked.last};
    reader->gap = true;  // until the search has found all
  }
  return Step::kAgain;
}

ChangeFeed::Step ChangeFeed::FindLast(Reader* reader) {
  const ChangesRequest& asked = reader->asked;
  Search& search = *reader->search;
  const std::uint64_t tags[] = {asked.board, kEveryBoard};
  const Result<storage::FeedBackPage> page =
      log_reader_.ReadBack(tags, search.through, reader->durable, LimitsFor(asked, search.missing));
  if (!page.ok()) return Fail(reader, page.error());
  bool goes_on = !page->at_start;
  for (const storage::FeedBatch& batch : page->batches) {
    const Result<bool> searched = SearchBatch(reader, batch);
    if (!searched.ok()) return Fail(reader, searched.error());
    goes_on = goes_on && *searched;
    if (!*searched) break;
  }
  search.through = page->next;
  if (!goes_on) reader->search.reset();
  return Step::kAgain;
}

Result<bool> ChangeFeed::SearchBatch(Reader* reader, const storage::FeedBatch& batch) {
  const ChangesRequest& asked = reader->asked;
  std::size_t passing = 0;
  bool is_first = false;  // the board was created in this batch
  bool is_gap = false;
  Status visited =
      VisitEvents(asked.board, batch.payload, [&](std::size_t, const BoardEvent& event) {
        passing += asked.filter.Passes(event) ? 1 : 0;
        is_first = is_first || event.IsFirst();
        is_gap = event.cause == BoardEvent::Cause::kRenamed &&
                 (event.name == asked.name || !asked.access.Opens(event.name));
        return !is_gap;
      });
  if (!visited.ok()) return visited.error();
  // A gap ends after the batch with the rename, as in a forward read.
  if (is_gap) return false;
  std::size_t& missing = reader->search->missing;
  if (passing > 0) {
    reader->at = CursorAt(Before(batch), asked.board);
    if (passing > missing) {
      std::size_t left_out = passing - missing;
      visited =
          VisitEvents(asked.board, batch.payload, [&](std::size_t i, const BoardEvent& event) {
            reader->at.skipped = i + 1;
            left_out -= asked.filter.Passes(event) ? 1 : 0;
            return left_out > 0;
          });
      if (!visited.ok()) return visited.error();
    }
    missing -= std::min(passing, missing);
  }
  if (missing > 0 && !is_first) return true;
  reader->gap = false;
  return false;
}

// The cursor's board is not the one that has the name now. Searches the log for the event that
// ended its time under the name, which proves that it had the name and contains its spec. If there
// is no such event, the answer is a gap.
ChangeFeed::Step ChangeFeed::FindEndOfName(Reader* reader) {
  const ChangesRequest& asked = reader->asked;
  const std::uint64_t board = reader->at.board;
  const std::uint64_t tags[] = {board, kEveryBoard};
  if (reader->looks.number < reader->at.number) reader->looks = PlaceOf(reader->at);
  const Result<storage::FeedPage> page = log_reader_.Read(tags, reader->looks, reader->durable);
  if (!page.ok()) return Fail(reader, page.error());
  for (const storage::FeedBatch& batch : page->batches) {
    bool found = false;
    const Status read =
        VisitEvents(board, batch.payload, [&](std::size_t, const BoardEvent& event) {
          found = event.Ends(asked.name);
          if (!found) return true;
          if (ends_.size() >= kKnownEndings) ends_.clear();
          ends_.insert_or_assign({board, asked.name}, Ending{batch.number, *event.spec});
          return false;
        });
    if (!read.ok()) return Fail(reader, read.error());
    if (found) return Step::kAgain;
  }
  reader->looks = page->next;
  if (page->state != storage::FeedPage::State::kGap && !page->at_end) return Step::kAgain;
  const Result<storage::FeedPosition> oldest = log_reader_.Oldest();
  if (!oldest.ok()) return Fail(reader, oldest.error());
  return Gap(reader, *oldest);
}

// The time of at.board under the name has ended, and its events are read. Searches for how
// asked.board got the name. If it was created since, reading continues with its first event. If it
// was renamed to the name, or is at.board itself come back, its events under the other name are not
// shown, so the answer is a gap. `at` does not move until this is known.
ChangeFeed::Step ChangeFeed::FindStartOfName(Reader* reader) {
  const ChangesRequest& asked = reader->asked;
  const std::uint64_t tags[] = {asked.board, kEveryBoard};
  const Result<storage::FeedPage> page = log_reader_.Read(tags, *reader->follows, reader->durable);
  if (!page.ok()) return Fail(reader, page.error());
  for (const storage::FeedBatch& batch : page->batches) {
    // If asked.board is at.board, it was created before, perhaps in the very batch in which it lost
    // the name; that creation does not count.
    bool is_new = false;
    bool has_come = false;
    const Status read =
        VisitEvents(asked.board, batch.payload, [&](std::size_t i, const BoardEvent& event) {
          is_new = is_new || (i == 0 && event.IsFirst() && reader->at.board != asked.board);
          if (event.cause == BoardEvent::Cause::kRenamed) has_come = event.new_name == asked.name;
          return !is_new;
        });
    if (!read.ok()) return Fail(reader, read.error());
    if (is_new) {
      reader->follows.reset();
      reader->at = CursorAt(Before(batch), asked.board);
      return Step::kAgain;
    }
    if (!has_come) continue;
    return reader->found > 0 ? Step::kDone : Gap(reader, {batch.epoch, batch.number});
  }
  if (page->state == storage::FeedPage::State::kGap) {
    return reader->found > 0 ? Step::kDone : Gap(reader, page->next);
  }
  reader->follows = page->next;
  if (!page->at_end) return Step::kAgain;
  return reader->found > 0 ? Step::kDone : Step::kPark;
}

const ChangeFeed::Names::Rename* ChangeFeed::Names::NextAfter(const FeedCursor& cursor,
                                                              std::string_view name) const {
  for (const Rename& rename : renames) {
    if (rename.place.number <= cursor.number) continue;
    const bool seen = rename.place.number == cursor.number + 1 && rename.index < cursor.skipped;
    if (!seen || rename.from == name) return &rename;
  }
  return nullptr;
}

ChangeFeed::Step ChangeFeed::FindRenames(Reader* reader) {
  const std::uint64_t board = reader->at.board;
  if (!reader->names || reader->names->board != board) {
    std::shared_ptr<Names>& known = names_[board];
    if (!known || known->begin.number > reader->at.number) {
      known = std::make_shared<Names>(board, PlaceOf(reader->at));
    }
    reader->names = known;
    if (names_.size() > kKnownNames) names_.erase(names_.begin());
  }
  Names& names = *reader->names;
  if (names.through.number >= reader->durable) return Step::kDone;  // another reader was here
  const std::uint64_t tags[] = {board, kEveryBoard};
  const Result<storage::FeedPage> page = log_reader_.Read(tags, names.through, reader->durable);
  if (!page.ok()) return Fail(reader, page.error());
  for (const storage::FeedBatch& batch : page->batches) {
    const storage::FeedPosition place{batch.epoch, batch.number};
    const Status read =
        VisitEvents(board, batch.payload, [&](std::size_t i, const BoardEvent& event) {
          if (event.cause != BoardEvent::Cause::kRenamed) return true;
          names.renames.push_back({place, i, std::string(event.name)});
          return true;
        });
    if (!read.ok()) return Fail(reader, read.error());
  }
  names.through = page->next;
  if (page->state == storage::FeedPage::State::kGap) {
    names.begin = page->next;
    names.renames.clear();
    return Step::kAgain;
  }
  while (names.renames.size() > kRenamesOfABoard) {
    names.begin = names.renames.front().place;
    names.renames.pop_front();
  }
  return page->at_end ? Step::kDone : Step::kAgain;
}

std::optional<ChangeFeed::Step> ChangeFeed::CheckNamesOpen(Reader* reader) {
  const Access& access = reader->asked.access;
  if (access.all()) return std::nullopt;
  if (const Step looked = FindRenames(reader); looked != Step::kDone) return looked;
  if (reader->failed) return Step::kDone;
  const Names& names = *reader->names;
  const Names::Rename* next = names.NextAfter(reader->at, reader->asked.name);
  const bool unknown = reader->at.number < names.begin.number;
  if (!unknown && (next == nullptr || access.Opens(next->from))) return std::nullopt;
  return reader->found > 0 ? Step::kDone : Gap(reader, unknown ? names.begin : next->place);
}

ChangeFeed::Step ChangeFeed::ReadOn(Reader* reader, const Spec& spec) {
  if (const std::optional<Step> passed = CheckNamesOpen(reader)) return *passed;
  const ChangesRequest& asked = reader->asked;
  const std::uint64_t board = reader->at.board;
  const std::uint64_t tags[] = {board, kEveryBoard};
  const Result<storage::FeedPage> page =
      log_reader_.Read(tags, PlaceOf(reader->at), reader->durable, LimitsFor(asked, asked.count));
  if (!page.ok()) return Fail(reader, page.error());
  for (const storage::FeedBatch& batch : page->batches) {
    const Result<Taken> taken = Take(reader, spec, batch);
    if (!taken.ok()) return Fail(reader, taken.error());
    if (*taken == Taken::kFull) {
      reader->full = true;
      return Step::kDone;
    }
    if (*taken == Taken::kRenamed) return Step::kAgain;
    if (*taken == Taken::kLoaded) {
      // The event itself has been shown; the entries that it stands for are a gap.
      return reader->found > 0 ? Step::kDone : Gap(reader, {batch.epoch, batch.number});
    }
    if (*taken == Taken::kEnded) {
      if (asked.board == 0 && reader->found == 0) {
        return Fail(reader, NoSuchBoard(asked.name, wire::WaysOutOf(asked.answer)));
      }
      if (asked.board == 0) return Step::kDone;
      // The next board of the name may have got it in the same batch.
      reader->follows = Before(batch);
      return Step::kAgain;
    }
    reader->at = CursorAt({batch.epoch, batch.number}, board);
  }
  switch (page->state) {
    case storage::FeedPage::State::kGap:
      return reader->found > 0 ? Step::kDone : Gap(reader, page->next);
    case storage::FeedPage::State::kMore:
      MoveTo(page->next, &reader->at);
      return Step::kAgain;
    case storage::FeedPage::State::kRead:
      break;
  }
  MoveTo(page->next, &reader->at);
  // A full page does not look for the event after it: with a filter that may be far.
  if (!page->at_end && reader->found < asked.count) return Step::kAgain;
  return reader->found > 0 ? Step::kDone : Step::kPark;
}

Result<ChangeFeed::Taken> ChangeFeed::Take(Reader* reader, const Spec& spec,
                                           const storage::FeedBatch& batch) {
  const ChangesRequest& asked = reader->asked;
  const calendar::ZoneCalendars calendars;
  leaderboard::EventShape<wire::Values> writer(asked.name, spec, calendars,
                                               &asked.events->values());
  FeedCursor cursor = CursorAt(Before(batch), reader->at.board);
  const std::uint64_t skipped = reader->at.skipped;
  Taken taken = Taken::kAll;
  const auto take = [&](std::size_t i, const BoardEvent& event) {
    // The last events (-n) are shown across a load, as they are across its other effects.
    const bool loads =
        event.cause == BoardEvent::Cause::kLoaded && asked.from != ChangesRequest::From::kLast;
    if (i + 1 == skipped && loads) taken = Taken::kLoaded;
    if (i >= skipped && asked.filter.Passes(event)) {
      if (reader->found == asked.count || asked.events->size() >= asked.max_bytes) {
        taken = Taken::kFull;
        return false;
      }
      cursor.skipped = i + 1;
      const std::string text = FormatCursor(cursor);
      asked.events->Begin(text, leaderboard::CauseName(event.cause));
      if (event.new_name.data() == nullptr || asked.access.Opens(event.new_name)) {
        writer.Write(event, text);
      } else {
        BoardEvent shown = event;
        shown.new_name = {};
        writer.Write(shown, text);
      }
      ++reader->found;
      reader->at = cursor;
    }
    // Events of the board under another name are not shown under this one.
    if (event.Ends(asked.name)) {
      taken = Taken::kEnded;
    } else if (i >= skipped && event.cause == BoardEvent::Cause::kRenamed && !asked.access.all()) {
      taken = Taken::kRenamed;
    } else if (i >= skipped && loads) {
      taken = Taken::kLoaded;
    }
    return taken == Taken::kAll;
  };
  const Status visited = VisitEvents(cursor.board, batch.payload, take);
  if (!visited.ok()) return visited.error();
  return taken;
}

ChangeFeed::Step ChangeFeed::Gap(Reader* reader, storage::FeedPosition restart) {
  if (reader->asked.board == 0) {
    return Fail(reader, NoSuchBoard(reader->asked.name, wire::WaysOutOf(reader->asked.answer)));
  }
  reader->gap = true;
  reader->at = CursorAt(restart, reader->asked.board);
  // The log through reader->durable may be gone: then reading continues after it.
  reader->durable = std::max(reader->durable, restart.number);
  reader->follows.reset();
  return reader->asked.from == ChangesRequest::From::kLast ? Step::kAgain : Step::kDone;
}

ChangeFeed::Step ChangeFeed::Fail(Reader* reader, const Error& error) {
  reader->failed = error;
  if (error.code == ErrorCode::kErr) {  // an error of the disk, which may name files
    reader->failed->message = reader->asked.access.Shown(error.message);
  }
  return Step::kDone;
}

}  // namespace laurel::engine
