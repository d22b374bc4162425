// Reads decisions from the bytes of a fuzzer's input. Reads past its end return 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace laurel::fuzz {

class FuzzInput {
 public:
  explicit FuzzInput(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }

  std::uint8_t Next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  // Returns a number in [0, bound). REQUIRES: 0 < bound <= 65536.
  std::size_t Below(std::size_t bound) {
    std::size_t value = Next();
    if (bound > 256) value = value << 8 | Next();
    return value % bound;
  }

  bool OneIn(std::size_t n) { return Below(n) == n - 1; }

  // Returns the next `count` bytes unchanged, fewer at the end.
  std::string_view Take(std::size_t count) {
    const auto taken = bytes_.first(std::min(count, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace laurel::fuzz
