// Seeds and counts of random tests, from environment variables.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/random.h"

namespace laurel {

// The number in an environment variable; none if it is empty or not set.
inline std::optional<std::uint64_t> NumberFromEnvironment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

// The counts of `./dev test --all`; tests scale what they do by the wanted share of them.
inline constexpr std::uint64_t kFullOperations = 2'000'000;
inline constexpr std::uint64_t kFullCommands = 200'000;
inline constexpr std::uint64_t kUsualShare = 10;

// LAUREL_TEST_OPS, or a tenth of the full count.
inline std::uint64_t TestOperations() {
  return NumberFromEnvironment("LAUREL_TEST_OPS").value_or(kFullOperations / kUsualShare);
}

// LAUREL_TEST_COMMANDS, or a tenth of the full count.
inline std::uint64_t TestCommands() {
  return NumberFromEnvironment("LAUREL_TEST_COMMANDS").value_or(kFullCommands / kUsualShare);
}

// LAUREL_TEST_SEED, or a random number if it is not set. Prints the seed.
inline std::uint64_t TestSeed() {
  const std::uint64_t seed =
      NumberFromEnvironment("LAUREL_TEST_SEED").value_or(base::SystemEntropy());
  std::printf("LAUREL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

}  // namespace laurel
