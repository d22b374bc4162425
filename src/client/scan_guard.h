// ScanGuard: detects a scan (SCAN, ZSCAN) that does not end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "laurel/result.h"

namespace laurel::client {

// Redis never repeats a cursor within a scan, and a scan takes about as many steps as there are
// entries. A server that is broken or is not Redis may loop forever.
//
// Brent's method finds a repeated cursor: it compares the cursor with an earlier one, which is
// replaced after 1, 2, 4, … pages. It takes constant memory and at most about three rounds.
class ScanGuard {
 public:
  // `address`: the server's address, for the error. `entries`: their number at the beginning.
  // Entries may be added or returned twice during the scan.
  ScanGuard(std::string address, std::uint64_t entries)
      : address_(std::move(address)), steps_left_(kStepsPerEntry * entries + kSpareSteps) {}

  // Takes the cursor and the number of entries of a page. ERR if the scan does not end.
  [[nodiscard]] Status Take(std::string_view cursor, std::size_t entries) {
    if (cursor == "0") return Ok{};
    const std::uint64_t steps = 1 + entries;
    if (steps > steps_left_ || cursor == earlier_) {
      return Error{ErrorCode::kErr,
                   address_ + ": the scan does not end: its cursor never becomes 0"};
    }
    steps_left_ -= steps;
    if (--pages_left_ == 0) {
      earlier_ = cursor;
      distance_ *= 2;
      pages_left_ = distance_;
    }
    return Ok{};
  }

 private:
  static constexpr std::uint64_t kStepsPerEntry = 8;
  static constexpr std::uint64_t kSpareSteps = 100'000;

  std::string address_;
  std::uint64_t steps_left_;
  std::string earlier_;
  std::uint64_t distance_ = 1;
  std::uint64_t pages_left_ = 1;
};

}  // namespace laurel::client
