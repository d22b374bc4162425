#include "engine/embedded/digest.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace laurel::engine {
namespace {

// Takes one item at a time, each by its length and bytes, so that no two lists of items look alike.
class Hasher {
 public:
  void Add(std::string_view bytes) { state_ = base::HashBytes(bytes, state_ ^ kStep); }
  void Add(std::uint64_t number) { state_ = base::HashInteger(number, state_ ^ kStep); }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  static constexpr std::uint64_t kStep = 0x9e6c63d0876a9a47;
  std::uint64_t state_ = 0x4c617572656c4462;
};

void AddSpec(const Spec& spec, Hasher* hasher) {
  hasher->Add(static_cast<std::uint64_t>(spec.kind));
  hasher->Add(spec.fields.size());
  for (const Field& field : spec.fields) {
    hasher->Add(field.name);
    hasher->Add(static_cast<std::uint64_t>(field.decimals));
    hasher->Add(static_cast<std::uint64_t>(field.direction));
    hasher->Add(static_cast<std::uint64_t>(field.op));
  }
  hasher->Add(static_cast<std::uint64_t>(spec.policy));
  hasher->Add(static_cast<std::uint64_t>(spec.tie));
  hasher->Add(spec.cap);
}

void AddEntry(std::string_view member, const core::Words& words, unsigned word_count,
              std::string_view meta, Hasher* hasher) {
  hasher->Add(member);
  for (unsigned i = 0; i < word_count; ++i) hasher->Add(words[i]);
  hasher->Add(meta);
}

void AddBoard(const Key& key, Hasher* hasher) {
  const core::Board& board = key.board;
  const unsigned words = board.layout().words();
  hasher->Add(std::string_view(key.name));
  AddSpec(board.spec(), hasher);
  hasher->Add(static_cast<std::uint64_t>(key.expires_at_ms));
  hasher->Add(board.entries().size());
  board.entries().ForRange(0, board.entries().size(), false, [&](const core::EntryView& view) {
    AddEntry(view.member, view.words, words, view.meta, hasher);
    return true;
  });
  hasher->Add(board.hidden_members());
  board.ForEachHidden([&](std::string_view member, const core::Board::HiddenEntry* entry) {
    hasher->Add(entry != nullptr ? 1 : 0);
    entry != nullptr ? AddEntry(member, entry->words, words, entry->meta, hasher)
                     : hasher->Add(member);
  });
}

}  // namespace

Digest DigestOf(Keyspace* keys) {
  std::vector<const Key*> boards;
  for (const Key* key = keys->catalog().FirstById(); key != nullptr;
       key = core::Catalog::NextById(key)) {
    boards.push_back(key);
  }
  std::sort(boards.begin(), boards.end(),
            [](const Key* a, const Key* b) { return a->name < b->name; });
  Digest digest;
  Hasher hasher;
  hasher.Add(boards.size());
  for (const Key* key : boards) {
    AddBoard(*key, &hasher);
    ++digest.boards;
    digest.entries += key->board.entries().size();
    digest.hidden += key->board.hidden_members();
  }
  for (const Template& declared : keys->templates()) {
    if (declared.configured) continue;
    hasher.Add(declared.pattern);
    AddSpec(declared.spec, &hasher);
  }
  digest.value = hasher.value();
  return digest;
}

}  // namespace laurel::engine
