#include "engine/keyspace/digest.h"

#include <string_view>

#include "base/hash_chain.h"
#include "laurel/spec.h"

namespace laurel::engine {
namespace {

constexpr std::uint64_t kSeed = 0x4c617572656c3033;  // of this form of the digest

std::uint64_t DigestKey(const Key& key) {
  base::HashChain chain(kSeed);
  chain.Add(std::string_view(key.name));
  chain.Add(key.expires_at_ms);
  if (key.leaderboard() != nullptr) {
    chain.Add(key.leaderboard()->Digest());
    return chain.state();
  }
  const core::EntryStore& entries = key.sorted_set()->entries();
  chain.Add(entries.size());
  entries.ForRange(0, entries.size(), false, [&](const core::EntryView& view) {
    chain.Add(view.member);
    chain.Add(view.words[0]);
    return true;
  });
  return chain.state();
}

void Count(const Key& key, Digest* digest) {
  ++digest->boards;
  if (key.sorted_set() != nullptr) {
    digest->entries += key.sorted_set()->entries().size();
    return;
  }
  const Leaderboard& board = *key.leaderboard();
  digest->hidden += board.marks() != nullptr ? board.marks()->size() : 0;
  digest->requests += board.requests() != nullptr ? board.requests()->size() : 0;
  if (!board.has_periods()) {
    digest->entries += board.Look(std::nullopt, 0)->board->entries().size();
  }
  for (const auto& part : board.parts()) {
    ++digest->instances;
    digest->closed += part->closed ? 1 : 0;
    digest->entries += part->board.entries().size();
  }
}

}  // namespace

Digest DigestOf(Keyspace* keys) {
  Digest digest;
  std::uint64_t sum = 0;  // boards have no order
  for (const Key* key = keys->catalog().FirstById(); key != nullptr; key = Catalog::NextById(key)) {
    sum += DigestKey(*key);
    Count(*key, &digest);
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
