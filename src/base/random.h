// Reproducible random numbers: the same seed gives the same sequence, so tests can be replayed.
#pragma once

#include <cstdint>

namespace laurel::base {

// xorshift128+ with a 64-bit seed. Not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t Next();
  // Uniform in [0, bound). REQUIRES: bound > 0.
  std::uint64_t Below(std::uint64_t bound);
  // True with a probability of 1 / n. REQUIRES: n > 0.
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }

 private:
  std::uint64_t s0_;
  std::uint64_t s1_;
};

// A random number from the operating system, for hash seeds.
std::uint64_t SystemEntropy();

}  // namespace laurel::base
