#include "transfer/row_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>
#include <utility>

#include "base/assert.h"

namespace laurel::transfer {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr unsigned kKeyBits = 96;
constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
// Fewer cells are sorted by comparing their keys: a pass over the digits costs more.
constexpr std::size_t kFewCells = 4096;
// Longer runs of equal keys are sorted by a part of the member, without a cache miss each time.
constexpr std::size_t kLongRun = 32;

struct Keyed {
  std::uint64_t high = 0;
  std::uint32_t low = 0;
  Handle handle = kNoCell;

  [[nodiscard]] Wide key() const { return static_cast<Wide>(high) << 32 | low; }
};
static_assert(sizeof(Keyed) == 16);

// A column of the key: its lowest value, and how many bits the others need above it.
struct Column {
  std::uint64_t low = UINT64_MAX;
  std::uint64_t high = 0;
  unsigned kept = 0;     // bits in the key
  unsigned dropped = 0;  // lower bits that the key has no room for

  void Add(std::uint64_t value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] unsigned bits() const { return static_cast<unsigned>(std::bit_width(high - low)); }
};

class Sorter {
 public:
  Sorter(const RowCells& cells, unsigned words, const RowOrder& order)
      : cells_(cells), words_(words), order_(order) {}

  std::vector<Handle> Run(std::size_t count) {
    MeasureColumns();
    MakeKeys(count);
    SortByKey();
    for (std::size_t begin = 0; begin < keyed_.size();) {
      std::size_t end = begin + 1;
      while (end < keyed_.size() && keyed_[end].key() == keyed_[begin].key()) ++end;
      if (end - begin > 1) SortRun({keyed_.data() + begin, end - begin});
      begin = end;
    }
    std::vector<Handle> handles;
    handles.reserve(keyed_.size());
    for (const Keyed& one : keyed_) handles.push_back(one.handle);
    return handles;
  }

 private:
  // The columns: instance, words, time.
  [[nodiscard]] unsigned columns() const { return words_ + 2; }
  [[nodiscard]] std::uint64_t ValueOf(Handle handle, unsigned column) const {
    if (column == 0) return cells_.InstanceOf(handle);
    if (column <= words_) return cells_.WordOf(handle, column - 1);
    if (order_.tie == Tie::kMember) return 0;
    // Entries without a time would stretch the column to 63 bits: they stand right behind the
    // latest time.
    const Stamp time = cells_.TimeOf(handle);
    const auto above = static_cast<std::uint64_t>(time == kUntimed ? latest_ + 1 : time);
    const std::uint64_t rising = above ^ core::kSignBit;
    return order_.tie == Tie::kLast ? ~rising : rising;
  }

  void MeasureColumns() {
    cells_.ForEach([&](Handle handle) {
      const Stamp time = cells_.TimeOf(handle);
      if (time != kUntimed) latest_ = std::max(latest_, time);
    });
    cells_.ForEach([&](Handle handle) {
      for (unsigned i = 0; i < columns(); ++i) column_[i].Add(ValueOf(handle, i));
    });
    unsigned room = kKeyBits;
    for (unsigned i = 0; i < columns(); ++i) {
      if (column_[i].low > column_[i].high) column_[i].low = column_[i].high = 0;  // no cells
      column_[i].kept = std::min(room, column_[i].bits());
      column_[i].dropped = column_[i].bits() - column_[i].kept;
      // A column after one that is cut off must not decide before the rest of that one.
      room = column_[i].dropped > 0 ? 0 : room - column_[i].kept;
      bits_ += column_[i].kept;
      exact_ = exact_ && column_[i].dropped == 0;
    }
  }

  void MakeKeys(std::size_t count) {
    keyed_.reserve(count);
    cells_.ForEach([&](Handle handle) {
      Wide key = 0;
      for (unsigned i = 0; i < columns(); ++i) {
        const Column& column = column_[i];
        if (column.kept == 0) continue;
        key = key << column.kept | (ValueOf(handle, i) - column.low) >> column.dropped;
      }
      keyed_.push_back(
          {static_cast<std::uint64_t>(key >> 32), static_cast<std::uint32_t>(key), handle});
    });
    LAUREL_ASSERT(keyed_.size() == count);
  }

  // Stable: cells with equal keys stay in the order of their creation.
  void SortByKey() {
    if (keyed_.size() < kFewCells) {
      std::stable_sort(keyed_.begin(), keyed_.end(),
                       [](const Keyed& a, const Keyed& b) { return a.key() < b.key(); });
      return;
    }
    std::vector<Keyed> scratch(keyed_.size());
    std::vector<std::size_t> starts(kDigits);
    for (unsigned shift = 0; shift < bits_; shift += kDigitBits) {
      const auto digit = [shift](const Keyed& one) {
        return static_cast<std::size_t>(one.key() >> shift) & (kDigits - 1);
      };
      std::fill(starts.begin(), starts.end(), 0);
      for (const Keyed& one : keyed_) ++starts[digit(one)];
      std::size_t sum = 0;
      for (std::size_t& start : starts) sum += std::exchange(start, sum);
      for (const Keyed& one : keyed_) scratch[starts[digit(one)]++] = one;
      keyed_.swap(scratch);
    }
  }

  // <0, 0, >0 by what the key had no room for.
  [[nodiscard]] int CompareValues(Handle a, Handle b) const {
    for (unsigned i = 0; i < columns(); ++i) {
      const std::uint64_t of_a = ValueOf(a, i);
      const std::uint64_t of_b = ValueOf(b, i);
      if (of_a != of_b) return of_a < of_b ? -1 : 1;
    }
    return 0;
  }
  [[nodiscard]] bool by_member() const {
    return order_.tie == Tie::kMember || order_.equals != EqualRows::kAsAdded;
  }
  [[nodiscard]] bool ascending() const {
    return order_.tie == Tie::kMember || order_.equals == EqualRows::kMemberAscending;
  }
  [[nodiscard]] bool IsShownBefore(Handle a, Handle b) const {
    if (!by_member()) return cells_.SequenceOf(a) < cells_.SequenceOf(b);
    return ascending() ? cells_.MemberOf(a) < cells_.MemberOf(b)
                       : cells_.MemberOf(a) > cells_.MemberOf(b);
  }

  void SortRun(std::span<Keyed> run) {
    if (exact_ && by_member() && run.size() > kLongRun) {
      SortByMember(run);
      return;
    }
    const auto before = [&](const Keyed& a, const Keyed& b) {
      const int order = exact_ ? 0 : CompareValues(a.handle, b.handle);
      return order != 0 ? order < 0 : IsShownBefore(a.handle, b.handle);
    };
    if (!std::is_sorted(run.begin(), run.end(), before)) std::sort(run.begin(), run.end(), before);
  }

  // Sorts by the eight bytes that follow the common prefix of the members, and by the whole members
  // only where these are equal.
  void SortByMember(std::span<Keyed> run) {
    std::string_view prefix = cells_.MemberOf(run[0].handle);
    for (const Keyed& one : run) {
      const std::string_view member = cells_.MemberOf(one.handle);
      const auto end = std::mismatch(prefix.begin(), prefix.end(), member.begin(), member.end());
      prefix = prefix.substr(0, static_cast<std::size_t>(end.first - prefix.begin()));
    }
    for (Keyed& one : run) {
      one.high = 0;
      const std::string_view rest = cells_.MemberOf(one.handle).substr(prefix.size());
      for (std::size_t i = 0; i < sizeof(one.high); ++i) {
        const auto byte = i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0;
        one.high = one.high << 8 | byte;
      }
    }
    std::sort(run.begin(), run.end(), [&](const Keyed& a, const Keyed& b) {
      if (a.high != b.high) return (a.high < b.high) == ascending();
      return IsShownBefore(a.handle, b.handle);
    });
  }

  const RowCells& cells_;
  const unsigned words_;
  const RowOrder order_;
  Stamp latest_ = 0;
  std::array<Column, core::kMaxWords + 1> column_;
  unsigned bits_ = 0;  // of a key
  bool exact_ = true;  // equal keys: equal in instance, score and time
  std::vector<Keyed> keyed_;
};

}  // namespace

std::vector<Handle> SortCells(const RowCells& cells, std::size_t count, unsigned words,
                              const RowOrder& order) {
  return Sorter(cells, words, order).Run(count);
}

}  // namespace laurel::transfer
