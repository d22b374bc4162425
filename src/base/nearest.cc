#include "base/nearest.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace laurel::base {
std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Row i holds the distances of a's first i bytes to every prefix of b; three rows are enough.
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = std::exchange(last, row);
  }
  return last[b.size()];
}

namespace {

// Short names are close to many words: to one of two letters, only a word of the same letters is.
bool IsClose(std::string_view wanted, std::string_view name, std::size_t distance) {
  if (name.size() > 2) return distance <= name.size() / 3;
  return distance <= 1 && wanted.size() >= name.size() &&
         wanted.find_first_not_of(name) == std::string_view::npos;
}

}  // namespace

std::optional<std::string_view> Nearest(std::string_view text,
                                        std::span<const std::string_view> names) {
  const std::string wanted = Lower(text);
  std::optional<std::string_view> nearest;
  std::size_t least = 0;
  for (const std::string_view name : names) {
    const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
    // Too long to be close: skip the table, because untrusted text may have any length.
    if (wanted.size() > name.size() + allowed) continue;
    const std::string known = Lower(name);
    const std::size_t distance = EditDistance(wanted, known);
    if (!IsClose(wanted, known, distance) || (nearest && distance >= least)) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

}  // namespace laurel::base
