#include "engine/embedded/snapshot_effects.h"

#include "engine/embedded/journal.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kSliceEntries = 1000;

}  // namespace

void SnapshotVisitor::OnBoard(const core::NamedBoard& board) {
  board_ = &board.board;
  WriteBoard(board, &writer_);
  EndBlock();
}

void SnapshotVisitor::OnEntry(const core::EntryView& view) {
  writer_.Put(view.member, view.words, board_->layout().words(), view.meta);
  EndBlock();
}

void SnapshotVisitor::OnHidden(std::string_view member, const core::Board::HiddenEntry* entry) {
  WriteHidden(*board_, member, entry, &writer_);
  EndBlock();
}

void SnapshotVisitor::OnRequest(const core::RememberedRequest& request) {
  writer_.Remember(request);
  EndBlock();
}

void SnapshotVisitor::EndBlock() {
  const std::size_t begin = ends_->empty() ? 0 : ends_->back();
  if (effects_->size() - begin >= kBlockBytes) ends_->push_back(effects_->size());
}

void WriteTemplates(const Keyspace& keys, std::string* effects) {
  EffectWriter writer(effects);
  for (const Template& declared : keys.templates()) {
    if (!declared.configured) writer.Template(declared.pattern, declared.spec);
  }
}

Status WriteWholeSnapshot(Keyspace* keys, std::uint64_t record, Stamp last_stamp,
                          storage::SnapshotWriter* writer) {
  std::string effects;
  WriteTemplates(*keys, &effects);
  core::BoardWalk walk(&keys->catalog());
  const core::Board* board = nullptr;
  for (bool more = true; more;) {
    std::vector<std::size_t> ends;
    SnapshotVisitor visitor(&effects, &ends, board);
    more = walk.Next(kSliceEntries, &visitor);
    board = visitor.board();
    if (!more && !effects.empty()) ends.push_back(effects.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const Status added = writer->Add(std::string_view(effects).substr(begin, end - begin));
      if (!added.ok()) return added;
      begin = end;
    }
    effects.erase(0, begin);
  }
  storage::Footer footer;
  footer.started_at = footer.ended_at = record;
  footer.next_board = keys->catalog().next_id();
  footer.last_stamp = last_stamp;
  footer.boards = walk.boards_visited();
  footer.entries = walk.entries_visited();
  return writer->Finish(footer);
}

}  // namespace laurel::engine
