// A hash of a sequence of numbers and texts; the order matters.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash.h"

namespace laurel::base {

class HashChain {
 public:
  explicit HashChain(std::uint64_t seed) : seed_(seed), state_(seed) {}

  void Add(std::uint64_t value) { state_ = HashInteger(value ^ state_, seed_); }
  void Add(std::int64_t value) { Add(static_cast<std::uint64_t>(value)); }
  void Add(std::string_view bytes) { Add(HashBytes(bytes, seed_)); }
  [[nodiscard]] std::uint64_t state() const { return state_; }

 private:
  std::uint64_t seed_;
  std::uint64_t state_;
};

}  // namespace laurel::base
