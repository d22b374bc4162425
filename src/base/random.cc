#include "base/random.h"

#include <random>

#include "base/assert.h"

namespace laurel::base {
namespace {

// Spreads a small seed over 64 bits: one step of a Weyl sequence through a multiply-xorshift mix.
std::uint64_t Spread(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) {
  s0_ = Spread(seed);
  s1_ = Spread(seed);
  if ((s0_ | s1_) == 0) s1_ = 1;
}

std::uint64_t Random::Next() {
  std::uint64_t a = s0_;
  const std::uint64_t b = s1_;
  s0_ = b;
  a ^= a << 23;
  s1_ = a ^ b ^ (a >> 18) ^ (b >> 5);
  return s1_ + b;
}

std::uint64_t Random::Below(std::uint64_t bound) {
  LAUREL_ASSERT(bound > 0);
  // Values below 2^64 mod bound would make small results more likely: draw again.
  const std::uint64_t threshold = -bound % bound;
  while (true) {
    const std::uint64_t x = Next();
    if (x >= threshold) return x % bound;
  }
}

std::uint64_t SystemEntropy() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace laurel::base
