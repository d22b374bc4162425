#include "engine/keyspace/digest.h"

#include <string_view>

#include "base/hash_chain.h"
#include "laurel/spec.h"

namespace laurel::engine {
namespace {

constexpr std::uint64_t kSeed = 0x4c617572656c3034;  // changes with the definition of the digest

std::uint64_t DigestBoard(const NamedBoard& named) {
  base::HashChain chain(kSeed);
  chain.Add(std::string_view(named.name));
  chain.Add(named.expires_at_ms);
  chain.Add(named.board.Digest());
  return chain.state();
}

void Count(const NamedBoard& named, Digest* digest) {
  ++digest->boards;
  const Leaderboard& board = named.board;
  digest->hidden += board.marks() != nullptr ? board.marks()->size() : 0;
  digest->requests += board.requests() != nullptr ? board.requests()->size() : 0;
  digest->entries += board.visible_entries();
  for (const auto& stored : board.instances()) {
    ++digest->instances;
    digest->closed += stored->closed ? 1 : 0;
  }
}

}  // namespace

Digest DigestOf(Keyspace* keys) {
  Digest digest;
  std::uint64_t sum = 0;  // a sum, because the order of boards does not matter
  for (const NamedBoard* named = keys->catalog().FirstById(); named != nullptr;
       named = Catalog::NextById(named)) {
    if (named->loading) continue;  // a restart drops it
    sum += DigestBoard(*named);
    Count(*named, &digest);
  }
  base::HashChain chain(kSeed);
  chain.Add(sum);
  for (const Template& declared : keys->templates().all()) {
    if (declared.configured) continue;
    chain.Add(declared.pattern);
    chain.Add(DescribeSpec(declared.spec));
  }
  digest.value = chain.state();
  return digest;
}

}  // namespace laurel::engine
