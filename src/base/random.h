// Random numbers behind a seam: the same seed gives the same run, in tests and in replays of them.
#pragma once

#include <cstdint>

namespace laurel::base {

// xorshift128+ state advanced from a 64-bit seed. Not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t Next();
  // Uniform in [0, bound). REQUIRES: bound > 0.
  std::uint64_t Below(std::uint64_t bound);
  // True one time in `n`.
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }

 private:
  std::uint64_t s0_;
  std::uint64_t s1_;
};

// From the operating system: for hash seeds.
std::uint64_t SystemEntropy();

}  // namespace laurel::base
