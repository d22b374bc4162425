#include "core/store/cell_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/assert.h"

namespace laurel::core {
namespace {

struct Numbered {
  std::uint64_t number;
  Handle cell;
};

constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

// The range of a set of values, and how many bits the offsets from the lowest value need.
struct Range {
  std::uint64_t low = UINT64_MAX;
  std::uint64_t high = 0;
  void Add(std::uint64_t value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] unsigned bits() const { return static_cast<unsigned>(std::bit_width(high - low)); }
};

// Gives each cell a number; the numbers rise with the cells' words. Returns how many bits they
// have.
unsigned Number(const CellStore& store, const std::vector<Handle>& cells,
                std::vector<Numbered>* numbered) {
  const bool two = store.layout().order_words() > 1;
  const auto second_word = [&](Handle cell) { return two ? store.WordAt(cell, 1) : 0; };
  Range first;
  Range second;
  for (const Handle cell : cells) {
    first.Add(store.WordAt(cell, 0));
    second.Add(second_word(cell));
  }
  const unsigned room = std::min(64 - first.bits(), second.bits());
  const unsigned dropped = second.bits() - room;
  numbered->reserve(cells.size());
  for (const Handle cell : cells) {
    std::uint64_t number = store.WordAt(cell, 0) - first.low;
    if (room > 0) number = number << room % 64 | (second_word(cell) - second.low) >> dropped;
    numbered->push_back({number, cell});
  }
  return first.bits() + room;
}

// Sorts by the low `bits` of the numbers; all higher bits must be equal. Radix-sorts by the topmost
// of these bits only, starting with their lowest digit, because they distinguish most numbers. Runs
// that are equal in these bits are usually short and are sorted afterwards.
// REQUIRES: `scratch` is at least as large as `items`.
void SortByNumber(std::span<Numbered> items, std::span<Numbered> scratch, unsigned bits) {
  LAUREL_ASSERT(scratch.size() >= items.size());
  constexpr std::size_t kShortRun = 2048;
  constexpr unsigned kPasses = 3;
  const unsigned sorted_bits = std::min(bits, kPasses * kDigitBits);
  const unsigned low_bits = bits - sorted_bits;
  const unsigned passes = (sorted_bits + kDigitBits - 1) / kDigitBits;
  const auto digit_of = [low_bits](const Numbered& item, unsigned pass) {
    return (item.number >> (low_bits + pass * kDigitBits)) % kDigits;
  };
  std::vector<std::array<std::size_t, kDigits>> places(passes);
  for (const Numbered& item : items) {
    for (unsigned pass = 0; pass < passes; ++pass) ++places[pass][digit_of(item, pass)];
  }
  std::span<Numbered> from = items;
  std::span<Numbered> to = scratch.first(items.size());
  for (unsigned pass = 0; pass < passes; ++pass) {
    std::size_t before = 0;
    for (std::size_t& place : places[pass]) before += std::exchange(place, before);
    for (const Numbered& item : from) to[places[pass][digit_of(item, pass)]++] = item;
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
  if (low_bits == 0) return;
  for (std::size_t i = 0; i < items.size();) {
    std::size_t end = i + 1;
    while (end < items.size() && items[end].number >> low_bits == items[i].number >> low_bits) {
      ++end;
    }
    if (end - i > kShortRun) {
      SortByNumber(items.subspan(i, end - i), scratch, low_bits);
    } else if (end - i > 1) {
      std::sort(items.begin() + static_cast<std::ptrdiff_t>(i),
                items.begin() + static_cast<std::ptrdiff_t>(end),
                [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
    }
    i = end;
  }
}

bool Before(const CellStore& store, Handle a, Handle b) {
  const int order = store.layout().CompareOrder(store.WordsOf(a), store.WordsOf(b));
  if (order != 0) return order < 0;
  MemberBuffer buffer_a;
  MemberBuffer buffer_b;
  return store.MemberOf(a, buffer_a) < store.MemberOf(b, buffer_b);
}

// Eight bytes of the text from `start` on, as a number that sorts as the text does.
std::uint64_t BytesFrom(std::string_view text, std::size_t start) {
  std::uint64_t bytes = 0;
  for (std::size_t i = start; i < start + sizeof(bytes); ++i) {
    bytes = bytes << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return bytes;
}

// Replaces the numbers of cells with the same words by numbers made of their members.
void NumberByMember(const CellStore& store, std::span<Numbered> run) {
  MemberBuffer first_buffer;
  const std::string_view first = store.MemberOf(run[0].cell, first_buffer);
  std::size_t common = first.size();
  MemberBuffer buffer;
  for (const Numbered& item : run) {
    const std::string_view member = store.MemberOf(item.cell, buffer);
    common = std::min(common, member.size());
    common = static_cast<std::size_t>(
        std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(common),
                      member.begin())
            .first -
        first.begin());
  }
  for (Numbered& item : run) item.number = BytesFrom(store.MemberOf(item.cell, buffer), common);
}

// Sorts cells whose numbers are equal.
void SortRun(const CellStore& store, std::span<Numbered> run) {
  constexpr std::size_t kFewCells = 4;
  if (run.size() > kFewCells) {
    const Words words = store.WordsOf(run[0].cell);
    const bool same_words = std::all_of(run.begin(), run.end(), [&](const Numbered& item) {
      return store.layout().CompareOrder(words, store.WordsOf(item.cell)) == 0;
    });
    if (same_words) NumberByMember(store, run);
  }
  std::sort(run.begin(), run.end(), [&](const Numbered& a, const Numbered& b) {
    return a.number != b.number ? a.number < b.number : Before(store, a.cell, b.cell);
  });
}

}  // namespace

void SortCells(const CellStore& store, std::vector<Handle>* cells) {
  std::vector<Numbered> numbered;
  const unsigned bits = Number(store, *cells, &numbered);
  std::vector<Numbered> scratch(numbered.size());
  SortByNumber(numbered, scratch, bits);
  constexpr std::size_t kFetchedAhead = 16;
  const auto equals_next = [&](std::size_t i) {
    return i + 1 < numbered.size() && numbered[i].number == numbered[i + 1].number;
  };
  std::size_t fetched = 0;
  for (std::size_t i = 0; i < numbered.size();) {
    std::size_t end = i + 1;
    while (equals_next(end - 1)) ++end;
    for (; fetched < std::min(numbered.size(), end + kFetchedAhead); ++fetched) {
      if (equals_next(fetched)) store.Prefetch(numbered[fetched].cell);
    }
    if (end - i > 1) SortRun(store, {numbered.data() + i, end - i});
    i = end;
  }
  for (std::size_t i = 0; i < numbered.size(); ++i) (*cells)[i] = numbered[i].cell;
}

}  // namespace laurel::core
