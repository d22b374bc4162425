#include "transfer/draft/equal_stamps.h"

#include <algorithm>
#include <span>

#include "base/assert.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "core/store/entry_store.h"
#include "core/store/score_key.h"

namespace laurel::transfer {
namespace {

class StampGiver {
  using Restamped = core::EntryStore::Restamped;

 public:
  StampGiver(const core::Standings& standings, std::uint16_t instance, const StampRules& rules,
             RowNumbers* rows, EqualFigures* figures, Stamp* last)
      : standings_(standings),
        entries_(standings.entries()),
        layout_(standings.layout()),
        tie_(standings.spec().tie),
        instance_(instance),
        rules_(rules),
        rows_(*rows),
        figures_(*figures),
        last_(*last) {}

  // Visits the entries of a score from the earliest to the latest: in the order of rank or, under
  // TIE last, in the reverse order.
  std::vector<Restamped> Run() {
    const std::uint64_t size = entries_.size();
    if (size == 0) return {};
    given_.reserve(size);
    Survey();
    const auto visit = [&](core::Location entry, const core::EntryView& view) {
      const bool same_score = !given_.empty() && layout_.SameScore(view.words, group_words_);
      if (!same_score || layout_.StampOf(view.words) != group_time()) {
        EndGroup();
        if (!same_score) has_before_ = false;
        group_begin_ = given_.size();
        group_words_ = view.words;
        group_member_ = view.member;
      }
      given_.push_back({0, entry});
      return true;
    };
    entries_.ForLocations(backward() ? size - 1 : 0, size, backward(), visit);
    EndGroup();
    if (!changed_) return {};
    if (backward()) std::reverse(given_.begin(), given_.end());
    return std::move(given_);
  }

 private:
  [[nodiscard]] bool backward() const { return tie_ == Tie::kLast; }
  [[nodiscard]] Stamp group_time() const { return layout_.StampOf(group_words_); }
  [[nodiscard]] std::span<Restamped> group() { return std::span(given_).subspan(group_begin_); }

  // Counts the entries without a time, and requests row numbers of the entries that are equal to a
  // neighbour.
  void Survey() {
    const bool by_row = rules_.equals == EqualRows::kAsAdded && tie_ != Tie::kMember;
    untimed_ = rules_.now;
    core::Words before{};
    std::string member_before;
    bool before_is_wanted = false;
    bool first = true;
    entries_.ForRange(0, entries_.size(), false, [&](const core::EntryView& view) {
      if (layout_.StampOf(view.words) == kUntimed) --untimed_;
      if (!by_row) return true;
      const bool is_equal = !first && layout_.CompareOrder(before, view.words) == 0;
      if (is_equal && !before_is_wanted) rows_.Want(instance_, member_before);
      if (is_equal) rows_.Want(instance_, view.member);
      before_is_wanted = is_equal;
      before = view.words;
      member_before = view.member;
      first = false;
      return true;
    });
    if (by_row) rows_.Find();
  }

  // Gives the entries of the group, which are equal in score and time, their stamps.
  void EndGroup() {
    crowded_ = false;
    if (group().size() == 1) group()[0].stamp = Next(group_member_);
    if (group().size() <= 1) return;
    figures_.ties += group().size();
    PutInOrder();
    NoteLost();
    core::EntryView view;
    for (Restamped& one : group()) {
      entries_.Read(one.entry, &view);
      one.stamp = Next(view.member);
    }
  }

  // Sorts the entries of the group, earliest first.
  void PutInOrder() {
    if (tie_ == Tie::kMember || rules_.equals == EqualRows::kMemberAscending) return;
    if (rules_.equals == EqualRows::kAsAdded) {
      core::EntryView view;
      for (Restamped& one : group()) {
        entries_.Read(one.entry, &view);
        one.stamp = static_cast<Stamp>(rows_.Of(instance_, view.member));
      }
      std::sort(group().begin(), group().end(),
                [](const Restamped& a, const Restamped& b) { return a.stamp < b.stamp; });
    }
    if (backward() || rules_.equals == EqualRows::kMemberDescending) {
      std::reverse(group().begin(), group().end());
    }
    changed_ = true;
  }

  // Notes a group whose order the source does not contain. Keeps the first examples in the order of
  // rank.
  void NoteLost() {
    if (rules_.tick_us <= 1 || group_time() == kUntimed) return;
    ++figures_.lost_groups;
    std::deque<std::string>& examples = figures_.lost_examples;
    if (!backward() && examples.size() == kMaxShown) return;
    const auto name = [&](std::size_t shown) {
      core::EntryView view;
      const std::size_t i = backward() ? group().size() - 1 - shown : shown;
      entries_.Read(group()[i].entry, &view);
      return base::Quote(view.member);
    };
    const std::size_t more = group().size() - 2;
    const std::string line = ScoreText(standings_.spec(), layout_.ScoreOf(group_words_)) + ": " +
                             name(0) + ", " + name(1) +
                             (more > 0 ? " and " + std::to_string(more) + " more" : "");
    backward() ? examples.push_front(line) : examples.push_back(line);
    if (examples.size() > kMaxShown) examples.pop_back();
  }

  // Returns the stamp of the next entry.
  Stamp Next(std::string_view member) {
    const Stamp time = group_time();
    Stamp stamp = time == kUntimed ? untimed_++ : time;
    if (has_before_ && tie_ != Tie::kMember) {
      const bool in_order = backward() ? member < member_before_ : member_before_ < member;
      const bool may_be_equal = rules_.tick_us == 1 && in_order;
      stamp = std::max(stamp, stamp_before_ + (may_be_equal ? 0 : 1));
    }
    if (!crowded_ && time != kUntimed && stamp - time >= rules_.tick_us) {
      crowded_ = true;
      ++figures_.crowded_ticks;
    }
    last_ = std::max(last_, stamp);
    has_before_ = true;
    stamp_before_ = stamp;
    member_before_ = member;
    changed_ = changed_ || stamp != time;
    return stamp;
  }

  const core::Standings& standings_;
  const core::EntryStore& entries_;
  const core::KeyLayout& layout_;
  const Tie tie_;
  const std::uint16_t instance_;
  const StampRules rules_;
  RowNumbers& rows_;
  EqualFigures& figures_;
  Stamp& last_;
  std::vector<Restamped> given_;  // earliest first
  bool changed_ = false;
  Stamp untimed_ = 0;  // stamp of the next entry without a time

  // The current group: entries of equal score and time.
  std::size_t group_begin_ = 0;  // index in given_
  core::Words group_words_{};
  std::string group_member_;  // member of the first entry
  bool crowded_ = false;

  // The previous entry, if it has the same score.
  bool has_before_ = false;
  Stamp stamp_before_ = 0;
  std::string member_before_;
};

}  // namespace

RowNumbers::RowNumbers() : seed_(base::SystemEntropy()) {}

std::uint64_t RowNumbers::HashOf(std::uint16_t instance, std::string_view member) const {
  return base::HashInteger(instance, base::HashBytes(member, seed_));
}

void RowNumbers::Note(std::uint16_t instance, std::string_view member, std::uint64_t row) {
  noted_.push_back({HashOf(instance, member), row});
  sorted_ = false;
}

void RowNumbers::Clear() {
  noted_.clear();
  found_.clear();
  wanted_ = {};
}

void RowNumbers::Want(std::uint16_t instance, std::string_view member) {
  if (wanted_.size() * kFewShare <= noted_.size()) wanted_.push_back(HashOf(instance, member));
}

void RowNumbers::Find() {
  found_.clear();
  if (wanted_.size() * kFewShare > noted_.size()) {
    if (!sorted_) Sort();
    wanted_.clear();
    return;
  }
  std::sort(wanted_.begin(), wanted_.end());
  std::vector<bool> maybe(kSpareRows);  // indexed by the low bits of the hash
  for (const std::uint64_t entry : wanted_) maybe[entry % kSpareRows] = true;
  for (const Noted& noted : noted_) {
    if (!maybe[noted.entry % kSpareRows]) continue;
    if (std::binary_search(wanted_.begin(), wanted_.end(), noted.entry)) found_.push_back(noted);
  }
  std::sort(found_.begin(), found_.end());
  wanted_.clear();
}

std::uint64_t RowNumbers::Of(std::uint16_t instance, std::string_view member) const {
  const std::deque<Noted>& from = found_.empty() ? noted_ : found_;
  const std::uint64_t entry = HashOf(instance, member);
  const auto behind = std::upper_bound(from.begin(), from.end(), Noted{entry, UINT64_MAX});
  LAUREL_ASSERT(behind != from.begin() && std::prev(behind)->entry == entry);
  return std::prev(behind)->row;
}

void RowNumbers::Sort() {
  std::sort(noted_.begin(), noted_.end());
  auto end = noted_.begin();
  for (auto at = noted_.begin(); at != noted_.end(); ++at) {
    const bool is_last = at + 1 == noted_.end() || (at + 1)->entry != at->entry;
    if (is_last) *end++ = *at;
  }
  noted_.erase(end, noted_.end());
  sorted_ = true;
}

std::vector<core::EntryStore::Restamped> StampsOf(const core::Standings& standings,
                                                  std::uint16_t instance, const StampRules& rules,
                                                  RowNumbers* rows, EqualFigures* figures,
                                                  Stamp* last) {
  return StampGiver(standings, instance, rules, rows, figures, last).Run();
}

std::string ScoreText(const Spec& spec, const Score& score) {
  std::string text;
  for (const std::string& value : FormatScore(spec, score)) {
    text += (text.empty() ? "" : " ") + value;
  }
  return text;
}

}  // namespace laurel::transfer
