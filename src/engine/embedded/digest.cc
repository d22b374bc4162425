#include "engine/embedded/digest.h"

#include <string_view>

#include "base/hash.h"
#include "laurel/spec.h"

namespace laurel::engine {
namespace {

constexpr std::uint64_t kSeed = 0x4c617572656c3031;  // of this form of the digest

// A hash of a sequence; the order matters.
class Chain {
 public:
  void Add(std::uint64_t value) { state_ = base::HashInteger(value ^ state_, kSeed); }
  void Add(std::string_view bytes) { Add(base::HashBytes(bytes, kSeed)); }
  void Add(const core::Words& words, unsigned count) {
    for (unsigned i = 0; i < count; ++i) Add(words[i]);
  }
  [[nodiscard]] std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = kSeed;
};

std::uint64_t DigestBoard(const Key& key) {
  const core::Board& board = key.board;
  const unsigned words = board.layout().words();
  Chain chain;
  chain.Add(key.name);
  chain.Add(DescribeSpec(board.spec()));
  chain.Add(static_cast<std::uint64_t>(key.expires_at_ms));
  if (Keyspace::GoesAfterWrites(key) && key.ending) {
    chain.Add(static_cast<std::uint64_t>(key.ending->written_at));
  }
  if (key.parent) {
    chain.Add(static_cast<std::uint64_t>(key.parent->turned_at));
    for (const Stamp end : key.parent->closed_through) {
      chain.Add(static_cast<std::uint64_t>(end));
    }
  }
  if (key.part) {
    chain.Add(static_cast<std::uint64_t>(key.part->span.begin));
    chain.Add(static_cast<std::uint64_t>(key.part->span.end));
    chain.Add(key.part->closed ? 1 : 0);  // not where in the log: epochs are drawn at random
  }
  chain.Add(board.entries().size());
  board.entries().ForRange(0, board.entries().size(), false, [&](const core::EntryView& view) {
    chain.Add(view.member);
    chain.Add(view.words, words);
    chain.Add(view.meta);
    return true;
  });
  board.ForEachHidden([&](std::string_view member, const core::Board::HiddenEntry* entry) {
    chain.Add(member);
    chain.Add(entry == nullptr ? 0 : 1);
    if (entry == nullptr) return;
    chain.Add(entry->words, words);
    chain.Add(entry->meta);
  });
  if (key.requests) {
    key.requests->ForSome(0, SIZE_MAX, [&](const core::RememberedRequest& request) {
      chain.Add(request.sequence);
      chain.Add(static_cast<std::uint64_t>(request.at));
      chain.Add(request.arguments);
      chain.Add(request.id);
      chain.Add(request.outcome);
    });
  }
  return chain.state();
}

}  // namespace

Digest DigestOf(Keyspace* keys) {
  Digest digest;
  std::uint64_t sum = 0;  // boards have no order
  for (const Key* key = keys->catalog().FirstById(); key != nullptr;
       key = core::Catalog::NextById(key)) {
    sum += DigestBoard(*key);
    digest.entries += key->board.entries().size();
    if (key->part) {
      ++digest.instances;
      digest.closed += key->part->closed ? 1 : 0;
      continue;  // its marks are its board's
    }
    ++digest.boards;
    digest.hidden += key->board.hidden_members();
    digest.requests += key->requests ? key->requests->size() : 0;
  }
  Chain chain;
  chain.Add(sum);
  for (const Template& declared : keys->templates()) {
    if (declared.configured) continue;
    chain.Add(declared.pattern);
    chain.Add(DescribeSpec(declared.spec));
  }
  digest.value = chain.state();
  return digest;
}

}  // namespace laurel::engine
