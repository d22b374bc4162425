#include "engine/keyspace/templates.h"

#include <algorithm>

namespace laurel::engine {

const Template* Templates::For(std::string_view name) const {
  std::size_t best = templates_.size();
  for (const std::size_t bytes : literal_bytes_) {
    if (bytes > name.size()) break;
    ++tried_;
    const auto same_literal = by_literal_.find(name.substr(0, bytes));
    if (same_literal == by_literal_.end()) continue;
    for (const std::size_t place : same_literal->second) {
      if (place >= best) break;
      ++tried_;
      if (templates_[place].glob.Matches(name)) best = place;
    }
  }
  return best == templates_.size() ? nullptr : &templates_[best];
}

bool Templates::Has(std::string_view pattern) const {
  return std::any_of(templates_.begin(), templates_.end(),
                     [&](const Template& declared) { return declared.pattern == pattern; });
}

void Templates::Set(Template declared) {
  std::erase_if(templates_,
                [&](const Template& present) { return present.pattern == declared.pattern; });
  const auto before = [](const Template& a, const Template& b) {
    return a.pattern.size() != b.pattern.size() ? a.pattern.size() > b.pattern.size()
                                                : a.pattern < b.pattern;
  };
  templates_.insert(std::upper_bound(templates_.begin(), templates_.end(), declared, before),
                    std::move(declared));
  Index();
}

bool Templates::Delete(std::string_view pattern) {
  const bool deleted = std::erase_if(templates_, [&](const Template& declared) {
                         return declared.pattern == pattern;
                       }) > 0;
  Index();
  return deleted;
}

void Templates::Index() {
  by_literal_.clear();
  literal_bytes_.clear();
  for (std::size_t place = 0; place < templates_.size(); ++place) {
    const std::string& pattern = templates_[place].pattern;
    const std::string literal = pattern.substr(0, pattern.find_first_of("*?[\\"));
    by_literal_[literal].push_back(place);
    literal_bytes_.insert(literal.size());
  }
}

}  // namespace laurel::engine
