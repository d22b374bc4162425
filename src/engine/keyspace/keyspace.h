// The boards of an embedded engine as the commands see them: which names exist, and what follows
// from a change to one of them.
//
// Every change of a board goes through here, so that existence, expiry, watches, waiting clients
// and the log follow from the change itself and no command can forget them. What a change means is
// decided elsewhere: by leaderboard::Leaderboard, and for sorted sets by core.
//
// A leaderboard's declaration outlives its entries: while it is empty the name does not *exist*
// (EXISTS, TYPE, KEYS, …) but stays *declared*. A sorted set that loses its last entry is gone.
//
// `lb@day`, `lb@day:-1` and the like name instances of a leaderboard with periods. They are no
// keys: a name is taken apart once, by Resolve, into the key and a selector.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "calendar/zone_calendar.h"
#include "core/effects.h"
#include "engine/engine.h"
#include "engine/journal/journal.h"
#include "engine/keyspace/catalog.h"
#include "engine/keyspace/named_board.h"
#include "engine/keyspace/schedule.h"
#include "engine/keyspace/templates.h"
#include "engine/keyspace/watches.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "leaderboard/leaderboard.h"

namespace laurel::engine {

// Where the log stands: the records through `number` are in it. Kept with a closed instance.
struct LogPlace {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;

  [[nodiscard]] std::string ToNote() const;
  // Nothing if the note is none that ToNote wrote.
  static std::optional<LogPlace> FromNote(std::string_view note);
};

// NOBOARD for a name under which there is nothing.
Error NoSuchBoard(std::string_view name);

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

  // Finding -------------------------------------------------------------------------------------

  // The board of that name, declared and empty ones included; never an instance. One whose time has
  // come is expired first, or dropped if the end is its own.
  NamedBoard* Find(std::string_view name);
  // The same, and the instance where the name is that of one: `lb@day` if lb has periods.
  struct Place {
    NamedBoard* named = nullptr;
    std::optional<leaderboard::InstanceSelector> instance{};
  };
  Place Resolve(std::string_view name);
  // What reads see of a name: a board, an instance, or of a board with periods the first one's
  // present instance. No board: there is nothing of that name.
  struct View {
    NamedBoard* named = nullptr;
    const core::Board* board = nullptr;
    std::uint32_t number = 0;   // of the instance; 0: the board itself, or nobody has written
    std::uint64_t changes = 0;  // as Key::changed_at, of the instance where it is one
    std::optional<Instance> span{};
    std::optional<leaderboard::InstanceSelector> instance{};  // that the name has selected

    explicit operator bool() const { return board != nullptr; }
    [[nodiscard]] bool exists() const { return board != nullptr && board->entries().size() > 0; }
    // "lb" or "lb@day:2026-11-15".
    [[nodiscard]] std::string Name() const;
  };
  View Look(std::string_view name);
  // The same, counted as a hit or a miss for INFO.
  View LookForRead(std::string_view name);
  void CountReads(bool hit, std::uint64_t count) { (hit ? hits_ : misses_) += count; }
  // The board with periods that the name would be an instance of; null if there is none.
  [[nodiscard]] NamedBoard* PeriodBoardOf(std::string_view name);
  // The board that the name belongs to: `lb` for "lb@day" and the like if lb has periods, the name
  // itself otherwise. Changes nothing, so it may be asked during a Scan.
  [[nodiscard]] std::string_view OwnerOf(std::string_view name) const;
  [[nodiscard]] bool MayTouch(const Client& client, std::string_view name) const {
    return client.access.all() || client.access.Opens(OwnerOf(name));
  }
  // NOBOARD with the reason why there is no board of that name.
  [[nodiscard]] Error NoBoard(std::string_view name);
  // Null unless it exists for Redis' commands: has visible entries.
  NamedBoard* FindExisting(std::string_view name);

  // Making and ending ---------------------------------------------------------------------------

  // A new board under a free name: a leaderboard if a template matches, a sorted set otherwise. The
  // log does not know it until something is written to it; Withdraw takes it back if nothing is.
  Result<NamedBoard*> Create(std::string_view name);
  void Withdraw(NamedBoard* named);
  // Declares a leaderboard. An equal spec again is no error; another one is EXISTS.
  Result<NamedBoard*> Declare(std::string_view name, const Spec& spec);
  // A board under a name whose present board, if any, goes without trace.
  Result<NamedBoard*> Replace(std::string_view name, const Spec& spec);
  // Ends the declaration as well as the entries.
  void Drop(NamedBoard* named) { End(named, /*expired=*/false); }
  // DEL: takes all entries, ends a sorted set. False if there were none, hidden ones included.
  bool Delete(std::string_view name);
  // REQUIRES: `from` exists, has no periods, and `to` may have its spec (CheckName). A
  // leaderboard's own name stays declared.
  void Rename(NamedBoard* from, std::string_view to);
  // REQUIRES: as Rename, and the names differ.
  void Copy(const NamedBoard& from, std::string_view to);
  void Flush();

  // Writing -------------------------------------------------------------------------------------

  // Decides and carries out an operation on a leaderboard. `name`: for messages. True if it was
  // accepted. A fresh board that nothing is written to stays fresh.
  bool Execute(NamedBoard* named, const leaderboard::WriteOperation& operation,
               std::string_view name, Stamp stamp, leaderboard::Answer* answer,
               std::span<const leaderboard::Hint> hints = {});
  // The same on several boards, all or nothing: everything is decided before anything is done, and
  // all of it is in one batch of the log. An id is remembered by each board; REUSED if only some of
  // them know it. REQUIRES: no board comes twice.
  struct OnBoard {
    NamedBoard* named = nullptr;
    const leaderboard::WriteOperation* operation = nullptr;
    std::string_view name{};
    Stamp stamp = 0;
    leaderboard::Answer* answer = nullptr;
  };
  Status ExecuteAll(std::span<const OnBoard> operations);

  // Applies decided effects to a sorted set. The key may be gone afterwards, if it is empty.
  void Apply(NamedBoard* named, const core::EffectBatch& effects);
  // For effects that core has applied already, in batches: notes each as it was applied, and at the
  // end what has come of the key; `existed` is what exists() said before. False if it is gone now.
  void Note(NamedBoard* named, const core::EffectBatch& effects);
  bool Changed(NamedBoard* named, bool existed);
  // Where the effects of a leaderboard go that is written to by other means; null: nowhere. Then
  // Followed, with what was changed.
  leaderboard::EffectWriter* EffectsOf(NamedBoard* named);
  void Followed(NamedBoard* named, bool existed, const leaderboard::Summary& summary);
  // After a bulk load into a sorted set that was new.
  void Loaded(NamedBoard* named);

  // Time ----------------------------------------------------------------------------------------

  // 0: never. REQUIRES: the key exists.
  void SetExpiry(NamedBoard* named, std::int64_t at_ms);
  // Does what time does to up to `limit` names: they expire, end, close or drop instances, forget
  // ids. True if there may be more.
  bool ExpireDue(std::size_t limit);
  [[nodiscard]] bool IsExpired(const NamedBoard& named) const {
    return named.expires_at_ms != 0 && named.expires_at_ms <= now_ms_ && !frozen_;
  }
  // While nothing can be written to disk nothing expires.
  void SetFrozen(bool frozen) { frozen_ = frozen; }
  [[nodiscard]] bool frozen() const { return frozen_; }
  // Where the log stands, for closes to come.
  void SetLogPlace(LogPlace place) { log_place_ = place; }
  // Frees memory of dropped boards; true if there is more.
  bool Reclaim(std::size_t entries) { return catalog_.environment()->Reclaim(entries); }

  // Figures and parts ---------------------------------------------------------------------------

  // Names with entries, and all.
  [[nodiscard]] std::uint64_t existing() const { return existing_; }
  [[nodiscard]] std::uint64_t expiring() const { return expiring_; }
  [[nodiscard]] std::uint64_t expired() const { return expired_; }
  [[nodiscard]] std::uint64_t hits() const { return hits_; }
  [[nodiscard]] std::uint64_t misses() const { return misses_; }
  [[nodiscard]] std::size_t boards() const { return catalog_.size(); }
  // See NameTable::Scan.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, std::size_t count, const Visit& visit) const {
    return catalog_.Scan(cursor, count, visit);
  }
  [[nodiscard]] Journal& journal() { return journal_; }
  // For reading a log or snapshot into it, and for walking it. After a restore: Restored.
  [[nodiscard]] Catalog& catalog() { return catalog_; }
  void Restored();

  [[nodiscard]] Watches& watches() { return watches_; }
  void Watch(std::string_view name, Client* client);
  // Whether one of the watched names is not what it was, or not the client's to touch any more.
  // What is over goes first.
  [[nodiscard]] bool IsWatchBroken(Client* client);

  [[nodiscard]] const Templates& templates() const { return templates_; }
  void SetTemplate(Template declared);
  bool DeleteTemplate(std::string_view pattern);

 private:
  bool Commit(NamedBoard* named, leaderboard::Decision* decision, leaderboard::Answer* answer);
  // ERR if the name is that of an instance.
  Status CheckNoInstance(std::string_view name);
  Result<NamedBoard*> Make(std::string_view name, const Spec& spec);
  void End(NamedBoard* named, bool expired);
  // Notes a fresh board in the journal: something is written to it.
  void Announce(NamedBoard* named);
  // Takes the key out of the counts before it goes.
  void Discount(NamedBoard* named);
  // Breaks watches of the name, and of its instances that have changed or gone.
  void Touch(const NamedBoard& named, const leaderboard::Summary& summary);
  void TouchAll(const NamedBoard& named);
  void NoteReady(const NamedBoard& named, const leaderboard::Summary& summary);
  void CountExistence(NamedBoard* named, bool existed);
  [[nodiscard]] bool IsOver(const NamedBoard& named) const {
    return !frozen_ && named.leaderboard() != nullptr && named.leaderboard()->HasEnded(now_us_);
  }
  void Expire(NamedBoard* named);
  void ClearExpiry(NamedBoard* named);
  void ForgetExpiry(NamedBoard* named);
  // When the key has to be looked at.
  [[nodiscard]] Stamp DueOf(const NamedBoard& named) const;
  // Does what time does to the key, which is due. It may be gone afterwards.
  void RunDue(NamedBoard* named);
  // REQUIRES: a leaderboard.
  void Advance(NamedBoard* named);

  calendar::ZoneCalendars calendars_;
  Catalog catalog_;
  Journal journal_;
  Schedule schedule_;
  Watches watches_;
  Templates templates_;
  leaderboard::Decision decision_;
  leaderboard::Summary summary_;  // of the last one
  LogPlace log_place_;
  bool frozen_ = false;
  Stamp now_us_ = 0;
  std::int64_t now_ms_ = 0;
  std::uint64_t changes_ = 0;  // Key::changed_at
  std::uint64_t existing_ = 0;
  std::uint64_t expiring_ = 0;
  std::uint64_t expired_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

// The board that a write goes to, made for it where there was none. What was made goes again unless
// something was written: a refused write changes nothing.
class Target {
 public:
  Target(Keyspace* keys, NamedBoard* named) : keys_(keys), named_(named) {}
  ~Target() {
    if (named_ != nullptr && named_->fresh) keys_->Withdraw(named_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // The key may be gone after a write: then there is nothing to take back.
  void Release() { named_ = nullptr; }
  [[nodiscard]] NamedBoard* named() const { return named_; }

 private:
  Keyspace* keys_;
  NamedBoard* named_;
};

}  // namespace laurel::engine
