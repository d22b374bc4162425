// Builds the boards up again from a snapshot and the log behind it.
//
// Decides nothing: no cap, no clock, no expiry, no template. Entries of a snapshot go through the
// bulk build, effects of the log through the function that live commands use, Board::Apply.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/catalog.h"
#include "core/entry_store.h"
#include "engine/embedded/effect_codec.h"
#include "engine/embedded/keyspace.h"
#include "laurel/result.h"
#include "storage/recovery.h"

namespace laurel::engine {

class Restorer : public storage::Replayer, private EffectReader {
 public:
  // The keyspace is empty and stays the restorer's until Finish.
  explicit Restorer(Keyspace* keys) : keys_(keys) {}

  void Reset() override;
  Status OnSnapshot(std::string_view effects) override;
  Status OnSnapshotEnd(const storage::Footer& footer) override;
  Status OnBatch(std::uint64_t number, std::string_view effects, bool unsettled) override;

  // Before Finish, where records are missing between those that were read: settles what they left
  // undone. Of two boards with one name, or two instances with one label, the younger stays; a
  // member that is hidden on a board or one of its instances is hidden on all of them.
  void Reconcile();
  // When all is read: gives the boards their names.
  Status Finish();
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }
  [[nodiscard]] std::uint64_t entries() const { return entries_; }

 protected:
  Status OnClock(Stamp last) override;
  Status OnSelect(std::uint64_t id) override;
  Status OnCreate(std::uint64_t id, std::string_view name, const Spec& spec) override;
  Status OnDrop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) override;
  Status OnCreateInstance(std::uint64_t id, std::uint64_t of, const Instance& span, Policy policy,
                          std::uint64_t cap) override;
  Status OnSelectInstance(const InstanceRef& instance) override { return OnSelect(instance.id); }
  Status OnDropInstance(std::uint64_t id) override { return DropBoard(id); }
  Status OnTurned(Stamp at) override;
  Status OnClosedThrough(Period period, Stamp end) override;
  Status OnClosed(const ClosedInstance& closed) override;
  Status OnDropBelow(std::uint64_t id) override;
  Status OnName(std::string_view name, std::string_view from, const Spec& spec) override;
  Status OnExpiry(std::int64_t at_ms) override;
  Status OnWritten(Stamp at) override;
  Status OnEffect(const core::Effect& effect, unsigned words) override;
  Status OnRemember(const core::RememberedRequest& request) override;
  Status OnForgetBefore(std::uint64_t sequence) override;
  Status OnTemplate(std::string_view pattern, const Spec& spec) override;
  Status OnNoTemplate(std::string_view pattern) override;

 private:
  // What came from the snapshot is in order when this returns.
  void FinishLoad();
  [[nodiscard]] Status Unknown(std::uint64_t id) const;
  // The board that was just restored is the one that follows.
  void Begin(core::NamedBoard* board);
  // A snapshot begins a board again if it was emptied or changed its form meanwhile.
  [[nodiscard]] Status BeginAgain(const core::NamedBoard& known) const;
  Status DropBoard(std::uint64_t id);

  Keyspace* keys_;
  Stamp last_stamp_ = 0;
  std::uint64_t entries_ = 0;  // of the snapshot, so far
  bool in_snapshot_ = false;
  bool unsettled_ = false;
  core::NamedBoard* board_ = nullptr;  // selected; null: skipped
  std::optional<core::EntryStore::Loader> loader_;
};

}  // namespace laurel::engine
