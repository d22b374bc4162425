// A board: its type, its visible entries in order, and its hidden members.
//
// State and the one function that changes it, Apply. What a command does is decided elsewhere
// (decide.h), what a read answers too (reads.h).
//
// Hidden members stand beside the order, not in it: every rank and count is free of them without
// asking. Invariant: a member that is marked hidden is not among the visible entries.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include "core/effects.h"
#include "core/entry_store.h"
#include "core/environment.h"
#include "core/marks.h"
#include "laurel/spec.h"

namespace laurel::core {

class Board {
 public:
  struct HiddenEntry {
    Words words{};
    std::pmr::string meta;
  };
  // Present or not: a mark may precede the first entry.
  using HiddenMembers = std::pmr::map<std::pmr::string, std::optional<HiddenEntry>, std::less<>>;

  // REQUIRES: CheckSpec(spec) is ok; `environment` outlives the board.
  Board(const Spec& spec, Environment* environment);

  [[nodiscard]] const BoardType& type() const { return *type_; }
  [[nodiscard]] const Spec& spec() const { return type_->spec; }
  [[nodiscard]] const KeyLayout& layout() const { return *type_->layout; }

  [[nodiscard]] Environment* environment() const { return environment_; }
  [[nodiscard]] const EntryStore& entries() const { return entries_; }
  [[nodiscard]] MemberHash hasher() const { return {environment_->hash_seed()}; }
  [[nodiscard]] const Shape& shape() const { return environment_->shape(); }
  // The board reads its hidden members from `marks` from now on: the instances of a leaderboard
  // share one list. Null: no member is hidden. An effect kHide or kShow then moves an entry and
  // sets no mark.
  void ShareMarks(const Marks* marks) {
    marks_ = marks;
    shares_marks_ = true;
  }
  [[nodiscard]] bool shares_marks() const { return shares_marks_; }
  [[nodiscard]] const Marks* marks() const { return marks_; }
  [[nodiscard]] bool IsHidden(std::string_view member) const {
    if (shares_marks_) return marks_ != nullptr && marks_->Has(member);
    return hidden_ != nullptr && hidden_->find(member) != hidden_->end();
  }
  // Null unless the member is hidden and has an entry.
  [[nodiscard]] const HiddenEntry* FindHidden(std::string_view member) const;
  [[nodiscard]] std::uint64_t hidden_members() const { return hidden_ ? hidden_->size() : 0; }
  [[nodiscard]] std::uint64_t hidden_entries() const { return hidden_entries_; }

  // `ahead`: null, or what is known of the first effect's entry.
  void Apply(const EffectBatch& effects, const EntryStore::Ahead* ahead = nullptr);
  // `found`: where the member's visible entry is, if known.
  void Apply(const Effect& effect, Location found = kNowhere,
             const EntryStore::Ahead* ahead = nullptr);

  // The other board's hidden marks, without the entries behind them; it is left with none.
  // REQUIRES: no marks of its own, same environment.
  void TakeMarks(Board* from);

  // Calls visit(member, entry) for every hidden member; `entry` is null where there is none.
  template <typename Visit>
  void ForEachHidden(const Visit& visit) const {
    if (hidden_ == nullptr) return;
    for (const auto& [member, entry] : *hidden_) visit(member, entry ? &*entry : nullptr);
  }

  // The same for up to `limit` hidden members above `after`, or from the first if it is null.
  // Returns whether there may be more.
  template <typename Visit>
  bool ForHiddenAfter(const std::string* after, std::size_t limit, const Visit& visit) const {
    if (hidden_ == nullptr) return false;
    auto at = after == nullptr ? hidden_->begin() : hidden_->upper_bound(std::string_view(*after));
    for (; limit > 0 && at != hidden_->end(); ++at, --limit) {
      visit(at->first, at->second ? &*at->second : nullptr);
    }
    return at != hidden_->end();
  }

  // Takes over the other board's visible entries. REQUIRES: this one has none; their specs differ
  // in what may be altered only, and they have the same environment.
  void TakeEntries(Board* from) { entries_.TakeFrom(&from->entries_); }

  // Bulk load into the empty board, of visible entries: none of a member that is marked hidden.
  [[nodiscard]] EntryStore::Loader Load() { return EntryStore::Loader(&entries_); }

  [[nodiscard]] std::size_t MemoryUsage() const;
  [[nodiscard]] std::string Validate() const;

 private:
  void Put(const Effect& effect, Location found_at, const EntryStore::Ahead* ahead);
  void Delete(const Effect& effect, Location found_at);
  void DeleteRange(const KeyRange& range);
  void Hide(const Effect& effect);
  void Show(std::string_view member);
  // Every change of the hidden members goes through these two, which keep count.
  void SetHidden(std::optional<HiddenEntry>* place, std::optional<HiddenEntry> entry);
  void EraseHidden(HiddenMembers::iterator place);
  // Takes the member's hidden entry away, if it has one.
  void EraseHidden(std::string_view member);
  void ClearHiddenEntries();

  Environment* environment_;
  std::shared_ptr<const BoardType> type_;
  EntryStore entries_;
  std::unique_ptr<HiddenMembers> hidden_;  // null while nobody is hidden
  const Marks* marks_ = nullptr;
  bool shares_marks_ = false;
  std::uint64_t hidden_entries_ = 0;
  std::size_t hidden_bytes_ = 0;  // of the marks and the entries behind them
};

}  // namespace laurel::core
