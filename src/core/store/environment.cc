#include "core/store/environment.h"

#include <utility>

#include "core/store/spec_checks.h"

namespace laurel::core {

namespace {

std::uint32_t LayoutKey(const Spec& spec) {
  std::uint32_t key =
      static_cast<std::uint32_t>(spec.kind) * 4 + static_cast<std::uint32_t>(spec.tie);
  for (const Field& field : spec.fields)
    key = key * 3 + 1 + static_cast<std::uint32_t>(field.direction);
  return key * 16 + static_cast<std::uint32_t>(spec.fields.size());
}

}  // namespace

BoardType::BoardType(const Spec& from, const KeyLayout* key_layout)
    : spec(from), layout(key_layout), has_operators(HasOperators(from)) {}

Environment::Environment(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                         const Shape& shape)
    : Environment(memory, hash_seed, shape, Sharing()) {}

Environment::Environment(std::pmr::memory_resource* memory, std::uint64_t hash_seed,
                         const Shape& shape, const Sharing& sharing)
    : pages_(memory, sharing.direct_pages),
      may_leave_(sharing.may_leave),
      hash_seed_(hash_seed),
      shape_(shape) {}

std::shared_ptr<const BoardType> Environment::TypeOf(const Spec& spec) {
  std::weak_ptr<const BoardType>& slot = types_[DescribeSpec(spec)];
  std::shared_ptr<const BoardType> type = slot.lock();
  if (type == nullptr) {
    // Drops expired types whenever one is added, so that the map does not grow as specs change.
    std::erase_if(types_,
                  [&](const auto& item) { return &item.second != &slot && item.second.expired(); });
    const auto layout = layouts_.try_emplace(LayoutKey(spec), spec).first;
    type = std::make_shared<const BoardType>(spec, &layout->second);
    slot = type;
  }
  return type;
}

void Environment::Leave(std::unique_ptr<Leftover> leftover) {
  Leftover* const raw = leftover.get();
  const base::MutexLock lock(leftovers_mutex_);
  owned_leftovers_.emplace(raw, std::move(leftover));
  leftovers_.push_back(raw);
}

void Environment::Leave(Leftover* leftover) {
  const base::MutexLock lock(leftovers_mutex_);
  leftovers_.push_back(leftover);
}

void Environment::Withdraw(Leftover* leftover) {
  const base::MutexLock lock(leftovers_mutex_);
  std::erase(leftovers_, leftover);
}

bool Environment::Reclaim(std::size_t entries) {
  std::size_t freed = 0;
  std::unique_ptr<Leftover> done;  // destroyed without the mutex, which its destructor may take
  base::MutexLock lock(leftovers_mutex_);
  while (!leftovers_.empty() && freed < entries) {
    Leftover* const oldest = leftovers_.front();
    const std::size_t some = oldest->FreeSome(entries - freed);
    freed += some;
    if (some > 0) continue;
    leftovers_.pop_front();
    const auto owned = owned_leftovers_.find(oldest);
    if (owned == owned_leftovers_.end()) continue;
    done = std::move(owned->second);
    owned_leftovers_.erase(owned);
    lock.Unlock();
    done.reset();
    lock.Lock();
  }
  return !leftovers_.empty();
}

std::size_t Environment::LeftoverBytes() const {
  const base::MutexLock lock(leftovers_mutex_);
  std::size_t bytes = 0;
  for (const auto& [raw, leftover] : owned_leftovers_) bytes += leftover->MemoryUsage();
  return bytes;
}

}  // namespace laurel::core
