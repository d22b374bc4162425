#include "core/entry_store.h"

#include <algorithm>
#include <cstdint>

#include "base/assert.h"

namespace laurel::core {
namespace {

// Slab pages one write may need at the most: record, meta and the separators of a redistribution.
constexpr std::size_t kPagesPerWrite = 8;
constexpr std::size_t kSeparatorsPerWrite = kPagesPerWrite - 2;
constexpr std::size_t kMaxSeparatorBytes = kMaxMetaBytes;  // longer ones are kept elsewhere
constexpr std::size_t kMaxHeadBytes = 96;  // of a record beside its member, rounding included
constexpr std::size_t kSparePages = 64;

}  // namespace

EntryStore::Large::Large(const KeyLayout* layout, Environment* environment,
                         std::uint32_t generation)
    : memory(environment->memory()),
      records(layout, environment->pages(), environment->hash_seed()),
      nodes(environment->pages()),
      index(&records, &nodes, environment->pages(), environment->shape().segment_buckets),
      tree(&records, &nodes, generation, environment->shape().leaf_entries,
           environment->shape().inner_children) {}

EntryStore::EntryStore(const KeyLayout* layout, Environment* environment)
    : layout_(layout), environment_(environment), packed_(layout, environment->memory()) {}

EntryStore::~EntryStore() = default;

void EntryStore::LargeDeleter::operator()(Large* large) const {
  std::pmr::memory_resource* memory = large->memory;
  large->~Large();
  memory->deallocate(large, sizeof(Large), alignof(Large));
}

// Reads ---------------------------------------------------------------------------------------

Location EntryStore::Find(const MemberKey& member) const {
  if (large_) return large_->index.Find(member, member.Hash(environment_->hash_seed()));
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
    if (guess != kNoHandle) large_->records.Prefetch(guess);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    locations[i] = large_->index.Find(members[i], hashes[i]);
  }
}

void EntryStore::ReadRecord(Handle handle, EntryView* view) const {
  const RecordStore& records = large_->records;
  view->words = records.WordsOf(handle);
  view->member = records.MemberOf(handle, view->buffer);
  view->meta = records.MetaOf(handle);
}

void EntryStore::Read(Location location, EntryView* view) const {
  if (large_) {
    ReadRecord(location, view);
  } else {
    packed_.Read(packed_.At(location - 1), view);
  }
}

Words EntryStore::WordsAt(Location location) const {
  if (large_) return large_->records.WordsOf(location);
  EntryView view;
  Read(location, &view);
  return view.words;
}

std::string_view EntryStore::MetaAt(Location location) const {
  if (large_) return large_->records.MetaOf(location);
  EntryView view;
  Read(location, &view);
  return view.meta;
}

std::uint64_t EntryStore::IndexOf(Location location) const {
  return large_ ? large_->tree.IndexOf(location) : location - 1;
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

void EntryStore::FindWays(std::span<Ahead> writes) const {
  LAUREL_ASSERT(writes.size() <= kBatch);
  if (!large_) return;
  std::array<RankTree::Route*, 2 * kBatch> routes;
  std::size_t count = 0;
  for (Ahead& write : writes) {
    if (write.location != kNowhere) routes[count++] = &write.from;
    routes[count++] = &write.to;
  }
  large_->tree.FindRoutes({routes.data(), count});
}

void EntryStore::InsertLarge(const MemberKey& member, const Words& words, std::string_view meta,
                             const Ahead* ahead) {
  const Handle record = large_->records.Create(words, member, meta);
  LAUREL_ASSERT(record != kNoHandle);
  large_->index.Insert(record, member.Hash(environment_->hash_seed()));
  large_->tree.Insert(record, ahead == nullptr ? nullptr : &ahead->to);
}

void EntryStore::Insert(const MemberKey& member, const Words& words, std::string_view meta,
                        const Ahead* ahead) {
  if (!large_) {
    ++generation_;
    const Probe probe{words, Probe::Among::kAtMember, member.text()};
    if (packed_.size() < environment_->shape().packed_entries &&
        packed_.Insert(PackedLowerBound(probe), words, member, meta)) {
      return;
    }
    const std::vector<Handle> records = Unpack();
    IndexRecords(records);
    large_->tree.Build(records);
    ahead = nullptr;
  }
  InsertLarge(member, words, meta, ahead);
}

void EntryStore::Update(Location location, const MemberKey& member, const Words& words,
                        std::string_view meta, const Ahead* ahead) {
  if (!large_) {
    packed_.Erase(location - 1);
    Insert(member, words, meta);
    return;
  }
  const Words old = large_->records.WordsOf(location);
  const Handle record = large_->records.SetMeta(location, meta);
  LAUREL_ASSERT(record != kNoHandle);
  if (record != location) {
    ++generation_;
    large_->index.Replace(location, record, member.Hash(environment_->hash_seed()));
    large_->tree.Replace(location, record, Probe{old, Probe::Among::kAtMember, member.text()});
  }
  if (layout_->CompareOrder(words, old) == 0) {
    large_->records.SetWords(record, words);  // a stamp that takes no part in the order
  } else if (ahead != nullptr && ahead->location == location) {
    large_->tree.Move(record, words, &ahead->from, &ahead->to);
  } else {
    large_->tree.Move(record, words);
  }
}

void EntryStore::Erase(Location location, const MemberKey& member) {
  ++generation_;
  if (!large_) {
    packed_.Erase(location - 1);
    return;
  }
  large_->tree.Erase(location);
  large_->index.Erase(location, member.Hash(environment_->hash_seed()));
  large_->records.Destroy(location);
  PackIfSmall();
}

void EntryStore::Clear() {
  ++generation_;
  ++form_;
  packed_.Clear();
  large_.reset();
}

std::vector<Handle> EntryStore::Unpack() {
  ++generation_;
  ++form_;
  void* block = environment_->memory()->allocate(sizeof(Large), alignof(Large));
  std::unique_ptr<Large, LargeDeleter> large(new (block) Large(layout_, environment_, generation_));
  std::vector<Handle> records;
  EntryView view;
  for (const char* at = packed_.begin(); at != packed_.end();) {
    at = packed_.Read(at, &view);
    const Handle record = large->records.Create(view.words, MemberKey(view.member), view.meta);
    LAUREL_ASSERT(record != kNoHandle);
    records.push_back(record);
  }
  packed_.Clear();
  large_ = std::move(large);
  return records;
}

void EntryStore::PackIfSmall() {
  const std::uint64_t count = size();
  const std::uint64_t few = environment_->shape().packed_entries * 3 / 8;
  // Whether the bytes fit is found out by trying: not at every count, or a few large members would
  // be copied at every erase.
  if (count > few || (count != few && (count & (count - 1)) != 0)) return;
  PackedEntries packed(layout_, environment_->memory());
  bool fits = true;
  ForRange(0, count, false, [&](const EntryView& view) {
    fits = packed.Insert(packed.size(), view.words, MemberKey(view.member), view.meta) &&
           packed.MemoryUsage() <= PackedEntries::kMaxBytes / 2;
    return fits;
  });
  if (!fits) return;
  packed_.Swap(packed);
  large_.reset();
  ++form_;
}

// Upkeep --------------------------------------------------------------------------------------

bool EntryStore::HasRoom(std::size_t writes, std::size_t bytes) const {
  if (!large_) return true;
  const std::size_t left = large_->records.PagesLeft();
  if (left < kSparePages) return false;
  if (writes <= (left - kSparePages) / kPagesPerWrite) return true;
  // Many writes share pages. A leaf with room for none may split at once, the others must fill.
  const std::size_t separators =
      std::min(kSeparatorsPerWrite * writes, 4 * large_->tree.leaves() + writes / 2);
  const std::size_t total =
      bytes + writes * kMaxHeadBytes + separators * (kMaxSeparatorBytes + kMaxHeadBytes);
  return RecordStore::PagesFor(total) <= left - kSparePages;
}

std::size_t EntryStore::MemoryUsage() const {
  if (!large_) return packed_.MemoryUsage();
  return sizeof(Large) + large_->records.MemoryUsage() + large_->nodes.MemoryUsage() +
         large_->index.MemoryUsage();
}

double EntryStore::LeafFill() const {
  if (!large_) return 0;
  return static_cast<double>(size()) /
         static_cast<double>(large_->tree.leaves() * environment_->shape().leaf_entries);
}

bool EntryStore::FreeSlice() {
  if (!large_) {
    packed_.Clear();
    return false;
  }
  if (large_->records.FreeSlice() || large_->nodes.FreeOnePage([](Handle) {})) return true;
  large_.reset();
  return false;
}

std::string EntryStore::Validate() const {
  if (large_) {
    if (packed_.size() > 0) return "store: two forms at once";
    if (std::string broken = large_->tree.Validate(); !broken.empty()) return broken;
    if (std::string broken = large_->index.Validate(); !broken.empty()) return broken;
    if (large_->tree.size() != large_->index.size())
      return "store: tree and index disagree in size";
    if (large_->tree.size() != large_->records.size()) return "store: records without entry";
    std::string broken;
    large_->tree.ForRange(0, size(), false, [&](Handle handle) {
      MemberBuffer buffer;
      const MemberKey member(large_->records.MemberOf(handle, buffer));
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
