// TableIndex: finds the entries of a finished RowTable by member. For comparing two tables, or a
// table with a board, whose orders differ.
//
// Open addressing over the numbers of entries: 8 to 16 bytes per entry. Threads: const functions
// may run concurrently.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "transfer/row_table.h"

namespace laurel::transfer {

class TableIndex {
 public:
  // The table must outlive the index.
  explicit TableIndex(const RowTable& table)
      : table_(table),
        seed_(base::SystemEntropy()),
        slots_(std::bit_ceil(table.size() * 2 + 1), kFree) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const TableEntry entry = table[i];
      slots_[SlotOf(entry.instance, entry.member)] = static_cast<std::uint32_t>(i);
    }
  }

  // The number of the entry, if there is one.
  [[nodiscard]] std::optional<std::size_t> Find(std::string_view instance,
                                                std::string_view member) const {
    const std::uint32_t found = slots_[SlotOf(instance, member)];
    return found == kFree ? std::nullopt : std::optional<std::size_t>(found);
  }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;

  // The slot of the entry, or the free one where it belongs.
  [[nodiscard]] std::size_t SlotOf(std::string_view instance, std::string_view member) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = base::HashBytes(member, base::HashBytes(instance, seed_)) & mask;
    while (slots_[slot] != kFree) {
      const TableEntry entry = table_[slots_[slot]];
      if (entry.member == member && entry.instance == instance) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  const RowTable& table_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace laurel::transfer
