// A board: its type, its visible entries in order, and the entries of hidden members.
//
// State and the one function that changes it, Apply. What a command does is decided elsewhere
// (decide.h), what a read answers too (reads.h).
//
// Entries of hidden members stand beside the order, not in it: every rank and count is free of them
// without asking. Which members are hidden is not the board's to know: the instances of a
// leaderboard share one list of marks. Invariant: a member is not among both.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "core/effects.h"
#include "core/marks.h"
#include "core/store/entry_store.h"
#include "core/store/environment.h"
#include "laurel/spec.h"

namespace laurel::core {

class Board {
 public:
  struct HiddenEntry {
    Words words{};
    std::pmr::string meta;
  };
  using HiddenEntries = std::pmr::map<std::pmr::string, HiddenEntry, std::less<>>;

  // REQUIRES: CheckSpec(spec) is ok; `environment` outlives the board.
  Board(const Spec& spec, Environment* environment);

  [[nodiscard]] const BoardType& type() const { return *type_; }
  [[nodiscard]] const Spec& spec() const { return type_->spec; }
  [[nodiscard]] const KeyLayout& layout() const { return *type_->layout; }

  [[nodiscard]] Environment* environment() const { return environment_; }
  [[nodiscard]] const EntryStore& entries() const { return entries_; }
  [[nodiscard]] MemberHash hasher() const { return {environment_->hash_seed()}; }
  [[nodiscard]] const Shape& shape() const { return environment_->shape(); }
  // The hidden members; null: none is. They outlive the board, or the next call.
  void SetMarks(const Marks* marks) { marks_ = marks; }
  [[nodiscard]] const Marks* marks() const { return marks_; }
  [[nodiscard]] bool IsHidden(std::string_view member) const {
    return marks_ != nullptr && marks_->Has(member);
  }
  // Null if the member has no hidden entry.
  [[nodiscard]] const HiddenEntry* FindHidden(std::string_view member) const;
  [[nodiscard]] std::uint64_t hidden_entries() const { return hidden_ ? hidden_->size() : 0; }

  // `ahead`: null, or what is known of the first effect's entry.
  void Apply(const EffectBatch& effects, const EntryStore::Ahead* ahead = nullptr);
  // `found`: where the member's visible entry is, if known.
  void Apply(const Effect& effect, Location found = kNowhere,
             const EntryStore::Ahead* ahead = nullptr);

  // Calls visit(member, entry) for every hidden entry.
  template <typename Visit>
  void ForEachHidden(const Visit& visit) const {
    if (hidden_ == nullptr) return;
    for (const auto& [member, entry] : *hidden_) visit(member, entry);
  }

  // The same for up to `limit` of them above `after`, or from the first if it is null. Returns
  // whether there may be more.
  template <typename Visit>
  bool ForHiddenAfter(const std::string* after, std::size_t limit, const Visit& visit) const {
    if (hidden_ == nullptr) return false;
    auto at = after == nullptr ? hidden_->begin() : hidden_->upper_bound(std::string_view(*after));
    for (; limit > 0 && at != hidden_->end(); ++at, --limit) {
      visit(at->first, at->second);
    }
    return at != hidden_->end();
  }

  // Takes over the other board's visible entries. REQUIRES: this one has none; their specs differ
  // in what may be altered only, and they have the same environment.
  void TakeEntries(Board* from) { entries_.TakeFrom(&from->entries_); }

  // Bulk load into the empty board, of visible entries: none of a hidden member.
  [[nodiscard]] EntryStore::Loader Load() { return EntryStore::Loader(&entries_); }

  [[nodiscard]] std::size_t MemoryUsage() const;
  [[nodiscard]] std::string Validate() const;

 private:
  void Put(const Effect& effect, Location found_at, const EntryStore::Ahead* ahead);
  void Delete(const Effect& effect, Location found_at);
  void DeleteRange(const KeyRange& range);
  // The effect's entry is the member's hidden one; a visible one goes.
  void PutHidden(const Effect& effect);
  // Takes the member's hidden entry away, if it has one.
  void EraseHidden(std::string_view member);

  Environment* environment_;
  std::shared_ptr<const BoardType> type_;
  EntryStore entries_;
  std::unique_ptr<HiddenEntries> hidden_;  // null while there is none
  std::size_t hidden_bytes_ = 0;
  const Marks* marks_ = nullptr;
};

}  // namespace laurel::core
