// The boards of an embedded engine as the commands see them: which names exist, when they expire,
// who watches them, what a new name becomes.
//
// Every change of a board goes through here, so that existence, expiry, watches, waiting clients
// and the log follow from the change itself and no command can forget them.
//
// A leaderboard's declaration outlives its entries: while it is empty the name does not *exist*
// (EXISTS, TYPE, KEYS, …) but stays *declared*. A sorted set that loses its last entry is gone.
//
// A leaderboard with periods exists if one of its instances has entries. An instance comes to be
// with its first write; it is closed when its time and the board's GRACE are over, and goes when
// KEEP later ones have followed it (keyspace_periods.cc).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calendar/zone_calendar.h"
#include "core/catalog.h"
#include "core/effects.h"
#include "engine/embedded/journal.h"
#include "engine/engine.h"
#include "laurel/entry.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::engine {

using Key = core::NamedBoard;

// Where the log stands: the records through `number` are in it.
struct LogPlace {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
};

// What the keyspace keeps with a board that has periods.
struct PeriodState : Key::HostState {
  explicit PeriodState(const calendar::ZoneCalendar& when) : calendar(when) {}

  // The instance of each period that was asked for last, mostly the present one.
  struct Known {
    Instance span{Period::kAll, 0, 0, ""};
    Key* key = nullptr;  // null: nobody has written to it
  };

  calendar::ZoneCalendar calendar;
  std::array<Known, kPeriods> known;                   // in the order of Spec::periods
  std::uint64_t nonempty = 0;                          // instances with visible entries
  core::Catalog::Detached nobody{nullptr, {nullptr}};  // stands for instances that are not there
};

// What new names that match a pattern become.
struct Template {
  std::string pattern;
  Spec spec;
  bool configured = false;  // by the command line or the configuration file: said at every start
};

class Keyspace {
 public:
  Keyspace(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
           const core::Shape& shape = core::Shape());

  // The time of the commands that follow.
  void SetNow(Stamp now_us) {
    now_us_ = now_us;
    now_ms_ = now_us / 1000;
  }
  [[nodiscard]] Stamp now() const { return now_us_; }
  [[nodiscard]] std::int64_t now_ms() const { return now_ms_; }

  // The board of that name, declared and empty ones included. One whose time has come is expired
  // first, or dropped if the end is its own. "lb@day" and the like are instances; one that is kept
  // and has no entries yet is an empty board, which no write must be applied to.
  Key* Find(std::string_view name);
  // What reads see of it: of a board with periods the first one's present instance.
  Key* FindShown(std::string_view name);
  // The same, counted as a hit or a miss for INFO.
  Key* FindForRead(std::string_view name);
  // The board with periods that the name would be an instance of; null if there is none.
  [[nodiscard]] Key* ParentOf(std::string_view name);
  // The board that the name belongs to: `lb` for "lb@day" and the like if lb has periods, the name
  // itself otherwise. Changes nothing, so it may be asked during a Scan.
  [[nodiscard]] std::string_view OwnerOf(std::string_view name) const;
  [[nodiscard]] bool MayTouch(const Client& client, std::string_view name) const {
    return client.access.all() || client.access.Opens(OwnerOf(name));
  }
  void CountReads(const Key* key, std::uint64_t count);
  // Null unless it exists for Redis' commands: has visible entries.
  Key* FindExisting(std::string_view name);
  [[nodiscard]] static bool Exists(const Key& key) {
    return key.board.entries().size() > 0 || (key.parent && StateOf(key).nonempty > 0);
  }
  // Which do not make it exist.
  [[nodiscard]] static bool HasHiddenEntries(const Key& key);
  [[nodiscard]] static bool IsLeaderboard(const Key& key) {
    return key.board.spec().kind == BoardKind::kLeaderboard;
  }

  // A new board under a free name: a leaderboard if a template matches, a sorted set otherwise.
  // Callers go through Target, which takes it back if nothing is written.
  Result<Key*> Create(std::string_view name);
  // The template that names the kind of a new board; null if it becomes a sorted set.
  [[nodiscard]] const Template* TemplateFor(std::string_view name) const;

  // Declares a leaderboard. See core::Catalog::Create.
  Result<Key*> Declare(std::string_view name, const Spec& spec);
  // A board under a name whose present board, if any, goes without trace.
  Result<Key*> Replace(std::string_view name, const Spec& spec);
  // Ends the declaration as well as the entries. False if there is no such board.
  bool Drop(std::string_view name);

  // Applies decided effects. The key may be gone afterwards: a sorted set without entries.
  void Apply(Key* key, const core::EffectBatch& effects);
  // For effects that core has applied already, in batches: notes each as it was applied, and at the
  // end what has come of the key; `existed` is what Exists said before. False if it is gone now.
  void Note(Key* key, const core::EffectBatch& effects);
  bool Changed(Key* key, bool existed);
  // A request has been carried out on the board: a retry of it is to be found out. The oldest ones
  // beyond the board's bounds are forgotten.
  void Remember(Key* key, std::string_view id, std::uint64_t arguments,
                std::span<const Verdict> verdicts);
  // Those whose time is over as well. Returns how many were forgotten, at most `most`: the rest, if
  // a lower DEDUP has made it much, at the next call.
  std::size_t ForgetOldRequests(Key* key, std::size_t most = kForgottenAtOnce);
  // The same on so many boards, others with each call, at most `most` of all: what nobody writes to
  // goes too.
  void ForgetSomeRequests(std::size_t boards, std::size_t most);
  // After a bulk load into a board that was new.
  void Loaded(Key* key);

  // Periods. A write goes to the instance that Open gives for each of them.

  [[nodiscard]] static PeriodState& StateOf(const Key& key) {
    return static_cast<PeriodState&>(*key.host);
  }
  // The boards that hold the entries: the instances, or the board itself.
  [[nodiscard]] static std::vector<Key*> PartsOf(Key* key);
  // The instance of the i-th period that takes a write at `at`, or now; made for it where there is
  // none. CLOSED if it takes none any more.
  Result<Key*> Open(Key* key, std::size_t i, std::optional<Stamp> at);
  // Takes back an instance that nothing was written to.
  void Withdraw(Key* instance);
  // The instance of the i-th period that the board is in.
  const PeriodState::Known& Present(Key* key, std::size_t i);
  // All entries of one instance.
  void ClearInstance(Key* instance);
  // Where the log stands, for what says so later.
  void SetLogPlace(LogPlace place) { log_place_ = place; }

  // DEL: takes all entries, ends a sorted set. False if there were none, hidden ones included.
  bool Delete(std::string_view name);
  // REQUIRES: `from` exists, and `to` may have its spec (core::CheckName). A leaderboard's own name
  // stays declared.
  void Rename(Key* from, std::string_view to);
  // REQUIRES: as Rename, and the names differ.
  void Copy(const Key& from, std::string_view to);
  void Flush();

  // Whether the board goes some time after its last write.
  [[nodiscard]] static bool GoesAfterWrites(const Key& key) {
    return key.board.spec().expire_us != 0 && !key.board.spec().end;
  }
  // Such a board has accepted one.
  static void NoteWritten(Key* key, Stamp at) {
    if (!GoesAfterWrites(*key)) return;
    if (!key->ending) key->ending = std::make_unique<Key::Ending>();
    key->ending->written_at = at;
  }
  // It was altered: when it was written to does not matter any more, if so.
  static void ForgetWritten(Key* key) {
    if (!GoesAfterWrites(*key) && key->ending) key->ending->written_at = 0;
  }
  // Such a board, or one of its instances, has accepted a write now, which may have changed
  // nothing.
  void NoteAccepted(Key* key);

  // 0: never. REQUIRES: the key exists.
  void SetExpiry(Key* key, std::int64_t at_ms);
  // Expires up to `limit` names whose time has come, drops as many boards whose own end has, and
  // closes and drops instances; true if there may be more.
  bool ExpireDue(std::size_t limit);
  // Frees memory of dropped boards; true if there is more.
  bool Reclaim(std::size_t entries) { return catalog_.Reclaim(entries); }

  // Names with entries, and all.
  [[nodiscard]] std::uint64_t existing() const { return existing_; }
  [[nodiscard]] std::uint64_t expiring() const { return expiries_.size(); }
  [[nodiscard]] std::uint64_t expired() const { return expired_; }
  [[nodiscard]] std::uint64_t hits() const { return hits_; }
  [[nodiscard]] std::uint64_t misses() const { return misses_; }
  [[nodiscard]] std::size_t boards() const { return catalog_.size(); }
  // See core::NameTable::Scan.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, std::size_t count, const Visit& visit) const {
    return catalog_.Scan(cursor, count, visit);
  }
  [[nodiscard]] bool IsExpired(const Key& key) const {
    return key.expires_at_ms != 0 && key.expires_at_ms <= now_ms_ && !frozen_;
  }
  // While nothing can be written to disk nothing expires.
  void SetFrozen(bool frozen) { frozen_ = frozen; }
  [[nodiscard]] bool frozen() const { return frozen_; }

  [[nodiscard]] Journal& journal() { return journal_; }
  // For reading a log or snapshot into it, and for walking it. After a restore: Restored.
  [[nodiscard]] core::Catalog& catalog() { return catalog_; }
  [[nodiscard]] Status Restored();

  void Watch(std::string_view name, Client* client);
  // Whether one of the watched names is not what it was, or not the client's to touch any more.
  // What is over goes first.
  [[nodiscard]] bool IsWatchBroken(Client* client);
  void Unwatch(Client* client);

  // Names that got entries since the last call, for those who wait for them. Only names that
  // somebody waits for (Await) are noted.
  void Await(std::string_view name, int change);
  [[nodiscard]] bool HasAwaited() const { return !awaited_.empty(); }
  [[nodiscard]] bool IsAwaited(std::string_view name) const {
    return awaited_.find(name) != awaited_.end();
  }
  std::vector<std::string> TakeReady();

  // By precedence: the longest pattern first, then bytes.
  [[nodiscard]] const std::vector<Template>& templates() const { return templates_; }
  void SetTemplate(Template declared);
  bool DeleteTemplate(std::string_view pattern);

 private:
  static constexpr std::size_t kForgottenAtOnce = 100'000;

  void Touch(std::string_view name);
  // The key has changed: it, and the board it is an instance of.
  void Touch(const Key& key);
  // The board goes, with its instances.
  void TouchAll(const Key& key);
  // The key has entries, which somebody may wait for.
  void NoteReady(const Key& key);
  Key* FindNamed(std::string_view name);
  // By what follows the '@'; null if there is no such instance, or it is not kept.
  Key* FindInstance(Key* key, std::string_view text);
  [[nodiscard]] static Key* FindInstance(const Key& key, const Instance& span);
  // For a board that is to be made: a calendar, if it has periods.
  [[nodiscard]] static Result<std::unique_ptr<PeriodState>> MakeState(const Spec& spec);
  // Notes a fresh board in the journal: something is written to it.
  void Announce(Key* key);
  Result<Key*> Make(std::string_view name, const Spec& spec);
  void End(Key* key, bool expired);
  // The board's calendar: the clock, but never before its last turn.
  [[nodiscard]] Stamp CalendarOf(const Key& key) const {
    return std::max(now_us_, key.parent->turned_at);
  }
  PeriodState::Known& Know(Key* key, std::size_t i, Stamp time);
  void Unknow(const Key* instance);
  void RaiseTurn(Key* key, Stamp at);
  // The instance that takes the last place among those kept, at this time.
  [[nodiscard]] Stamp OldestKept(const Key& key, Period period, Stamp time, Stamp* turn);
  // True if it was closed or dropped.
  bool LookAfter(Key* instance);
  void Close(Key* instance);
  void DropInstance(Key* instance);
  void AddExisting(const Key& key, int change);
  void Expire(Key* key);
  // When a leaderboard goes by its own EXPIRE; INT64_MAX: never.
  [[nodiscard]] static Stamp EndsAt(const Key& key);
  [[nodiscard]] bool IsOver(const Key& key) const {
    return key.ending && EndsAt(key) <= now_us_ && !frozen_;
  }
  // The board's end is to be looked after from now on: it is new, or was altered.
  void WatchEnd(Key* key);
  void ForgetEnd(Key* key);
  // Takes the key out of the counts before it goes, is emptied or replaced: what says so to the log
  // says that its expiry is over too.
  void Discount(Key* key);
  void ClearExpiry(Key* key);
  // Of a board with periods that may have lost its last entry, hidden ones included.
  void SettleExpiry(Key* key);
  void ForgetExpiry(Key* key);
  bool RemoveTemplate(std::string_view pattern);

  core::Catalog catalog_;
  Journal journal_;
  LogPlace log_place_;
  bool frozen_ = false;
  Stamp now_us_ = 0;
  std::int64_t now_ms_ = 0;
  std::uint64_t changes_ = 0;  // Key::changed_at
  std::uint64_t existing_ = 0;
  std::uint64_t expired_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::set<std::pair<std::int64_t, Key*>> expiries_;
  // By Ending::look_at. A write moves a board's end, not its place here.
  std::set<std::pair<Stamp, Key*>> ends_;
  std::set<std::pair<Stamp, Key*>> dues_;  // instances by Part::due
  // The oldest instance that is kept, for each way of counting: counting back is long.
  using KeepRule = std::tuple<std::string, int, Period, std::uint64_t, Stamp>;
  std::map<KeepRule, Stamp> oldest_kept_;  // by the begin of the present one
  std::unordered_map<std::string, std::vector<Client*>> watchers_;
  std::map<std::string, int, std::less<>> awaited_;  // with the number of those who wait
  std::vector<std::string> ready_;
  std::vector<Template> templates_;
  std::string outcome_;             // of the request that is being remembered
  std::uint64_t forgets_next_ = 0;  // where ForgetSomeRequests goes on
};

// The board that a write goes to, made for it where there was none; or, of a board with periods,
// the instances that it goes to. What was made goes again unless the write is kept: a refused write
// changes nothing.
class Target {
 public:
  Target(Keyspace* keys, Key* key, bool fresh)
      : keys_(keys), key_(key), fresh_(fresh), has_periods_(key->parent != nullptr) {
    if (has_periods_) return;
    boards_[0] = key;
    count_ = 1;
  }
  ~Target() {
    for (std::size_t i = 0; has_periods_ && i < count_; ++i) {
      if (boards_[i]->fresh) keys_->Withdraw(boards_[i]);
    }
    if (fresh_) keys_->Drop(key_->name);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] Key* key() const { return key_; }
  [[nodiscard]] core::Board& board() const { return key_->board; }

  // Of a board with periods: finds the instances for a write at `at`, or now. CLOSED if one of them
  // takes no more.
  Status Open(std::optional<Stamp> at);
  // Where the entries go, the first period's first.
  [[nodiscard]] std::span<Key* const> boards() const { return std::span(boards_).first(count_); }

  // Applies the effects; without any the target is not kept. The key may be gone afterwards.
  void Apply(Key* board, const core::EffectBatch& effects) {
    if (effects.empty()) return;
    fresh_ = false;
    keys_->Apply(board, effects);
  }
  // The board stays even if nothing was written.
  void Keep() { fresh_ = false; }
  // After entries were written by other means; see Keyspace::Changed.
  void Changed(bool existed) {
    fresh_ = false;
    keys_->Changed(key_, existed);
  }

 private:
  Keyspace* keys_;
  Key* key_;
  bool fresh_;
  bool has_periods_;
  std::array<Key*, kPeriods> boards_{};
  std::size_t count_ = 0;
};

}  // namespace laurel::engine
