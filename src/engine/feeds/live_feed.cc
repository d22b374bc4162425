#include "engine/feeds/live_feed.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"
#include "core/reads.h"
#include "engine/keyspace/keyspace.h"
#include "engine/limits.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kNamesPerHold = 64;
constexpr std::size_t kMembersPerHold = 64;
constexpr std::size_t kBoardsPerWait = 64;  // boards read before the feed waits for the disk
constexpr std::size_t kCallsPerHold = 64;   // calls of OnReady per hold of calling_
constexpr std::int64_t kRest = 3;           // rest after a pass, in multiples of its work
constexpr std::int64_t kPauseAfterLooksUs = 800;
constexpr std::int64_t kPauseAfterCallsUs = 3200;  // 20,000 calls a second

Error Limit(std::string message) { return {ErrorCode::kLimit, std::move(message)}; }

// Whether `held` is not null and equals `entry`.
bool Holds(const std::shared_ptr<const Entry>& held, const Entry& entry) {
  return held != nullptr && *held == entry;
}

}  // namespace

// Readers ---------------------------------------------------------------------------------------

Status LiveFeed::Check(const LiveQuery& query) const {
  if (query.top > kMaxLiveTop) {
    return Limit("a live top has at most " + std::to_string(kMaxLiveTop) + " entries");
  }
  if (query.members.size() > kMaxLiveMembers) {
    return Limit("a live reader follows at most " + std::to_string(kMaxLiveMembers) + " members");
  }
  if (query.top == 0 && query.members.empty()) {
    return Error{ErrorCode::kErr, "a live reader follows a top or members"};
  }
  return Ok{};
}

Result<LiveHandle> LiveFeed::Subscribe(const LiveQuery& query, LiveReader* subscriber) {
  if (const Status checked = Check(query); !checked.ok()) return checked.error();
  bool opens = false;
  bool found = false;
  source_->UnderLock([&](Keyspace* keys) {
    opens = query.access.Opens(keys->OwnerOf(query.board));
    found = static_cast<bool>(keys->ViewOf(query.board));
  });
  if (!opens) return Error{ErrorCode::kNoPerm, "no access to " + base::Quote(query.board)};
  if (!found) return NoSuchBoard(query.board, *query.ways_out);

  const base::MutexLock lock(mutex_);
  if (stops_) return Error{ErrorCode::kErr, "the server is stopping"};
  if (readers_.size() >= kMaxLiveReaders) {
    return Limit("there are " + std::to_string(kMaxLiveReaders) + " live readers already");
  }
  if (followed_ + query.members.size() > kMaxLiveMembersOfAll) {
    return Limit("live readers follow at most " + std::to_string(kMaxLiveMembersOfAll) +
                 " members in all");
  }
  if (!thread_.joinable()) {
    Result<std::thread> started = base::StartThread([this] { Run(); });
    if (!started.ok()) return started.error();
    thread_ = std::move(*started);
  }
  auto reader = std::make_unique<Reader>();
  const LiveHandle handle = reader->handle = ++last_handle_;
  reader->subscriber = subscriber;
  Join(reader.get(), query);
  readers_.emplace(handle, std::move(reader));
  reader_count_.store(readers_.size(), std::memory_order_relaxed);
  for_thread_.NotifyOne();
  return handle;
}

void LiveFeed::Join(Reader* reader, const LiveQuery& query) {
  auto found = boards_.find(query.board);
  if (found == boards_.end()) {
    auto board = std::make_shared<Board>(query.board);
    found = boards_.emplace(board->name, board).first;
    boards_changed_ = true;
  }
  Board& board = *found->second;
  reader->board = found->second;
  reader->access = query.access;
  reader->top = query.top;
  reader->place = board.readers.size();
  board.readers.push_back(reader);
  ++board.tops[query.top];
  std::unordered_set<std::string_view> known;
  for (const std::string& member : query.members) {
    if (!known.insert(member).second) continue;
    auto followed = board.members.find(member);
    if (followed == board.members.end()) {
      auto made = std::make_shared<FollowedMember>(member);
      followed = board.members.emplace(made->member, made).first;
      ++board.member_changes;
    }
    followed->second->readers.push_back(reader);
    reader->members.push_back(followed->second);
  }
  followed_ += reader->members.size();
  reader->joined = ++board.joined;
}

void LiveFeed::Unsubscribe(LiveHandle handle) {
  const base::FairLockGuard calling(calling_);
  const base::MutexLock lock(mutex_);
  const auto found = readers_.find(handle);
  if (found == readers_.end()) return;
  Leave(found->second.get());
  readers_.erase(found);
  reader_count_.store(readers_.size(), std::memory_order_relaxed);
}

void LiveFeed::Leave(Reader* reader) {
  Board& board = *reader->board;
  board.readers[reader->place] = board.readers.back();
  board.readers[reader->place]->place = reader->place;
  board.readers.pop_back();
  const auto top = board.tops.find(reader->top);
  if (--top->second == 0) board.tops.erase(top);
  followed_ -= reader->members.size();
  for (const std::shared_ptr<FollowedMember>& followed : reader->members) {
    std::erase(followed->readers, reader);
    if (!followed->readers.empty()) continue;
    board.members.erase(followed->member);
    ++board.member_changes;
  }
  if (!board.readers.empty()) return;
  boards_.erase(board.name);
  boards_changed_ = true;
}

std::optional<LiveUpdate> LiveFeed::Take(LiveHandle handle) {
  const base::MutexLock lock(mutex_);
  const auto found = readers_.find(handle);
  if (found == readers_.end()) return std::nullopt;
  Reader& reader = *found->second;
  const Shown& shown = reader.board->shown;
  reader.told = false;
  if (!reader.ready || reader.version == shown.version) return std::nullopt;
  LiveUpdate update;
  update.whole = reader.version < shown.whole || reader.version == 0;
  if (!reader.access.Opens(shown.owner)) {  // the name means another board now
    reader.version = update.version = shown.version;
    reader.size = 0;
    update.gone = true;
    if (!update.whole) return std::nullopt;
    for (const auto& followed : reader.members)
      update.places.push_back({followed->member, nullptr});
    return update;
  }
  const auto is_news = [&](const Slot& slot) {
    return update.whole || slot.changed > reader.version;
  };
  update.top_size = std::min<std::uint64_t>(reader.top, shown.size);
  for (std::size_t i = 0; i < update.top_size; ++i) {
    if (is_news(shown.top[i])) update.top.push_back(shown.top[i].entry);
  }
  for (const std::shared_ptr<FollowedMember>& followed : reader.members) {
    if (is_news(followed->slot)) update.places.push_back({followed->member, followed->slot.entry});
  }
  const bool resized = reader.top > 0 && reader.size != shown.size;
  reader.version = shown.version;
  reader.size = shown.size;
  if (!update.whole && !resized && update.top.empty() && update.places.empty()) return std::nullopt;
  update.version = shown.version;
  update.gone = shown.gone;
  update.board = shown.name;
  update.spec = shown.spec;
  update.size = shown.size;
  return update;
}

// The thread ------------------------------------------------------------------------------------

void LiveFeed::OnDurable() {
  { const base::MutexLock lock(durable_mutex_); }
  durable_.NotifyOne();
}

void LiveFeed::Stop() {
  {
    const base::MutexLock lock(mutex_);
    stops_ = true;
  }
  for_thread_.NotifyOne();
  {
    const base::MutexLock lock(durable_mutex_);
    stops_waiting_ = true;
  }
  durable_.NotifyOne();
  if (thread_.joinable()) thread_.join();
}

bool LiveFeed::AwaitPublishable(std::uint64_t number) {
  const std::int64_t before_us = base::MonotonicMicros();
  const base::MutexLock lock(durable_mutex_);
  while (!stops_waiting_ && !source_->MayPublish(number)) durable_.Wait(durable_mutex_);
  waited_us_ += base::MonotonicMicros() - before_us;
  return !stops_waiting_;
}

void LiveFeed::Pause(std::int64_t micros) {
  const std::int64_t before_us = base::MonotonicMicros();
  const base::MutexLock lock(mutex_);
  while (!stops_ && for_thread_.WaitUntil(mutex_, before_us + micros)) continue;
  waited_us_ += base::MonotonicMicros() - before_us;
}

void LiveFeed::Run() {
  std::vector<std::shared_ptr<Board>> boards;
  std::int64_t next_us = 0;
  base::MutexLock lock(mutex_);
  for (;;) {
    if (boards_.empty()) boards.clear();
    while (!stops_ && boards_.empty()) for_thread_.Wait(mutex_);
    while (!stops_ && for_thread_.WaitUntil(mutex_, next_us)) continue;
    if (stops_) return;
    if (std::exchange(boards_changed_, false)) {
      boards.clear();
      for (const auto& [name, board] : boards_) boards.push_back(board);
    }
    lock.Unlock();
    const std::int64_t began_us = base::MonotonicMicros();
    const std::int64_t worked_us = Pass(boards);
    next_us = std::max(began_us + interval_us_, base::MonotonicMicros() + kRest * worked_us);
    lock.Lock();
  }
}

std::int64_t LiveFeed::Pass(const std::vector<std::shared_ptr<Board>>& boards) {
  const std::int64_t began_us = base::MonotonicMicros();
  waited_us_ = 0;
  const std::vector<std::shared_ptr<Board>> changed = FindChanged(boards);
  for (std::size_t start = 0; start < changed.size(); start += kBoardsPerWait) {
    std::vector<Read> reads;
    std::uint64_t number = 0;
    for (std::size_t i = start; i < std::min(start + kBoardsPerWait, changed.size()); ++i) {
      Read read;
      read.board = changed[i];
      const std::optional<std::uint64_t> depends_on = ReadBoard(&read);
      if (!depends_on) continue;
      number = std::max(number, *depends_on);
      reads.push_back(std::move(read));
    }
    if (!AwaitPublishable(number)) break;
    std::vector<LiveHandle> news;
    for (Read& read : reads) {
      Compare(&read);
      Publish(&read, &news);
    }
    Tell(news);
  }
  return base::MonotonicMicros() - began_us - waited_us_;
}

const core::Standings* LiveFeed::Find(Keyspace* keys, const std::string& name, Sight* sight,
                                      std::string* shown_name) {
  *sight = {};
  const Keyspace::View view = keys->ViewOf(name);
  if (!view) return nullptr;
  sight->found = true;
  sight->id = view.named->id;
  sight->instance = view.number;
  sight->changed_at = view.changes;
  if (view.span) sight->begin = view.span->begin;
  if (shown_name != nullptr) *shown_name = view.Name();
  return view.standings;
}

std::vector<std::shared_ptr<LiveFeed::Board>> LiveFeed::FindChanged(
    const std::vector<std::shared_ptr<Board>>& boards) {
  std::vector<std::shared_ptr<Board>> changed;
  for (std::size_t start = 0; start < boards.size(); start += kNamesPerHold) {
    const std::size_t count = std::min(kNamesPerHold, boards.size() - start);
    source_->UnderLock([&](Keyspace* keys) {
      for (const std::shared_ptr<Board>& board : std::span(boards).subspan(start, count)) {
        Sight sight;
        Find(keys, board->name, &sight, nullptr);
        if (board->joined != board->joined_seen || sight != board->seen) changed.push_back(board);
      }
    });
  }
  return changed;
}

// Determines what ReadBoard has to read, and which readers' requests it includes.
void LiveFeed::Plan(Read* read) {
  Board& board = *read->board;
  const base::MutexLock lock(mutex_);
  read->joined = board.joined;
  read->longest = board.tops.empty() ? 0 : board.tops.rbegin()->first;
  if (board.members_listed == board.member_changes) return;
  board.members_listed = board.member_changes;
  board.listed.clear();
  for (const auto& [member, followed] : board.members) board.listed.push_back(followed);
}

std::optional<std::uint64_t> LiveFeed::ReadBoard(Read* read) {
  Plan(read);
  Board& board = *read->board;
  read->places.reserve(board.listed.size());
  // Up to kMembersPerHold members are read in the same hold as the top, so at the same moment.
  const auto read_places = [&](const core::Standings& found) {
    const std::size_t start = read->places.size();
    const std::size_t count = std::min(kMembersPerHold, board.listed.size() - start);
    for (const auto& followed : std::span(board.listed).subspan(start, count)) {
      read->places.push_back(core::Get(found, followed->member, RankKind::kOrdinal));
    }
  };
  std::uint64_t number = source_->UnderLock([&](Keyspace* keys) {
    const core::Standings* found = Find(keys, board.name, &read->sight, &read->name);
    read->owner = keys->OwnerOf(board.name);
    if (found == nullptr) return;
    read->size = found->entries().size();
    if (!board.shown.spec || *board.shown.spec != found->spec()) read->spec = found->spec();
    read->top = core::Page(*found, 0, read->longest, RankKind::kOrdinal);
    read_places(*found);
  });
  if (!read->sight.found) read->places.resize(board.listed.size());
  bool same = true;
  while (same && read->places.size() < board.listed.size()) {
    Pause(kPauseAfterLooksUs);
    number = source_->UnderLock([&](Keyspace* keys) {
      Sight sight;
      const core::Standings* found = Find(keys, board.name, &sight, nullptr);
      same = sight.SameBoard(read->sight);
      if (same) read_places(*found);
    });
  }
  if (!same) return std::nullopt;  // `seen` is not updated, so the next pass reads the board again
  read->whole = board.shown.version == 0 || !read->sight.SameBoard(board.seen) ||
                (read->spec && board.shown.spec);
  board.seen = read->sight;
  board.joined_seen = read->joined;
  return number;
}

// Needs no mutex, since only this thread changes the published state.
void LiveFeed::Compare(Read* read) {
  const Shown& shown = read->board->shown;
  for (std::size_t i = 0; i < read->top.size(); ++i) {
    Entry& entry = read->top[i];
    if (!read->whole && i < shown.top.size() && Holds(shown.top[i].entry, entry)) continue;
    read->first_changed = std::min<std::uint64_t>(read->first_changed, i);
    read->top_changes.emplace_back(i, std::make_shared<const Entry>(std::move(entry)));
  }
  // The size of the board is shown with every top.
  if (read->size != shown.size) read->first_changed = 0;
  for (std::size_t i = 0; i < read->places.size(); ++i) {
    std::optional<Entry>& entry = read->places[i];
    const std::shared_ptr<const Entry>& held = read->board->listed[i]->slot.entry;
    const bool same = entry ? Holds(held, *entry) : held == nullptr;
    if (!read->whole && same) continue;
    read->place_changes.emplace_back(
        i, entry ? std::make_shared<const Entry>(std::move(*entry)) : nullptr);
  }
}

void LiveFeed::Publish(Read* read, std::vector<LiveHandle>* news) {
  Board& board = *read->board;
  const auto tell = [&](Reader* reader) {
    if (!reader->ready || reader->told) return;  // first: it is cheap, and most calls end here
    const bool is_first = reader->version == 0;
    if (!is_first && !read->whole && !reader->access.Opens(board.shown.owner)) return;
    reader->told = true;
    news->push_back(reader->handle);
  };
  const base::MutexLock lock(mutex_);
  Shown& shown = board.shown;
  shown.version = ++last_version_;
  if (read->whole) shown.whole = shown.version;
  shown.gone = !read->sight.found;
  shown.name = std::move(read->name);
  shown.owner = std::move(read->owner);
  if (shown.gone) shown.spec.reset();
  if (read->spec) shown.spec = std::make_shared<const Spec>(*std::move(read->spec));
  shown.size = read->size;
  shown.top.resize(read->top.size());
  for (auto& [i, entry] : read->top_changes) shown.top[i] = {std::move(entry), shown.version};
  for (auto& [i, entry] : read->place_changes) {
    FollowedMember& followed = *board.listed[i];
    followed.slot = {std::move(entry), shown.version};
    for (Reader* reader : followed.readers) tell(reader);
  }
  for (Reader* reader : board.readers) {
    const bool first = !reader->ready && reader->joined <= read->joined;
    if (first) reader->ready = true;
    if (first || read->whole || reader->top > read->first_changed) tell(reader);
  }
}

void LiveFeed::Tell(const std::vector<LiveHandle>& handles) {
  std::vector<LiveReader*> subscribers;
  for (std::size_t start = 0; start < handles.size(); start += kCallsPerHold) {
    const std::size_t count = std::min(kCallsPerHold, handles.size() - start);
    if (start > 0) Pause(kPauseAfterCallsUs);
    subscribers.clear();
    const base::FairLockGuard calling(calling_);
    {
      const base::MutexLock lock(mutex_);
      if (stops_) return;
      for (const LiveHandle handle : std::span(handles).subspan(start, count)) {
        const auto found = readers_.find(handle);
        // The reader may have unsubscribed, or taken the update already.
        if (found != readers_.end() && found->second->told)
          subscribers.push_back(found->second->subscriber);
      }
    }
    for (LiveReader* subscriber : subscribers) subscriber->OnReady();
  }
}

}  // namespace laurel::engine
