#include "engine/keyspace/templates.h"

#include <algorithm>
#include <utility>

namespace laurel::engine {

const Template* Templates::For(std::string_view name) const {
  const auto found =
      std::find_if(templates_.begin(), templates_.end(),
                   [&](const Template& candidate) { return candidate.glob.Matches(name); });
  return found == templates_.end() ? nullptr : &*found;
}

bool Templates::Has(std::string_view pattern) const {
  return std::any_of(templates_.begin(), templates_.end(),
                     [&](const Template& declared) { return declared.pattern == pattern; });
}

void Templates::Set(Template declared) {
  Delete(declared.pattern);
  const auto before = [](const Template& a, const Template& b) {
    return a.pattern.size() != b.pattern.size() ? a.pattern.size() > b.pattern.size()
                                                : a.pattern < b.pattern;
  };
  templates_.insert(std::upper_bound(templates_.begin(), templates_.end(), declared, before),
                    std::move(declared));
}

bool Templates::Delete(std::string_view pattern) {
  return std::erase_if(templates_,
                       [&](const Template& declared) { return declared.pattern == pattern; }) > 0;
}

}  // namespace laurel::engine
