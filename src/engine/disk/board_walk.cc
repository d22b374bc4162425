#include "engine/disk/board_walk.h"

#include "core/effects.h"

namespace laurel::engine {

BoardWalk BoardWalk::ForAnotherFolder() {
  BoardWalk walk;
  walk.board_.in_order = true;
  walk.board_.portable = true;
  return walk;
}

void BoardWalk::Begin(const NamedBoard& named, std::uint64_t id, std::string_view name,
                      LogWriter* writer) {
  if (named.loading) return writer->Load(id, name, named.spec());
  writer->Create(id, name, named.spec());
  if (named.expires_at_ms != 0) writer->Expiry(named.expires_at_ms);
}

bool BoardWalk::Next(const NamedBoard& named, std::size_t budget, LogWriter* writer) {
  if (const core::Board* set = named.sorted_set()) return WalkSet(*set, budget, writer);
  const bool more = named.leaderboard()->Walk(&board_, budget, &writer->effects());
  visited_ = board_.visited;
  return more;
}

bool BoardWalk::WalkSet(const core::Board& board, std::size_t budget, LogWriter* writer) {
  core::Effect put;
  const unsigned words = board.layout().words();
  const auto state = board.entries().Walk(&set_, budget, [&](const core::EntryView& view) {
    put.member = view.member;
    put.words = view.words;
    writer->effects().Entry(put, words);
    ++visited_;
  });
  if (state == core::EntryStore::WalkState::kVoid) set_ = {};
  return state != core::EntryStore::WalkState::kDone;
}

}  // namespace laurel::engine
