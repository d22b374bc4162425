#include "engine/disk/snapshot_walk.h"

#include <algorithm>

#include "base/assert.h"

namespace laurel::engine {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
// Entries per step. A step is at most about the size of a block.
constexpr std::size_t kStepEntries = 100;

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
  if (named_ != nullptr) {
    LAUREL_ASSERT(boards_left_ > 0);
    --boards_left_;
  }
  begun_ = false;
}

void SnapshotWalk::OnRemove(const NamedBoard& named) {
  if (named_ == nullptr) return;
  if (&named == named_) {
    Begin(Catalog::NextById(&named));
  } else if (named.id > named_->id && named.id < end_id_) {
    LAUREL_ASSERT(boards_left_ > 0);
    --boards_left_;
  }
}

bool SnapshotWalk::Next(std::size_t budget, std::string* effects, std::vector<std::size_t>* ends) {
  LAUREL_ASSERT(budget > 0);
  LogWriter writer(effects);
  while (named_ != nullptr && budget > 0) {
    if (!begun_) {
      begun_ = true;
      cursor_ = {};
      WriteCreation(*named_, named_->id, named_->name, &writer);
    }
    const std::uint64_t before = cursor_.visited;
    const bool more =
        named_->board.Walk(&cursor_, std::min(budget, kStepEntries), &writer.effects());
    const std::uint64_t visited = cursor_.visited - before;
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
  const Leaderboard& board = named_->board;
  const std::uint64_t marks = board.marks() != nullptr ? board.marks()->size() : 0;
  const std::uint64_t all = board.visible_entries() + marks;
  const std::uint64_t here = begun_ ? all - std::min(all, cursor_.visited) : all;
  const std::uint64_t so_far = entries_visited_ + here;
  return so_far + boards_left_ * (so_far / (boards_visited_ + 1));
}

void WriteCreation(const NamedBoard& named, std::uint64_t id, std::string_view name,
                   LogWriter* writer) {
  if (named.loading) return writer->Load(id, name, named.spec());
  writer->Create(id, name, named.spec());
  if (named.expires_at_ms != 0) writer->Expiry(named.expires_at_ms);
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
