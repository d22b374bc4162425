#include "core/environment.h"

#include "core/spec_checks.h"

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
    : pages_(memory), hash_seed_(hash_seed), shape_(shape) {}

std::shared_ptr<const BoardType> Environment::TypeOf(const Spec& spec) {
  std::weak_ptr<const BoardType>& slot = types_[DescribeSpec(spec)];
  std::shared_ptr<const BoardType> type = slot.lock();
  if (type == nullptr) {
    // Room for one more means room for the dead: specs come and go with caps.
    std::erase_if(types_,
                  [&](const auto& item) { return &item.second != &slot && item.second.expired(); });
    const auto layout = layouts_.try_emplace(LayoutKey(spec), spec).first;
    type = std::make_shared<const BoardType>(spec, &layout->second);
    slot = type;
  }
  return type;
}

}  // namespace laurel::core
