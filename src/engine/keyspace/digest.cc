#include "engine/keyspace/digest.h"

#include <string_view>

#include "base/hash_chain.h"
#include "laurel/spec.h"

namespace laurel::engine {
namespace {

constexpr std::uint64_t kSeed = 0x4c617572656c3033;  // changes with the definition of the digest

std::uint64_t DigestBoard(const NamedBoard& named) {
  base::HashChain chain(kSeed);
  chain.Add(std::string_view(named.name));
  chain.Add(named.expires_at_ms);
  if (named.leaderboard() != nullptr) {
    chain.Add(named.leaderboard()->Digest());
    return chain.state();
  }
  const core::EntryStore& entries = named.sorted_set()->entries();
  chain.Add(entries.size());
  entries.ForRange(0, entries.size(), false, [&](const core::EntryView& view) {
    chain.Add(view.member);
    chain.Add(view.words[0]);
    return true;
  });
  return chain.state();
}

void Count(const NamedBoard& named, Digest* digest) {
  ++digest->boards;
  if (named.sorted_set() != nullptr) {
    digest->entries += named.sorted_set()->entries().size();
    return;
  }
  const Leaderboard& board = *named.leaderboard();
  digest->hidden += board.marks() != nullptr ? board.marks()->size() : 0;
  digest->requests += board.requests() != nullptr ? board.requests()->size() : 0;
  if (!board.has_periods()) {
    digest->entries += board.Look(std::nullopt, 0)->board->entries().size();
  }
  for (const auto& stored : board.instances()) {
    ++digest->instances;
    digest->closed += stored->closed ? 1 : 0;
    digest->entries += stored->board.entries().size();
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
