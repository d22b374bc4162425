// The standings of one board, or of one instance of a board with periods: its type, its visible
// entries in order, and the entries of hidden members.
//
// Holds the state and Apply, the one function that changes it. decide.h decides what a command
// does, reads.h answers reads.
//
// Entries of hidden members are kept outside the order, so ranks and counts leave them out without
// any check. The hidden marks live outside the standings (Marks), because all instances of a
// leaderboard share them. Invariant: no member has both a visible and a hidden entry.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "core/effects.h"
#include "core/marks.h"
#include "core/store/entry_store.h"
#include "core/store/environment.h"
#include "laurel/spec.h"

namespace laurel::core {

class Standings {
 public:
  struct HiddenEntry {
    Words words{};
    std::pmr::string meta;
  };
  using HiddenEntries = std::pmr::map<std::pmr::string, HiddenEntry, std::less<>>;

  // REQUIRES: CheckSpec(spec) is ok; `environment` outlives the standings.
  Standings(const Spec& spec, Environment* environment);

  [[nodiscard]] const BoardType& type() const { return *type_; }
  [[nodiscard]] const Spec& spec() const { return type_->spec; }
  [[nodiscard]] const KeyLayout& layout() const { return *type_->layout; }

  [[nodiscard]] Environment* environment() const { return environment_; }
  [[nodiscard]] const EntryStore& entries() const { return entries_; }
  [[nodiscard]] MemberHash hasher() const { return {environment_->hash_seed()}; }
  [[nodiscard]] const Shape& shape() const { return environment_->shape(); }
  // Sets the hidden members; null means that no member is hidden. `marks` must stay valid until the
  // next call or the end of the standings.
  void SetMarks(const Marks* marks) { marks_ = marks; }
  [[nodiscard]] const Marks* marks() const { return marks_; }
  [[nodiscard]] bool IsHidden(std::string_view member) const {
    return marks_ != nullptr && marks_->Has(member);
  }
  // Null if the member has no hidden entry.
  [[nodiscard]] const HiddenEntry* FindHidden(std::string_view member) const;
  [[nodiscard]] std::uint64_t hidden_entries() const { return hidden_ ? hidden_->size() : 0; }

  // `hint`: null, or what FindHints found for the entry of the first effect.
  void Apply(const EffectBatch& effects, const EntryStore::WriteHint* hint = nullptr);
  // `found`: the location of the member's visible entry, or kNowhere if the caller has not looked
  // it up.
  void Apply(const Effect& effect, Location found = kNowhere,
             const EntryStore::WriteHint* hint = nullptr);

  // Calls visit(member, entry) for every hidden entry.
  template <typename Visit>
  void ForEachHidden(const Visit& visit) const {
    if (hidden_ == nullptr) return;
    for (const auto& [member, entry] : *hidden_) visit(member, entry);
  }

  // Calls visit(member, entry) for up to `limit` hidden entries whose member is above `after`, or
  // from the first if `after` is null. Returns whether there are more.
  template <typename Visit>
  bool ForHiddenAfter(const std::string* after, std::size_t limit, const Visit& visit) const {
    if (hidden_ == nullptr) return false;
    auto at = after == nullptr ? hidden_->begin() : hidden_->upper_bound(std::string_view(*after));
    for (; limit > 0 && at != hidden_->end(); ++at, --limit) {
      visit(at->first, at->second);
    }
    return at != hidden_->end();
  }

  // Takes over the visible entries of `from`. REQUIRES: these standings have none; the two specs
  // differ only in what may be altered; both have the same environment.
  void TakeEntries(Standings* from) { entries_.TakeFrom(&from->entries_); }

  // EntryStore::Restamp of the visible entries.
  void Restamp(std::span<const EntryStore::Restamped> order) { entries_.Restamp(order); }

  // Starts a bulk load of visible entries. REQUIRES: the standings are empty; no loaded member is
  // hidden.
  [[nodiscard]] EntryStore::Loader Load() { return EntryStore::Loader(&entries_); }

  [[nodiscard]] std::size_t MemoryUsage() const;
  [[nodiscard]] std::string Validate() const;

 private:
  void Put(const Effect& effect, Location found_at, const EntryStore::WriteHint* hint);
  void Delete(const Effect& effect, Location found_at);
  void DeleteRange(const KeyRange& range);
  // Stores the effect's entry as the member's hidden entry and erases its visible entry, if any.
  void PutHidden(const Effect& effect);
  // Erases the member's hidden entry, if it has one.
  void EraseHidden(std::string_view member);

  Environment* environment_;
  std::shared_ptr<const BoardType> type_;
  EntryStore entries_;
  std::unique_ptr<HiddenEntries> hidden_;  // null while there are none
  std::size_t hidden_bytes_ = 0;
  const Marks* marks_ = nullptr;
};

}  // namespace laurel::core
