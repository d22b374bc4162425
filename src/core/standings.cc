#include "core/standings.h"

#include <cstring>
#include <utility>

#include "base/assert.h"

namespace laurel::core {
namespace {

std::size_t HiddenBytes(const Standings::HiddenEntries::value_type& hidden) {
  constexpr std::size_t kNodeBytes = 32;  // overhead of a node of the map
  return kNodeBytes + sizeof(hidden) + hidden.first.capacity() + hidden.second.meta.capacity();
}

}  // namespace

std::string_view EffectBatch::Own(std::string_view bytes) {
  if (bytes.empty()) return {};
  owns_bytes_ = true;
  auto* copy = static_cast<char*>(bytes_.allocate(bytes.size(), 1));
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

const KeyRange* EffectBatch::Own(const KeyRange& range) {
  LAUREL_ASSERT(range_ == nullptr);
  KeyRange copy = range;
  copy.first_member = Own(range.first_member);
  copy.last_member = Own(range.last_member);
  range_ = std::make_unique<const KeyRange>(copy);
  return range_.get();
}

Standings::Standings(const Spec& spec, Environment* environment)
    : environment_(environment),
      type_(environment->TypeOf(spec)),
      entries_(type_->layout, environment) {}

const Standings::HiddenEntry* Standings::FindHidden(std::string_view member) const {
  if (hidden_ == nullptr) return nullptr;
  const auto found = hidden_->find(member);
  return found != hidden_->end() ? &found->second : nullptr;
}

void Standings::Apply(const EffectBatch& effects, const EntryStore::WriteHint* hint) {
  bool first = true;
  for (const Effect& effect : effects) {
    if (first) {
      Apply(effect, effect.found_at, hint);
    } else {
      Apply(effect);
    }
    first = false;
  }
}

void Standings::Apply(const Effect& effect, Location found, const EntryStore::WriteHint* hint) {
  switch (effect.kind) {
    case Effect::Kind::kPut:
      Put(effect, found, hint);
      break;
    case Effect::Kind::kDelete:
      Delete(effect, found);
      break;
    case Effect::Kind::kDeleteRange:
      LAUREL_ASSERT(effect.range != nullptr);
      DeleteRange(*effect.range);
      break;
    case Effect::Kind::kClear:
      entries_.Clear();
      hidden_.reset();
      hidden_bytes_ = 0;
      break;
    case Effect::Kind::kHide:
      PutHidden(effect);
      break;
    case Effect::Kind::kShow:
      EraseHidden(effect.member);
      break;
    case Effect::Kind::kAlter: {
      LAUREL_ASSERT(effect.spec != nullptr);
      const KeyLayout* layout = type_->layout;
      type_ = environment_->TypeOf(*effect.spec);
      LAUREL_ASSERT(type_->layout == layout);  // the entries are stored in it
      break;
    }
  }
}

void Standings::Put(const Effect& effect, Location found_at, const EntryStore::WriteHint* hint) {
  if (IsHidden(effect.member)) return PutHidden(effect);
  EraseHidden(effect.member);
  const MemberKey member(effect.member);
  const Location location = found_at != kNowhere ? found_at : entries_.Find(member);
  if (location == kNowhere) {
    entries_.Insert(member, effect.words, effect.meta, hint);
  } else {
    entries_.Update(location, member, effect.words, effect.meta, hint);
  }
}

void Standings::Delete(const Effect& effect, Location found_at) {
  EraseHidden(effect.member);
  const MemberKey member(effect.member);
  const Location location = found_at != kNowhere ? found_at : entries_.Find(member);
  if (location != kNowhere) entries_.Erase(location, member);
}

void Standings::DeleteRange(const KeyRange& range) {
  const Probe first{range.first, Probe::Among::kAtMember, range.first_member};
  const Probe last{range.last, Probe::Among::kAtMember, range.last_member};
  const std::uint64_t begin = entries_.CountBefore(first);
  std::uint64_t end = entries_.CountBefore(last);
  if (end < entries_.size()) {  // the range includes the entry at `last`, if present
    EntryView view;
    entries_.Read(entries_.At(end), &view);
    const bool is_last =
        layout().CompareOrder(view.words, range.last) == 0 && view.member == range.last_member;
    if (is_last) ++end;
  }
  if (begin < end) entries_.EraseRange(begin, end - begin);
}

void Standings::PutHidden(const Effect& effect) {
  EraseHidden(effect.member);  // assigning a short meta would keep the memory of a long one
  std::pmr::memory_resource* memory = environment_->memory();
  if (hidden_ == nullptr) hidden_ = std::make_unique<HiddenEntries>(memory);
  const auto [place, fresh] =
      hidden_->try_emplace(std::pmr::string(effect.member, memory),
                           HiddenEntry{effect.words, std::pmr::string(effect.meta, memory)});
  LAUREL_ASSERT(fresh);
  hidden_bytes_ += HiddenBytes(*place);
  const MemberKey key(effect.member);
  if (const Location visible = entries_.Find(key); visible != kNowhere) {
    entries_.Erase(visible, key);
  }
}

void Standings::EraseHidden(std::string_view member) {
  if (hidden_ == nullptr) return;
  const auto found = hidden_->find(member);
  if (found == hidden_->end()) return;
  LAUREL_ASSERT(hidden_bytes_ >= HiddenBytes(*found));
  hidden_bytes_ -= HiddenBytes(*found);
  hidden_->erase(found);
  if (!hidden_->empty()) return;
  LAUREL_ASSERT(hidden_bytes_ == 0);
  hidden_.reset();
}

std::size_t Standings::MemoryUsage() const {
  return sizeof(Standings) + entries_.MemoryUsage() + hidden_bytes_ +
         (hidden_ != nullptr ? sizeof(HiddenEntries) : 0);
}

std::string Standings::Validate() const {
  std::size_t bytes = 0;
  if (hidden_ != nullptr) {
    for (const auto& hidden : *hidden_) {
      if (entries_.Find(MemberKey(hidden.first)) != kNowhere) {
        return "board: a hidden member is visible";
      }
      bytes += HiddenBytes(hidden);
    }
  }
  if (bytes != hidden_bytes_) return "board: a wrong size of hidden entries";
  return entries_.Validate();
}

}  // namespace laurel::core
