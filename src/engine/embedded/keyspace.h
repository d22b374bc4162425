// The boards of an embedded engine as the commands see them: which names exist, when they expire,
// who watches them, what a new name becomes.
//
// Every change of a board goes through here, so that existence, expiry, watches, waiting clients
// and the log follow from the change itself and no command can forget them.
//
// A leaderboard's declaration outlives its entries: while it is empty the name does not *exist*
// (EXISTS, TYPE, KEYS, …) but stays *declared*. A sorted set that loses its last entry is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/catalog.h"
#include "core/effects.h"
#include "engine/embedded/journal.h"
#include "engine/engine.h"
#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::engine {

using Key = core::NamedBoard;

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
  [[nodiscard]] std::int64_t now_ms() const { return now_ms_; }

  // The board of that name, declared and empty ones included. One whose time has come is expired
  // first, or dropped if the end is its own.
  Key* Find(std::string_view name);
  // The same, counted as a hit or a miss for INFO.
  Key* FindForRead(std::string_view name);
  void CountReads(const Key* key, std::uint64_t count);
  // Null unless it exists for Redis' commands: has visible entries.
  Key* FindExisting(std::string_view name);
  [[nodiscard]] static bool Exists(const Key& key) { return key.board.entries().size() > 0; }
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
  void Remember(Key* key, std::string_view id, std::uint64_t arguments, std::string_view outcome);
  // Those whose time is over as well.
  void ForgetOldRequests(Key* key);
  // After a bulk load into a board that was new.
  void Loaded(Key* key);

  // DEL: takes all entries, ends a sorted set. False if it did not exist.
  bool Delete(std::string_view name);
  // REQUIRES: `from` exists, and `to` may have its spec (core::CheckName). A leaderboard's own name
  // stays declared.
  void Rename(Key* from, std::string_view to);
  // REQUIRES: as Rename, and the names differ.
  void Copy(const Key& from, std::string_view to);
  void Flush();

  // A board that goes some time after its last write has accepted one.
  static void NoteWritten(Key* key, Stamp at) {
    const Spec& spec = key->board.spec();
    if (spec.expire_us == 0 || spec.end) return;
    if (!key->ending) key->ending = std::make_unique<Key::Ending>();
    key->ending->written_at = at;
  }

  // 0: never. REQUIRES: the key exists.
  void SetExpiry(Key* key, std::int64_t at_ms);
  // Expires up to `limit` names whose time has come, and drops as many boards whose own end has;
  // true if there may be more.
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

  [[nodiscard]] Journal& journal() { return journal_; }
  // For reading a log or snapshot into it, and for walking it. After a restore: Restored.
  [[nodiscard]] core::Catalog& catalog() { return catalog_; }
  void Restored();

  void Watch(std::string_view name, Client* client);
  void Unwatch(Client* client);

  // Names that got entries since the last call, for those who wait for them. Only names that
  // somebody waits for (Await) are noted.
  void Await(std::string_view name, int change);
  [[nodiscard]] bool HasAwaited() const { return !awaited_.empty(); }
  [[nodiscard]] bool IsAwaited(std::string_view name) const {
    return awaited_.find(std::string(name)) != awaited_.end();
  }
  std::vector<std::string> TakeReady();

  // By precedence: the longest pattern first, then bytes.
  [[nodiscard]] const std::vector<Template>& templates() const { return templates_; }
  void SetTemplate(Template declared);
  bool DeleteTemplate(std::string_view pattern);

 private:
  void Touch(std::string_view name);
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
  void ForgetExpiry(Key* key);
  bool RemoveTemplate(std::string_view pattern);

  core::Catalog catalog_;
  Journal journal_;
  Key* fresh_ = nullptr;  // made for a write that may not happen: not in the journal yet
  bool frozen_ = false;
  Stamp now_us_ = 0;
  std::int64_t now_ms_ = 0;
  std::uint64_t existing_ = 0;
  std::uint64_t expired_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::set<std::pair<std::int64_t, Key*>> expiries_;
  // By Ending::look_at. A write moves a board's end, not its place here.
  std::set<std::pair<Stamp, Key*>> ends_;
  std::unordered_map<std::string, std::vector<Client*>> watchers_;
  std::unordered_map<std::string, int> awaited_;  // with the number of those who wait
  std::vector<std::string> ready_;
  std::vector<Template> templates_;
};

// The board that a write goes to, made for it where there was none. One that was made goes again
// unless the write is kept: a refused write changes nothing.
class Target {
 public:
  Target(Keyspace* keys, Key* key, bool fresh) : keys_(keys), key_(key), fresh_(fresh) {}
  ~Target() {
    if (fresh_) keys_->Drop(key_->name);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] Key* key() const { return key_; }
  [[nodiscard]] core::Board& board() const { return key_->board; }
  // Applies the effects; without any the target is not kept. The key may be gone afterwards.
  void Apply(const core::EffectBatch& effects) {
    if (effects.empty()) return;
    fresh_ = false;
    keys_->Apply(key_, effects);
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
};

}  // namespace laurel::engine
