#include "core/board.h"

#include <cstring>
#include <utility>

#include "base/assert.h"

namespace laurel::core {
namespace {

// Memory of the mark on a hidden member, without the entry's meta.
std::size_t MarkBytes(const std::pmr::string& member) {
  constexpr std::size_t kNodeBytes = 32;  // of the map's tree
  return kNodeBytes + sizeof(Board::HiddenMembers::value_type) + member.capacity();
}

}  // namespace

std::string_view EffectBatch::Own(std::string_view bytes) {
  if (bytes.empty()) return {};
  owns_bytes_ = true;
  auto* copy = static_cast<char*>(bytes_.allocate(bytes.size(), 1));
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

const Spec* EffectBatch::Own(const Spec& spec) {
  LAUREL_ASSERT(spec_ == nullptr);
  spec_ = std::make_unique<const Spec>(spec);
  return spec_.get();
}

const KeyRange* EffectBatch::Own(const KeyRange& range) {
  LAUREL_ASSERT(range_ == nullptr);
  KeyRange copy = range;
  copy.first_member = Own(range.first_member);
  copy.last_member = Own(range.last_member);
  range_ = std::make_unique<const KeyRange>(copy);
  return range_.get();
}

Board::Board(const Spec& spec, Environment* environment)
    : environment_(environment),
      type_(environment->TypeOf(spec)),
      entries_(type_->layout, environment) {}

const Board::HiddenEntry* Board::FindHidden(std::string_view member) const {
  if (hidden_ == nullptr) return nullptr;
  const auto found = hidden_->find(member);
  return found != hidden_->end() && found->second ? &*found->second : nullptr;
}

void Board::Apply(const EffectBatch& effects, const EntryStore::Ahead* ahead) {
  bool first = true;
  for (const Effect& effect : effects) {
    if (first) {
      Apply(effect, effect.found_at, ahead);
    } else {
      Apply(effect);
    }
    first = false;
  }
}

void Board::Apply(const Effect& effect, Location found, const EntryStore::Ahead* ahead) {
  switch (effect.kind) {
    case Effect::Kind::kPut:
      Put(effect, found, ahead);
      break;
    case Effect::Kind::kDelete:
      Delete(effect, found);
      break;
    case Effect::Kind::kDeleteRange:
      DeleteRange(*effect.range);
      break;
    case Effect::Kind::kClear:
      entries_.Clear();
      ClearHiddenEntries();
      break;
    case Effect::Kind::kHide:
      Hide(effect);
      break;
    case Effect::Kind::kShow:
      Show(effect.member);
      break;
    case Effect::Kind::kAlter:
      type_ = environment_->TypeOf(*effect.spec);
      break;
  }
}

void Board::Put(const Effect& effect, Location found_at, const EntryStore::Ahead* ahead) {
  if (shares_marks_) {
    if (IsHidden(effect.member)) return Hide(effect);
    EraseHidden(effect.member);
  } else if (hidden_ != nullptr) {
    if (const auto found = hidden_->find(effect.member); found != hidden_->end()) {
      SetHidden(&found->second,
                HiddenEntry{effect.words, std::pmr::string(effect.meta, environment_->memory())});
      return;
    }
  }
  const MemberKey member(effect.member);
  const Location location = found_at != kNowhere ? found_at : entries_.Find(member);
  if (location == kNowhere) {
    entries_.Insert(member, effect.words, effect.meta, ahead);
  } else {
    entries_.Update(location, member, effect.words, effect.meta, ahead);
  }
}

void Board::Delete(const Effect& effect, Location found_at) {
  if (shares_marks_) {
    EraseHidden(effect.member);
  } else if (hidden_ != nullptr) {
    if (const auto found = hidden_->find(effect.member); found != hidden_->end()) {
      SetHidden(&found->second, std::nullopt);
      return;
    }
  }
  const MemberKey member(effect.member);
  const Location location = found_at != kNowhere ? found_at : entries_.Find(member);
  if (location != kNowhere) entries_.Erase(location, member);
}

void Board::DeleteRange(const KeyRange& range) {
  const Probe first{range.first, Probe::Among::kAtMember, range.first_member};
  const Probe last{range.last, Probe::Among::kAtMember, range.last_member};
  const std::uint64_t begin = entries_.CountBefore(first);
  std::uint64_t end = entries_.CountBefore(last);
  if (end < entries_.size()) {  // the entry at `last` goes too, if it is there
    EntryView view;
    entries_.Read(entries_.At(end), &view);
    const bool is_last =
        layout().CompareOrder(view.words, range.last) == 0 && view.member == range.last_member;
    if (is_last) ++end;
  }
  if (begin < end) entries_.EraseRange(begin, end - begin);
}

void Board::Hide(const Effect& effect) {
  std::pmr::memory_resource* memory = environment_->memory();
  const MemberKey key(effect.member);
  const Location location = entries_.Find(key);
  std::optional<HiddenEntry> entry;
  const bool has_entry = effect.has_entry || effect.kind == Effect::Kind::kPut;
  if (shares_marks_ && !has_entry) {
    EraseHidden(effect.member);
    if (location != kNowhere) entries_.Erase(location, key);
    return;
  }
  if (hidden_ == nullptr) hidden_ = std::make_unique<HiddenMembers>(memory);
  if (has_entry) entry = HiddenEntry{effect.words, std::pmr::string(effect.meta, memory)};
  const auto [place, fresh] =
      hidden_->try_emplace(std::pmr::string(effect.member, memory), std::nullopt);
  if (fresh) hidden_bytes_ += MarkBytes(place->first);
  SetHidden(&place->second, std::move(entry));
  if (location != kNowhere) entries_.Erase(location, key);
}

void Board::Show(std::string_view member) {
  if (shares_marks_) return EraseHidden(member);
  if (hidden_ == nullptr) return;
  const auto found = hidden_->find(member);
  if (found == hidden_->end()) return;
  if (found->second) {
    entries_.Insert(MemberKey(found->first), found->second->words, found->second->meta);
  }
  EraseHidden(found);
  if (hidden_->empty()) hidden_.reset();
}

void Board::SetHidden(std::optional<HiddenEntry>* place, std::optional<HiddenEntry> entry) {
  if (*place) {
    --hidden_entries_;
    hidden_bytes_ -= (*place)->meta.capacity();
  }
  place->reset();  // a short meta would otherwise keep the memory of a long one
  *place = std::move(entry);
  if (*place) {
    ++hidden_entries_;
    hidden_bytes_ += (*place)->meta.capacity();
  }
}

void Board::EraseHidden(HiddenMembers::iterator place) {
  SetHidden(&place->second, std::nullopt);
  hidden_bytes_ -= MarkBytes(place->first);
  hidden_->erase(place);
}

void Board::EraseHidden(std::string_view member) {
  if (hidden_ == nullptr) return;
  const auto found = hidden_->find(member);
  if (found == hidden_->end()) return;
  EraseHidden(found);
  if (hidden_->empty()) hidden_.reset();
}

void Board::ClearHiddenEntries() {
  if (shares_marks_) {
    hidden_.reset();
    hidden_entries_ = 0;
    hidden_bytes_ = 0;
    return;
  }
  if (hidden_entries_ == 0) return;
  for (auto& [member, entry] : *hidden_) SetHidden(&entry, std::nullopt);
}

void Board::TakeMarks(Board* from) {
  hidden_ = std::move(from->hidden_);
  hidden_entries_ = std::exchange(from->hidden_entries_, 0);
  hidden_bytes_ = std::exchange(from->hidden_bytes_, 0);
  ClearHiddenEntries();
}

std::size_t Board::MemoryUsage() const {
  return sizeof(Board) + entries_.MemoryUsage() + hidden_bytes_ +
         (hidden_ != nullptr ? sizeof(HiddenMembers) : 0);
}

std::string Board::Validate() const {
  std::uint64_t entries = 0;
  std::size_t bytes = 0;
  if (hidden_ != nullptr) {
    for (const auto& [member, entry] : *hidden_) {
      if (entries_.Find(MemberKey(member)) != kNowhere) return "board: a hidden member is visible";
      bytes += MarkBytes(member);
      if (!entry) continue;
      ++entries;
      bytes += entry->meta.capacity();
    }
  }
  if (entries != hidden_entries_) return "board: a wrong count of hidden entries";
  if (bytes != hidden_bytes_) return "board: a wrong size of hidden members";
  if (spec().cap > 0 && entries_.size() > spec().cap) return "board: more entries than the cap";
  return entries_.Validate();
}

}  // namespace laurel::core
