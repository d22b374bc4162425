#include "engine/disk/snapshot_walk.h"

#include <algorithm>

#include "base/assert.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
// Entries per step. A step is at most about the size of a block.
constexpr std::size_t kStepEntries = 100;

std::uint64_t EntriesOf(const NamedBoard& named) {
  if (const core::Board* board = named.sorted_set()) return board->entries().size();
  const Leaderboard& board = *named.leaderboard();
  std::uint64_t entries = board.marks() != nullptr ? board.marks()->size() : 0;
  if (!board.has_periods()) return entries + board.Look(std::nullopt, 0)->board->entries().size();
  for (const auto& stored : board.instances()) entries += stored->board.entries().size();
  return entries;
}

}  // namespace

SnapshotWalk::SnapshotWalk(Keyspace* keys)
    : keys_(keys), end_id_(keys->catalog().next_id()), boards_left_(keys->catalog().size()) {
  LAUREL_ASSERT(!keys->catalog().restoring());
  keys->catalog().SetWalker(this);
  Begin(keys->catalog().FirstById());
}

SnapshotWalk::~SnapshotWalk() { keys_->catalog().SetWalker(nullptr); }

void SnapshotWalk::Begin(NamedBoard* named) {
  named_ = named != nullptr && named->id < end_id_ ? named : nullptr;
  if (named_ != nullptr) --boards_left_;
  begun_ = false;
}

void SnapshotWalk::OnRemove(const NamedBoard& named) {
  if (named_ == nullptr) return;
  if (&named == named_) {
    Begin(Catalog::NextById(&named));
  } else if (named.id > named_->id && named.id < end_id_) {
    --boards_left_;
  }
}

bool SnapshotWalk::Next(std::size_t budget, std::string* effects, std::vector<std::size_t>* ends) {
  LAUREL_ASSERT(budget > 0);
  LogWriter writer(effects);
  while (named_ != nullptr && budget > 0) {
    if (!begun_) {
      begun_ = true;
      board_ = BoardWalk();
      BoardWalk::Begin(*named_, named_->id, named_->name, &writer);
    }
    const std::uint64_t before = board_.entries_visited();
    const bool more = board_.Next(*named_, std::min(budget, kStepEntries), &writer);
    const std::uint64_t visited = board_.entries_visited() - before;
    entries_visited_ += visited;
    budget -= std::min<std::size_t>(budget, std::max<std::uint64_t>(visited, 1));
    const std::size_t begin = ends->empty() ? 0 : ends->back();
    if (effects->size() - begin >= kBlockBytes) ends->push_back(effects->size());
    if (more) continue;
    ++boards_visited_;
    Begin(Catalog::NextById(named_));
  }
  return named_ != nullptr;
}

std::uint64_t SnapshotWalk::EstimateEntries() const {
  if (named_ == nullptr) return entries_visited_;
  const std::uint64_t all = EntriesOf(*named_);
  const std::uint64_t here = begun_ ? all - std::min(all, board_.entries_visited()) : all;
  const std::uint64_t so_far = entries_visited_ + here;
  return so_far + boards_left_ * (so_far / (boards_visited_ + 1));
}

void WriteTemplates(const Keyspace& keys, std::string* effects) {
  LogWriter writer(effects);
  for (const Template& declared : keys.templates().all()) {
    if (!declared.configured) writer.Template(declared.pattern, declared.spec);
  }
}

Status WriteAllBoards(Keyspace* keys, storage::SnapshotWriter* writer, storage::Footer* footer) {
  std::string effects;
  WriteTemplates(*keys, &effects);
  SnapshotWalk walk(keys);
  for (bool more = true; more;) {
    std::vector<std::size_t> ends;
    more = walk.Next(kSliceEntries, &effects, &ends);
    if (!more && !effects.empty()) ends.push_back(effects.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const Status added = writer->Add(std::string_view(effects).substr(begin, end - begin));
      if (!added.ok()) return added;
      begin = end;
    }
    effects.erase(0, begin);
  }
  footer->boards += walk.boards_visited();
  footer->entries += walk.entries_visited();
  return Ok{};
}

Status WriteWholeSnapshot(Keyspace* keys, std::uint64_t record, Stamp last_stamp,
                          storage::SnapshotWriter* writer) {
  storage::Footer footer;
  footer.started_at = footer.ended_at = record;
  footer.next_board = keys->catalog().next_id();
  footer.last_stamp = last_stamp;
  if (const Status written = WriteAllBoards(keys, writer, &footer); !written.ok()) return written;
  return writer->Finish(footer);
}

}  // namespace laurel::engine
