// Boards on which random things happen, all of it in the journal; and a replay by names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "core/decide.h"
#include "engine/journal/log_effects.h"
#include "engine/keyspace/keyspace.h"
#include "storage/recovery.h"

namespace laurel::testing {

// Node sizes that make rare paths common.
core::Shape TinyShape();

// Everything in it as text: names, specs, expiry, periods, entries in order, marks, remembered
// requests, templates; `with_ids`: the boards' ids too, in their order instead of that of names.
std::string Describe(engine::Keyspace& keys, bool with_ids = true);

using BoardNames = std::map<std::uint64_t, std::string>;  // by id

class BoardsWorld {
 public:
  explicit BoardsWorld(std::uint64_t seed);

  [[nodiscard]] engine::Keyspace& keys() { return keys_; }
  [[nodiscard]] Stamp stamp() const { return stamp_; }
  [[nodiscard]] BoardNames Names();

  // Writes, evictions, hides, clears, renames, drops, copies, expiry, templates, FLUSHALL; periods
  // that turn, close and go; requests that are remembered and forgotten.
  void Step();

 private:
  void Create(const std::string& name);
  void OnBoards(engine::Key* key);
  void OnTime(engine::Key* key);
  void OnTemplates();
  void OnEntries(engine::Key* key);
  // On a board with periods.
  void OnSeason(engine::Key* key);
  void Submit(engine::Key* key);
  void Alter(engine::Key* key);
  void Remember(engine::Key* key);
  // No effects if the board's window is over.
  void Write(const core::Board& board, std::uint64_t count, core::EffectBatch* effects);
  std::string_view Member();
  std::string_view Meta();
  std::string AnyName() { return "board" + std::to_string(random_.Below(5)); }

  base::Random random_;
  std::vector<std::string> members_;
  Stamp stamp_ = 1'700'000'000'000'000;
  engine::Keyspace keys_;
};

// How it must not be done: boards are known by their names. `names` are those when the snapshot
// began, as a log that speaks of names would have them.
class NameReplayer : public storage::Replayer, private engine::EffectReader {
 public:
  NameReplayer(engine::Keyspace* keys, BoardNames names);

  void Reset() override;
  Status OnSnapshot(std::string_view effects) override;
  Status OnSnapshotEnd(const storage::Footer& footer) override;
  Status OnBatch(std::uint64_t number, std::string_view effects, bool unsettled) override;

 private:
  Status OnClock(Stamp last) override;
  Status OnSelect(std::uint64_t id) override;
  Status OnCreate(std::uint64_t id, std::string_view name, const Spec& spec) override;
  Status OnDrop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) override;
  Status OnDropBelow(std::uint64_t id) override;
  Status OnCreateInstance(std::uint64_t id, std::uint64_t of, const Instance& span, Policy policy,
                          std::uint64_t cap) override;
  Status OnSelectInstance(const engine::InstanceRef& instance) override {
    return OnSelect(instance.id);
  }
  Status OnDropInstance(std::uint64_t id) override;
  Status OnTurned(Stamp at) override;
  Status OnClosed(const engine::ClosedInstance& closed) override;
  Status OnRemember(const core::RememberedRequest& request) override;
  Status OnForgetBefore(std::uint64_t sequence) override;
  Status OnName(std::string_view name, std::string_view from, const Spec& spec) override;
  Status OnWritten(Stamp at) override;
  Status OnExpiry(std::int64_t at_ms) override;
  Status OnEffect(const core::Effect& effect, unsigned words) override;
  Status OnTemplate(std::string_view pattern, const Spec& spec) override;
  Status OnNoTemplate(std::string_view pattern) override;

  [[nodiscard]] core::NamedBoard* Named(const std::string& name);
  void DropNamed(const std::string& name);
  [[nodiscard]] core::NamedBoard* selected();

  engine::Keyspace* keys_;
  const BoardNames names_at_start_;
  BoardNames names_;
  bool in_snapshot_ = false;
  std::uint64_t id_ = 0;
};

}  // namespace laurel::testing
