#include "core/store/entry_store.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/assert.h"

namespace laurel::core {
namespace {

// The most slab pages that one write needs: cell, meta and the separators of a redistribution.
constexpr std::size_t kPagesPerWrite = 8;
constexpr std::size_t kSeparatorsPerWrite = kPagesPerWrite - 2;
constexpr std::size_t kMaxSeparatorBytes = kMaxMetaBytes;  // longer ones are allocated separately
constexpr std::size_t kMaxHeadBytes = 96;  // of a cell without its member, rounding included
static_assert(kMaxHeadBytes >=
              sizeof(Words) + sizeof(Handle) + sizeof(char*) + sizeof(std::uint32_t));
constexpr std::size_t kSparePages = 64;

// Dead cells that a write sweeps. Only EraseRange makes dead cells, so writes sweep them all in
// time.
constexpr std::size_t kSweptPerWrite = 4;
// Sweeping one cell takes as long as freeing this many entries page by page.
constexpr std::size_t kSweepWeight = 4;
constexpr std::size_t kEntriesPerPage = 1024;  // about
// A large form with less memory than this is freed at once.
constexpr std::size_t kRetiredBytes = std::size_t{1} << 19;

}  // namespace

// A large form that its store has dropped; freed in slices.
class EntryStore::Retired : public Leftover {
 public:
  explicit Retired(std::unique_ptr<Large, LargeDeleter> large) : large_(std::move(large)) {}

  std::size_t FreeSome(std::size_t entries) override {
    std::size_t freed = 0;
    while (freed < entries && large_->FreePage()) freed += kEntriesPerPage;
    return freed;
  }
  [[nodiscard]] std::size_t MemoryUsage() const override { return large_->MemoryUsage(); }

 private:
  std::unique_ptr<Large, LargeDeleter> large_;
};

// The large form --------------------------------------------------------------------------------

EntryStore::Large::Large(const KeyLayout* layout, Environment* shared, std::uint32_t generation)
    : environment(shared),
      cells(layout, shared->pages(), shared->hash_seed()),
      nodes(shared->pages()),
      index(&cells, &nodes, shared->pages(), shared->shape().segment_buckets),
      tree(&cells, &nodes, generation, shared->shape().leaf_entries,
           shared->shape().inner_children) {}

// Another thread may be inside of FreeSome, which changes is_leftover: only Withdraw tells that it
// is not.
EntryStore::Large::~Large() { environment->Withdraw(this); }

void EntryStore::Large::Cut(std::uint64_t first, std::uint64_t count) {
  tree.Cut(first, count, &cuttings);
  dead += count;
  if (!is_leftover) environment->Leave(this);
  is_leftover = true;
}

std::size_t EntryStore::Large::Sweep(std::size_t most) {
  std::array<std::uint64_t, kBatch> hashes;
  std::size_t swept = 0;
  while (swept < most && dead > 0) {
    std::vector<Handle>& handles = cuttings.cells;
    if (handles.empty()) {
      const bool dissolved = tree.Dissolve(&cuttings);
      LAUREL_ASSERT(dissolved);  // dead cells are in the cuttings
      continue;
    }
    const std::size_t count = std::min({handles.size(), most - swept, hashes.size()});
    const std::span<const Handle> some(handles.data() + handles.size() - count, count);
    for (const Handle cell : some) cells.Prefetch(cell);
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = cells.HashOf(some[i]);
      index.Prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      index.EraseIfPresent(some[i], hashes[i]);  // absent if its member was inserted again
      cells.Destroy(some[i]);
    }
    handles.resize(handles.size() - count);
    LAUREL_ASSERT(count <= dead);
    dead -= count;
    swept += count;
  }
  if (dead == 0) cuttings = {};
  return swept;
}

std::size_t EntryStore::Large::FreeSome(std::size_t entries) {
  const std::size_t swept = Sweep(entries / kSweepWeight + 1);
  if (swept == 0) is_leftover = false;
  return swept * kSweepWeight;
}

bool EntryStore::Large::FreePage() {
  return cells.FreeOnePage() || nodes.FreeOnePage([](Handle) {});
}

std::size_t EntryStore::Large::MemoryUsage() const {
  return sizeof(Large) + cells.MemoryUsage() + nodes.MemoryUsage() + index.MemoryUsage() +
         cuttings.cells.capacity() * sizeof(Handle) +
         cuttings.subtrees.capacity() * sizeof(RankTree::Subtree);
}

void EntryStore::LargeDeleter::operator()(Large* large) const {
  std::pmr::memory_resource* memory = large->environment->memory();
  large->~Large();
  memory->deallocate(large, sizeof(Large), alignof(Large));
}

EntryStore::EntryStore(const KeyLayout* layout, Environment* environment)
    : layout_(layout), environment_(environment), packed_(layout, environment->memory()) {}

EntryStore::~EntryStore() {
  environment_->totals().entries -= size();
  RetireLarge();
}

void EntryStore::RetireLarge() {
  if (large_ == nullptr) return;
  environment_->Withdraw(large_.get());
  large_->is_leftover = false;
  if (large_->MemoryUsage() < kRetiredBytes || !environment_->MayLeave()) {
    large_.reset();
    return;
  }
  environment_->Leave(std::make_unique<Retired>(std::move(large_)));
}

// Reads ---------------------------------------------------------------------------------------

Location EntryStore::Find(const MemberKey& member) const {
  if (large_) {
    const Handle found = large_->index.Find(member, member.Hash(environment_->hash_seed()));
    return found != kNoHandle && IsLive(found) ? found : kNowhere;
  }
  EntryView view;
  Location location = 1;
  for (const char* at = packed_.begin(); at != packed_.end(); ++location) {
    at = packed_.Read(at, &view);
    if (view.member == member.text()) return location;
  }
  return kNowhere;
}

void EntryStore::FindMany(std::span<const MemberKey> members, Location* locations) const {
  LAUREL_ASSERT(members.size() <= kBatch);
  if (!large_) {
    for (std::size_t i = 0; i < members.size(); ++i) locations[i] = Find(members[i]);
    return;
  }
  std::array<std::uint64_t, kBatch> hashes;
  for (std::size_t i = 0; i < members.size(); ++i) {
    hashes[i] = members[i].Hash(environment_->hash_seed());
    large_->index.Prefetch(hashes[i]);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Handle guess = large_->index.Guess(hashes[i]);
    if (guess != kNoHandle) large_->cells.Prefetch(guess);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    locations[i] = large_->index.Find(members[i], hashes[i]);
    if (locations[i] != kNowhere && !IsLive(locations[i])) locations[i] = kNowhere;
  }
}

void EntryStore::ReadCell(Handle handle, EntryView* view) const {
  const CellStore& cells = large_->cells;
  view->words = cells.WordsOf(handle);
  view->member = cells.MemberOf(handle, view->buffer);
  view->meta = cells.MetaOf(handle);
}

void EntryStore::Read(Location location, EntryView* view) const {
  if (large_) {
    ReadCell(location, view);
  } else {
    packed_.Read(packed_.At(location - 1), view);
  }
}

Words EntryStore::WordsAt(Location location) const {
  if (large_) return large_->cells.WordsOf(location);
  EntryView view;
  Read(location, &view);
  return view.words;
}

std::string_view EntryStore::MetaAt(Location location) const {
  if (large_) return large_->cells.MetaOf(location);
  EntryView view;
  Read(location, &view);
  return view.meta;
}

std::uint64_t EntryStore::IndexOf(Location location, const RankTree::Route* route) const {
  return large_ ? large_->tree.IndexOf(location, route) : location - 1;
}

void EntryStore::IndexOfMany(std::span<const Location> locations, std::uint64_t* indexes) const {
  if (large_) {
    large_->tree.IndexOfMany(locations, indexes);
  } else {
    for (std::size_t i = 0; i < locations.size(); ++i) indexes[i] = locations[i] - 1;
  }
}

Location EntryStore::At(std::uint64_t index) const {
  LAUREL_ASSERT(index < size());
  return large_ ? large_->tree.Select(index) : static_cast<Location>(index + 1);
}

int EntryStore::Compare(const Probe& probe, const EntryView& view) const {
  if (const int order = layout_->CompareOrder(probe.words, view.words); order != 0) return order;
  if (probe.among != Probe::Among::kAtMember) {
    return probe.among == Probe::Among::kBeforeAll ? -1 : 1;
  }
  return probe.member.compare(view.member);
}

unsigned EntryStore::PackedLowerBound(const Probe& probe) const {
  EntryView view;
  unsigned place = 0;
  for (const char* at = packed_.begin(); at != packed_.end(); ++place) {
    at = packed_.Read(at, &view);
    if (Compare(probe, view) <= 0) break;
  }
  return place;
}

std::uint64_t EntryStore::CountBefore(const Probe& probe) const {
  return large_ ? large_->tree.CountBefore(probe) : PackedLowerBound(probe);
}

std::uint64_t EntryStore::DistinctScores(std::uint64_t count) const {
  if (large_) return large_->tree.DistinctScores(count);
  std::uint64_t distinct = 0;
  Words last{};
  EntryView view;
  const char* at = packed_.begin();
  for (std::uint64_t i = 0; i < count; ++i) {
    at = packed_.Read(at, &view);
    if (i == 0 || !layout_->SameScore(last, view.words)) ++distinct;
    last = view.words;
  }
  return distinct;
}

// Writes --------------------------------------------------------------------------------------

void EntryStore::FindRoutes(std::span<WriteHint> writes) const {
  LAUREL_ASSERT(writes.size() <= kBatch);
  std::array<RankTree::Route*, 2 * kBatch> routes;
  std::size_t count = 0;
  for (WriteHint& write : writes) {
    write.from.Forget();  // routes of an earlier use
    write.to.Forget();
    if (write.location != kNowhere) routes[count++] = &write.from;
    routes[count++] = &write.to;
  }
  if (!large_) return;
  large_->tree.FindRoutes({routes.data(), count});
}

void EntryStore::InsertLarge(const MemberKey& member, const Words& words, std::string_view meta,
                             const WriteHint* hint) {
  const Handle cell = large_->cells.Create(words, member, meta);
  LAUREL_ASSERT(cell != kNoHandle);
  const std::uint64_t hash = member.Hash(environment_->hash_seed());
  const Handle dead = large_->has_dead() ? large_->index.Find(member, hash) : kNoHandle;
  if (dead == kNoHandle) {
    large_->index.Insert(cell, hash);
  } else {
    large_->index.Replace(dead, cell, hash);
  }
  large_->tree.Insert(cell, hint == nullptr ? nullptr : &hint->to);
}

void EntryStore::Insert(const MemberKey& member, const Words& words, std::string_view meta,
                        const WriteHint* hint) {
  ++environment_->totals().entries;
  if (!large_) {
    ++generation_;
    const Probe probe{words, Probe::Among::kAtMember, member.text()};
    if (packed_.size() < environment_->shape().packed_entries &&
        packed_.Insert(PackedLowerBound(probe), words, member, meta)) {
      return;
    }
    const std::vector<Handle> cells = Unpack();
    const std::vector<Handle> replaced = IndexCells(cells);
    LAUREL_ASSERT(replaced.empty());
    large_->tree.Build(cells);
    hint = nullptr;
  }
  InsertLarge(member, words, meta, hint);
  if (large_->has_dead()) large_->Sweep(kSweptPerWrite);
}

void EntryStore::Update(Location location, const MemberKey& member, const Words& words,
                        std::string_view meta, const WriteHint* hint) {
  LAUREL_ASSERT(location != kNowhere);
  if (!large_) {
    packed_.Erase(location - 1);
    --environment_->totals().entries;
    Insert(member, words, meta);
    return;
  }
  const Words old = large_->cells.WordsOf(location);
  const Handle cell = large_->cells.SetMeta(location, meta);
  LAUREL_ASSERT(cell != kNoHandle);
  if (cell != location) {
    ++generation_;
    large_->index.Replace(location, cell, member.Hash(environment_->hash_seed()));
    large_->tree.Replace(location, cell, Probe{old, Probe::Among::kAtMember, member.text()});
  }
  if (layout_->CompareOrder(words, old) == 0) {
    large_->cells.SetWords(cell, words);  // only a stamp outside the order may differ
  } else if (hint != nullptr && hint->location == location) {
    large_->tree.Move(cell, words, &hint->from, &hint->to);
  } else {
    large_->tree.Move(cell, words);
  }
  if (large_->has_dead()) large_->Sweep(kSweptPerWrite);
}

void EntryStore::Erase(Location location, const MemberKey& member) {
  LAUREL_ASSERT(location != kNowhere);
  ++generation_;
  --environment_->totals().entries;
  if (!large_) {
    packed_.Erase(location - 1);
    return;
  }
  large_->tree.Erase(location);
  large_->index.Erase(location, member.Hash(environment_->hash_seed()));
  large_->cells.Destroy(location);
  if (large_->has_dead()) large_->Sweep(kSweptPerWrite);
  PackIfSmall();
}

void EntryStore::EraseRange(std::uint64_t first, std::uint64_t count) {
  if (count == 0) return;
  LAUREL_ASSERT(first + count <= size());
  if (count == size()) return Clear();
  ++generation_;
  environment_->totals().entries -= count;
  if (!large_) {
    while (count-- > 0) packed_.Erase(static_cast<unsigned>(first));
    return;
  }
  large_->Cut(first, count);
  PackIfSmall(/*try_any_count=*/true);
}

void EntryStore::Clear() {
  environment_->totals().entries -= size();
  ++generation_;
  ++form_;
  packed_.Clear();
  RetireLarge();
}

void EntryStore::TakeFrom(EntryStore* other) {
  LAUREL_ASSERT(size() == 0 && layout_ == other->layout_ && environment_ == other->environment_);
  Clear();
  packed_.Swap(other->packed_);
  large_ = std::move(other->large_);
  other->Clear();
}

std::vector<Handle> EntryStore::Unpack() {
  LAUREL_ASSERT(large_ == nullptr);
  ++generation_;
  ++form_;
  void* block = environment_->memory()->allocate(sizeof(Large), alignof(Large));
  std::unique_ptr<Large, LargeDeleter> large(new (block) Large(layout_, environment_, generation_));
  std::vector<Handle> cells;
  EntryView view;
  for (const char* at = packed_.begin(); at != packed_.end();) {
    at = packed_.Read(at, &view);
    const Handle cell = large->cells.Create(view.words, MemberKey(view.member), view.meta);
    LAUREL_ASSERT(cell != kNoHandle);
    cells.push_back(cell);
  }
  packed_.Clear();
  large_ = std::move(large);
  return cells;
}

void EntryStore::PackIfSmall(bool try_any_count) {
  const std::uint64_t count = size();
  const std::uint64_t few = environment_->shape().packed_entries * 3 / 8;
  if (count > few || (!try_any_count && count != few && (count & (count - 1)) != 0)) return;
  PackedEntries packed(layout_, environment_->memory());
  bool fits = true;
  ForRange(0, count, false, [&](const EntryView& view) {
    fits = packed.Insert(packed.size(), view.words, MemberKey(view.member), view.meta) &&
           packed.MemoryUsage() <= PackedEntries::kMaxBytes / 2;
    return fits;
  });
  if (!fits) return;
  LAUREL_ASSERT(packed.size() == count);
  packed_.Swap(packed);
  RetireLarge();
  ++form_;
}

// Upkeep --------------------------------------------------------------------------------------

bool EntryStore::HasRoom(std::size_t writes, std::size_t bytes) const {
  if (!large_) return true;
  const std::size_t left = large_->cells.PagesLeft();
  if (left < kSparePages) return false;
  if (writes <= (left - kSparePages) / kPagesPerWrite) return true;
  // Many writes share pages. A full leaf may split at the first write; other leaves must fill up
  // first.
  const std::size_t separators =
      std::min(kSeparatorsPerWrite * writes, 4 * large_->tree.leaves() + writes / 2);
  const std::size_t total =
      bytes + writes * kMaxHeadBytes + separators * (kMaxSeparatorBytes + kMaxHeadBytes);
  return CellStore::PagesFor(total) <= left - kSparePages;
}

std::size_t EntryStore::MemoryUsage() const {
  return large_ ? large_->MemoryUsage() : packed_.MemoryUsage();
}

double EntryStore::LeafFill() const {
  if (!large_) return 0;
  return static_cast<double>(size()) /
         static_cast<double>(large_->tree.leaves() * environment_->shape().leaf_entries);
}

std::string EntryStore::Validate() const {
  if (large_) {
    if (packed_.size() > 0) return "store: two forms at once";
    if (std::string broken = large_->tree.Validate(); !broken.empty()) return broken;
    if (std::string broken = large_->index.Validate(); !broken.empty()) return broken;
    const std::uint64_t all = large_->tree.size() + large_->dead;
    if (large_->cells.size() != all) return "store: records without entry";
    // A dead cell is replaced in the index when its member is inserted again.
    if (large_->index.size() < large_->tree.size() || large_->index.size() > all) {
      return "store: tree and index disagree in size";
    }
    std::string broken;
    large_->tree.ForRange(0, size(), false, [&](Handle handle) {
      MemberBuffer buffer;
      const MemberKey member(large_->cells.MemberOf(handle, buffer));
      if (large_->index.Find(member, member.Hash(environment_->hash_seed())) != handle) {
        broken = "store: an entry of the tree is not in the index";
      }
      return broken.empty();
    });
    return broken;
  }
  if (packed_.size() > environment_->shape().packed_entries) return "store: packed form too large";
  EntryView view;
  EntryView before;
  unsigned count = 0;
  for (const char* at = packed_.begin(); at != packed_.end(); ++count) {
    const char* previous = at;
    at = packed_.Read(at, &view);
    if (count > 0 &&
        Compare(Probe{view.words, Probe::Among::kAtMember, view.member}, before) <= 0) {
      return "store: packed entries out of order";
    }
    packed_.Read(previous, &before);
  }
  return count == packed_.size() ? "" : "store: packed count";
}

}  // namespace laurel::core
