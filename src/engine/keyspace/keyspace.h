// The boards of an embedded engine by name, as the commands see them.
//
// Every change of a board goes through this class. It updates existence, expiry, watches, blocked
// pops and the log for each change, so no command can forget one of them. The change itself is
// decided elsewhere: by leaderboard::Leaderboard, and for sorted sets by core.
//
// A leaderboard's declaration outlives its entries: while the board is empty, the name does not
// *exist* (EXISTS, TYPE, KEYS, …) but stays *declared*. A sorted set that loses its last entry is
// dropped.
//
// `lb@day`, `lb@day:-1` and similar names are instances of a leaderboard with periods. They have no
// NamedBoard of their own: Resolve splits such a name into the board and an instance selector.
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
#include "leaderboard/load.h"
#include "wire/error_texts.h"

namespace laurel::engine {

// A position in the log: after record `number`. Stored with a closed instance as its close note.
struct LogPosition {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;

  [[nodiscard]] std::string ToNote() const;
  // Returns none if ToNote did not write the note.
  static std::optional<LogPosition> FromNote(std::string_view note);
};

// NOBOARD for a name under which there is nothing.
Error NoSuchBoard(std::string_view name, const wire::WaysOut& ways);

class Keyspace {
 public:
  Keyspace(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
           const core::Shape& shape = core::Shape());

  // Sets the time at which the following commands are executed.
  void SetNow(Stamp now_us) {
    now_us_ = now_us;
    now_ms_ = now_us / 1000;
  }
  [[nodiscard]] Stamp now() const { return now_us_; }
  [[nodiscard]] std::int64_t now_ms() const { return now_ms_; }

  // Finding -------------------------------------------------------------------------------------

  // Returns the board of that name, also if it is declared and empty; null if there is none. Never
  // resolves an instance name. If Redis' EXPIRE of the board has passed, its entries are removed
  // first, and a sorted set is dropped; a leaderboard whose own end has passed is dropped.
  NamedBoard* Find(std::string_view name);
  // As Find, and resolves instance names: for `lb@day`, if lb has periods, returns lb and the
  // selector of the instance.
  struct Resolved {
    NamedBoard* named = nullptr;
    std::optional<leaderboard::InstanceSelector> instance{};
  };
  Resolved Resolve(std::string_view name);
  // What a read of a name sees: a board or an instance. The bare name of a board with periods shows
  // the current instance of its first period. `board` is null if nothing has that name.
  struct View {
    NamedBoard* named = nullptr;
    const core::Standings* standings = nullptr;
    std::uint32_t number = 0;   // of the instance; 0: the board itself, or an unwritten instance
    std::uint64_t changes = 0;  // as NamedBoard::changed_at; of the instance, if it is one
    std::optional<Instance> span{};
    std::optional<leaderboard::InstanceSelector> instance{};  // set if the name selects an instance

    explicit operator bool() const { return standings != nullptr; }
    [[nodiscard]] bool exists() const {
      return standings != nullptr && standings->entries().size() > 0;
    }
    // "lb" or "lb@day:2026-11-15".
    [[nodiscard]] std::string Name() const;
  };
  View ViewOf(std::string_view name);
  // As Look, and counts a hit or a miss for INFO.
  View ViewForRead(std::string_view name);
  void CountReads(bool hit, std::uint64_t count) { (hit ? hits_ : misses_) += count; }
  // If the name has the form "lb@…" and lb is a board with periods, returns lb; otherwise null.
  [[nodiscard]] NamedBoard* PeriodBoardOf(std::string_view name);
  // Returns the name of the board that `name` belongs to: `lb` for "lb@…" if lb has periods, the
  // name itself otherwise. Unlike Find it expires nothing, so it may be called during a Scan.
  [[nodiscard]] std::string_view OwnerOf(std::string_view name) const;
  [[nodiscard]] bool MayTouch(const Client& client, std::string_view name) const {
    return client.access.all() || client.access.Opens(OwnerOf(name));
  }
  // NOBOARD with the reason why there is no board of that name.
  [[nodiscard]] Error NoBoard(std::string_view name, const wire::WaysOut& ways);
  // As Resolve, but returns null unless the board or instance has visible entries, which means that
  // the name exists for Redis' commands.
  NamedBoard* FindExisting(std::string_view name);

  // Making and ending ---------------------------------------------------------------------------

  // Creates a fresh board under a free name: a leaderboard if a template matches, a sorted set
  // otherwise. The log records it with the first write; Withdraw removes it if there is none.
  Result<NamedBoard*> Create(std::string_view name);
  void Withdraw(NamedBoard* named);
  // Declares a leaderboard. Returns the present one if its spec is equal, EXISTS if it is not.
  Result<NamedBoard*> Declare(std::string_view name, const Spec& spec);
  // Drops the present board of that name, if any, with its declaration, and creates a new one.
  Result<NamedBoard*> Replace(std::string_view name, const Spec& spec);
  // Drops the entries and the declaration.
  void Drop(NamedBoard* named) { End(named, /*expired=*/false); }
  // DEL: removes all entries and drops a sorted set. Returns false if there were no entries,
  // neither visible nor hidden.
  bool Delete(std::string_view name);
  // Gives the board another name and drops the board that had it. The old name of a leaderboard
  // stays declared, with an empty board. REQUIRES: `from` exists and has no periods, and `to` is
  // valid for its spec (CheckName).
  void Rename(NamedBoard* from, std::string_view to);
  // Replaces the board at `to` by a copy. REQUIRES: as Rename, and the names differ.
  void Copy(const NamedBoard& from, std::string_view to);
  // Loading a board in chunks (LB.LOAD). The board is on disk as others are, but no client can name
  // it until the commit. A restart drops it, and so does kLoadLifeMicros without a chunk. Every
  // step may be repeated: the client chooses `id` and numbers the chunks. Steps of a load that is
  // not there are NOBOARD.
  //
  // Begins a load. Does nothing if it has begun, has no chunk yet, and has that spec. LIMIT if
  // there are kMaxLoads.
  Status BeginLoad(std::string_view name, std::string_view id, const Spec& spec);
  // Adds chunk `number`, from 1 on. Does nothing if that chunk was added before. A chunk that is
  // refused after part of it was applied ends the load.
  Status LoadChunk(std::string_view name, std::string_view id, std::uint64_t number,
                   std::string_view chunk);
  // Gives the board its name, and drops the board that has it if `replace`; otherwise EXISTS. A
  // commit that is repeated soon answers as the first one did.
  Result<leaderboard::LoadFigures> CommitLoad(std::string_view name, std::string_view id,
                                              bool replace);
  Status AbortLoad(std::string_view name, std::string_view id);
  // FLUSHALL: drops all boards. Templates stay.
  void Flush();

  // Writing -------------------------------------------------------------------------------------

  // Decides an operation and carries it out. `name` is used in messages. Returns whether the
  // operation was accepted. If it changes nothing, a fresh board stays fresh. If a sorted set is
  // empty afterwards, it is dropped and `named` is invalid.
  bool Execute(NamedBoard* named, const leaderboard::WriteOperation& operation,
               std::string_view name, Stamp stamp, leaderboard::Answer* answer,
               std::span<const leaderboard::Hint> hints = {});
  // Executes one operation on each of several boards, all or nothing: decides all of them before it
  // carries out the first. All effects are in one log batch. Each board remembers the request id;
  // REUSED if only some of the boards have it. REQUIRES: no board occurs twice.
  struct BoardOperation {
    NamedBoard* named = nullptr;
    const leaderboard::WriteOperation* operation = nullptr;
    std::string_view name{};
    Stamp stamp = 0;
    leaderboard::Answer* answer = nullptr;
  };
  Status ExecuteAll(std::span<const BoardOperation> operations);

  // For writes that do not go through Execute. EffectsOf returns the writer for their effects; null
  // if there is no log. Call AfterChange afterwards with what was changed. `existed`: exists()
  // before the first change. AfterChange returns false if it has dropped an empty sorted set.
  leaderboard::EffectWriter* EffectsOf(NamedBoard* named);
  bool AfterChange(NamedBoard* named, bool existed, const leaderboard::Summary& summary);
  // Replaces the board of that name, if any, by a new one that takes the entries of `filled`, which
  // has the same layout. REQUIRES: CheckName and CheckSpec are ok; no periods.
  NamedBoard* ReplaceByEntries(std::string_view name, const Spec& spec, core::Standings* filled);

  // Time ----------------------------------------------------------------------------------------

  // Sets when Redis' EXPIRE removes the entries; 0: never. REQUIRES: the board exists().
  void SetExpiry(NamedBoard* named, std::int64_t at_ms);
  // Does the work that is due by now on up to `limit` boards: expires and drops boards, turns
  // calendars, closes and drops instances, forgets request ids. A leaderboard counts as several
  // boards. Returns true if more may be due.
  bool RunDueWork(std::size_t limit);
  [[nodiscard]] bool IsExpired(const NamedBoard& named) const {
    return named.expires_at_ms != 0 && named.expires_at_ms <= now_ms_ && !frozen_;
  }
  // While frozen, nothing expires, ends or closes, because the log cannot take the effects.
  void SetFrozen(bool frozen) { frozen_ = frozen; }
  [[nodiscard]] bool frozen() const { return frozen_; }
  // Sets the end of the log, which is stored with instances that are closed from now on.
  void SetLogPosition(LogPosition place) { log_position_ = place; }
  // Frees memory of about `entries` dropped entries. Returns true if there is more to free.
  bool Reclaim(std::size_t entries) { return catalog_.environment()->Reclaim(entries); }

  // Figures and components ----------------------------------------------------------------------

  // Number of boards with visible entries; boards() counts all but those being loaded.
  [[nodiscard]] std::uint64_t existing() const { return existing_; }
  [[nodiscard]] std::uint64_t expiring() const { return expiring_; }
  // Counts the boards that a client with this access may use: see Figures::Boards.
  [[nodiscard]] std::optional<Figures::Boards> CountBoards(const Access& access) const;
  // How many boards CountBoards looks at.
  [[nodiscard]] std::uint64_t BoardsToCount(const Access& access) const;
  [[nodiscard]] std::uint64_t expired() const { return expired_; }
  [[nodiscard]] std::uint64_t hits() const { return hits_; }
  [[nodiscard]] std::uint64_t misses() const { return misses_; }
  [[nodiscard]] std::size_t boards() const { return catalog_.size() - loads_.size(); }
  [[nodiscard]] const core::Totals& totals() const { return catalog_.totals(); }
  // See NameTable::Scan.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, std::size_t count, const Visit& visit) const {
    return catalog_.Scan(cursor, count, visit);
  }
  [[nodiscard]] Journal& journal() { return journal_; }
  // For restoring a log or snapshot into it, and for walking it. Call Restored after a restore: it
  // drops the loads that were not committed. That is not logged: the next restore drops them again.
  [[nodiscard]] Catalog& catalog() { return catalog_; }
  void Restored();

  [[nodiscard]] Watches& watches() { return watches_; }
  void Watch(std::string_view name, Client* client);
  // Whether a watched name has changed, means another instance now, or is no longer open to the
  // client. Expires watched boards that are due first.
  [[nodiscard]] bool IsWatchBroken(Client* client);

  [[nodiscard]] const Templates& templates() const { return templates_; }
  // Work beside the entries that a read returns, in steps of about a microsecond, since the last
  // call: templates that were tried, instances that were looked for, patterns that were matched.
  [[nodiscard]] std::uint64_t TakeSteps() {
    return std::exchange(steps_, 0) + templates_.TakeTried();
  }
  void NoteSteps(std::uint64_t steps) { steps_ += steps; }
  void SetTemplate(Template declared);
  bool DeleteTemplate(std::string_view pattern);

 private:
  struct Load {
    std::string id;
    NamedBoard* board = nullptr;
    leaderboard::LoadProgress progress{};
    Stamp used_at = 0;
  };
  struct CommittedLoad {
    std::string id;
    std::string name;
    leaderboard::LoadFigures figures{};
  };

  // Null if there is no such load under that name.
  Load* FindLoad(std::string_view name, std::string_view id);
  void DropLoad(Load* load);
  void DropOldLoads();
  bool Commit(NamedBoard* named, leaderboard::Decision* decision, leaderboard::Answer* answer);
  // Returns ERR if the name is an instance of a board with periods.
  Status CheckNoInstance(std::string_view name);
  Result<NamedBoard*> Make(std::string_view name, const Spec& spec);
  void End(NamedBoard* named, bool expired);
  // Writes the creation of a fresh board to the journal; called before its first effect.
  void LogCreation(NamedBoard* named);
  // Removes the board from the counts and the schedule, before it is dropped.
  void Uncount(NamedBoard* named);
  // Breaks the watches of the board, and of its instances that have changed or were dropped.
  void Touch(const NamedBoard& named, const leaderboard::Summary& summary);
  void TouchAll(const NamedBoard& named);
  void NoteReady(const NamedBoard& named, const leaderboard::Summary& summary);
  [[nodiscard]] bool IsOver(const NamedBoard& named) const {
    return !frozen_ && named.board.HasExpired(now_us_);
  }
  void Expire(NamedBoard* named);
  void ClearExpiry(NamedBoard* named);
  void ForgetExpiry(NamedBoard* named);
  // When work on the board is due next; INT64_MAX: never.
  [[nodiscard]] Stamp DueOf(const NamedBoard& named) const;
  [[nodiscard]] static Stamp ExpiryOf(const NamedBoard& named);
  // Does the due work of one board. The board may be dropped afterwards.
  void RunDue(NamedBoard* named);
  void Advance(NamedBoard* named);

  calendar::ZoneCalendars calendars_;
  Catalog catalog_;
  Journal journal_;
  Schedule schedule_;
  Watches watches_;
  Templates templates_;
  std::vector<Load> loads_;
  std::deque<CommittedLoad> committed_loads_;  // the last kMaxLoads of them
  leaderboard::Decision decision_;
  leaderboard::Summary summary_;  // of the last Commit
  LogPosition log_position_;
  bool frozen_ = false;
  Stamp now_us_ = 0;
  std::int64_t now_ms_ = 0;
  std::uint64_t changes_ = 0;  // the last NamedBoard::changed_at given
  std::uint64_t existing_ = 0;
  std::uint64_t expiring_ = 0;
  std::uint64_t expired_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t steps_ = 0;
};

// The board that a write goes to. If the board was created for this write and is still fresh at the
// end, the destructor withdraws it, so a refused write leaves no board.
class FreshBoardGuard {
 public:
  FreshBoardGuard(Keyspace* keys, NamedBoard* named) : keys_(keys), named_(named) {}
  ~FreshBoardGuard() {
    if (named_ != nullptr && named_->fresh) keys_->Withdraw(named_);
  }
  FreshBoardGuard(const FreshBoardGuard&) = delete;
  FreshBoardGuard& operator=(const FreshBoardGuard&) = delete;

 private:
  Keyspace* keys_;
  NamedBoard* named_;
};

}  // namespace laurel::engine
