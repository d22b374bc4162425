// The hidden marks of a leaderboard: the members that are hidden on all its instances.
#pragma once

#include <cstddef>
#include <functional>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace laurel::core {

class Marks {
 public:
  explicit Marks(std::pmr::memory_resource* memory) : members_(memory) {}

  [[nodiscard]] bool Has(std::string_view member) const {
    return members_.find(member) != members_.end();
  }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  void Add(std::string_view member) {
    const auto [place, fresh] = members_.emplace(member);
    if (fresh) bytes_ += BytesOf(*place);
  }
  void Remove(std::string_view member) {
    const auto place = members_.find(member);
    if (place == members_.end()) return;
    LAUREL_ASSERT(bytes_ >= BytesOf(*place));
    bytes_ -= BytesOf(*place);
    members_.erase(place);
    LAUREL_ASSERT(!members_.empty() || bytes_ == 0);
  }

  // Calls visit(member) for up to `limit` members above `after`, or from the first if `after` is
  // null. Returns whether there are more.
  template <typename Visit>
  bool ForSome(const std::string* after, std::size_t limit, const Visit& visit) const {
    auto at = after == nullptr ? members_.begin() : members_.upper_bound(std::string_view(*after));
    for (; limit > 0 && at != members_.end(); ++at, --limit) visit(std::string_view(*at));
    return at != members_.end();
  }

 private:
  [[nodiscard]] static std::size_t BytesOf(const std::pmr::string& member) {
    constexpr std::size_t kNodeBytes = 32;  // overhead of a node of the set
    return kNodeBytes + sizeof(std::pmr::string) + member.capacity();
  }

  std::pmr::set<std::pmr::string, std::less<>> members_;
  std::size_t bytes_ = 0;
};

}  // namespace laurel::core
