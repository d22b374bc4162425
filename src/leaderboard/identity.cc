#include "leaderboard/identity.h"

#include "base/hash_chain.h"

namespace laurel::leaderboard {
namespace {

constexpr std::uint64_t kSeed = 0x6c617572656c6964;

}  // namespace

std::uint64_t IdentityOf(std::span<const Write> writes, bool many,
                         std::uint64_t other_boards_hash) {
  base::HashChain hash(kSeed);
  hash.Add(std::uint64_t{many ? writes.size() + 1 : 0});
  hash.Add(other_boards_hash);
  for (const Write& write : writes) {
    hash.Add(
        static_cast<std::uint64_t>(write.mode) | static_cast<std::uint64_t>(write.condition) << 8 |
        static_cast<std::uint64_t>(write.only) << 16 | std::uint64_t{write.at.has_value()} << 24 |
        std::uint64_t{write.meta.has_value()} << 25);
    hash.Add(write.member);
    for (std::size_t i = 0; i < write.score.size(); ++i) hash.Add(write.score[i]);
    if (write.at) hash.Add(*write.at);
    if (write.meta) hash.Add(*write.meta);
  }
  return hash.state();
}

}  // namespace laurel::leaderboard
