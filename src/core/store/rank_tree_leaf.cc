// Leaves: fragments, and searching with them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/assert.h"
#include "core/store/rank_tree.h"

namespace laurel::core {
namespace {

// The number of fragments below `bound` among all 64, by a binary search without branches.
unsigned CountBelow(const std::uint16_t* fragments, std::uint16_t bound) {
  unsigned below = 0;
  for (unsigned step = RankTree::kLeafEntries / 2; step > 0; step /= 2) {
    below += step * static_cast<unsigned>(fragments[below + step - 1] < bound);
  }
  return below + static_cast<unsigned>(fragments[below] < bound);
}

// A base and a shift with which [low, high], and as much room again on each side, fits into `bits`
// bits.
struct Frame {
  std::uint64_t base;
  std::uint8_t shift;
};

constexpr unsigned kRoomBits = 2;  // three times the span takes two more bits

Frame FrameFor(std::uint64_t low, std::uint64_t high, unsigned bits) {
  const std::uint64_t span = high - low;
  const auto needed = static_cast<unsigned>(std::bit_width(span)) + kRoomBits;
  const unsigned shift = needed > bits ? std::min(needed - bits, 63u) : 0;
  return {low - std::min(low, span), static_cast<std::uint8_t>(shift)};
}

}  // namespace

Probe RankTree::ProbeOf(Handle cell, MemberBuffer& buffer) const {
  return {cells_->WordsOf(cell), Probe::Among::kAtMember, cells_->MemberOf(cell, buffer)};
}

int RankTree::Compare(const Probe& probe, Handle cell) const {
  for (unsigned i = 0; i < order_words_; ++i) {
    const std::uint64_t word = cells_->WordAt(cell, i);
    if (probe.words[i] != word) return probe.words[i] < word ? -1 : 1;
  }
  if (probe.among != Probe::Among::kAtMember) {
    return probe.among == Probe::Among::kBeforeAll ? -1 : 1;
  }
  MemberBuffer buffer;
  return probe.member.compare(cells_->MemberOf(cell, buffer));
}

bool RankTree::SameScore(const Words& words, Handle cell) const {
  for (unsigned i = 0; i < cells_->layout().fields(); ++i) {
    if (words[i] != cells_->WordAt(cell, i)) return false;
  }
  return true;
}

RankTree::Fragment RankTree::FragmentFor(const Leaf* leaf, const Words& words) const {
  const std::uint64_t* base = BaseOf(leaf);
  const unsigned word = leaf->word;
  for (unsigned i = 0; i < word; ++i) {
    if (words[i] != base[i]) return words[i] < base[i] ? kClampedLow : kClampedHigh;
  }
  if (word == order_words_) return 1;
  if (words[word] < base[word]) return kClampedLow;
  // 0 and the largest value are reserved for clamped keys, hence the 1 and the bound.
  constexpr std::uint64_t kMost = kClampedHigh - 2;
  const std::uint64_t high = (words[word] - base[word]) >> leaf->shift;
  if (high > kMost >> leaf->low_bits) return kClampedHigh;
  std::uint64_t low = 0;
  if (leaf->low_bits > 0) {
    const std::uint64_t next = words[word + 1];
    const std::uint64_t most = (std::uint64_t{1} << leaf->low_bits) - 1;
    if (next > base[word + 1]) low = std::min(most, (next - base[word + 1]) >> leaf->low_shift);
  }
  return static_cast<Fragment>(1 + std::min(kMost, (high << leaf->low_bits) | low));
}

bool RankTree::SameFrame(const Leaf* a, const Leaf* b) const {
  return a->word == b->word && a->shift == b->shift && a->low_bits == b->low_bits &&
         a->low_shift == b->low_shift && std::equal(BaseOf(a), BaseOf(a) + order_words_, BaseOf(b));
}

void RankTree::CopyFrame(const Leaf* from, Leaf* to) const {
  to->word = from->word;
  to->shift = from->shift;
  to->low_bits = from->low_bits;
  to->low_shift = from->low_shift;
  std::copy_n(BaseOf(from), order_words_, BaseOf(to));
}

void RankTree::SetUnused(Fragment* fragments, unsigned count) {
  std::fill(fragments + count, fragments + kLeafEntries, kClampedHigh);
}

void RankTree::Reframe(std::span<const Handle> cells, std::span<Leaf* const> leaves) {
  LAUREL_ASSERT(!cells.empty() && !leaves.empty());
  for (const Handle cell : cells) cells_->Prefetch(cell);
  const Words first = cells_->WordsOf(cells.front());
  const Words last = cells_->WordsOf(cells.back());
  unsigned word = 0;
  while (word < order_words_ && first[word] == last[word]) ++word;
  Leaf* leaf = leaves[0];
  std::uint64_t* base = BaseOf(leaf);
  std::copy_n(first.begin(), order_words_, base);
  leaf->word = static_cast<std::uint8_t>(word);
  leaf->shift = leaf->low_bits = leaf->low_shift = 0;
  if (word < order_words_) {
    const Frame frame = FrameFor(first[word], last[word], kFragmentBits);
    base[word] = frame.base;
    leaf->shift = frame.shift;
    const unsigned used =
        static_cast<unsigned>(std::bit_width(last[word] - first[word])) + kRoomBits;
    if (used < kFragmentBits && word + 1 < order_words_) {
      std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
      std::uint64_t high = 0;
      for (const Handle cell : cells) {
        const std::uint64_t next = cells_->WordAt(cell, word + 1);
        low = std::min(low, next);
        high = std::max(high, next);
      }
      const Frame next = FrameFor(low, high, kFragmentBits - used);
      leaf->low_bits = static_cast<std::uint8_t>(kFragmentBits - used);
      base[word + 1] = next.base;
      leaf->low_shift = next.shift;
    }
  }
  for (Leaf* other : leaves.subspan(1)) CopyFrame(leaf, other);
  for (Leaf* each : leaves) {
    for (unsigned i = 0; i < each->count; ++i) {
      FragmentsOf(each)[i] = FragmentFor(each, cells_->WordsOf(HandlesOf(each)[i]));
    }
  }
}

void RankTree::Reframe(Leaf* leaf) {
  Reframe({HandlesOf(leaf), leaf->count}, {&leaf, 1});
  leaf->reframe_at = static_cast<std::uint8_t>(std::min(leaf->count * 2, 255));
}

std::optional<bool> RankTree::SameScoreByFragment(const Leaf* leaf, Fragment a, Fragment b) const {
  const unsigned fields = cells_->layout().fields();
  const auto clamped = [](Fragment f) { return f == kClampedLow || f == kClampedHigh; };
  if (clamped(a) || clamped(b)) return std::nullopt;
  if (leaf->word >= fields) return true;  // the leaf's entries differ in stamps or members only
  // Drops the low bits if they come from the stamp, which is no part of the score.
  const unsigned dropped = leaf->word + 1u >= fields ? leaf->low_bits : 0;
  if ((a - 1) >> dropped != (b - 1) >> dropped) return false;
  if (leaf->word + 1u == fields && leaf->shift == 0) return true;
  return std::nullopt;
}

unsigned RankTree::LowerBound(const Leaf* leaf, const Probe& probe, Fragment fragment) const {
  const Fragment* fragments = FragmentsOf(leaf);
  const Handle* handles = HandlesOf(leaf);
  unsigned low = CountBelow(fragments, fragment);
  unsigned high = fragment == kClampedHigh ? leaf->count : low;
  while (high < leaf->count && fragments[high] == fragment) ++high;
  // Fast path: input that arrives in order goes after all entries with an equal fragment.
  if (low < high && Compare(probe, handles[high - 1]) > 0) return high;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (Compare(probe, handles[middle]) > 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

unsigned RankTree::PlaceOf(const Leaf* leaf, Handle cell, Fragment fragment) const {
  const Handle* handles = HandlesOf(leaf);
  unsigned place = CountBelow(FragmentsOf(leaf), fragment);
  while (place < leaf->count && handles[place] != cell) ++place;
  LAUREL_ASSERT(place < leaf->count);
  return place;
}

void RankTree::LeafInsert(Leaf* leaf, unsigned place, Handle cell, Fragment fragment,
                          bool is_score_start) {
  Fragment* fragments = FragmentsOf(leaf);
  Handle* handles = HandlesOf(leaf);
  const unsigned behind = leaf->count - place;
  std::memmove(fragments + place + 1, fragments + place, behind * sizeof(Fragment));
  std::memmove(handles + place + 1, handles + place, behind * sizeof(Handle));
  fragments[place] = fragment;
  handles[place] = cell;
  const std::uint64_t below = (std::uint64_t{1} << place) - 1;
  leaf->score_starts = (leaf->score_starts & below) | (std::uint64_t{is_score_start} << place) |
                       ((leaf->score_starts & ~below) << 1);
  ++leaf->count;
}

void RankTree::LeafErase(Leaf* leaf, unsigned place) {
  Fragment* fragments = FragmentsOf(leaf);
  Handle* handles = HandlesOf(leaf);
  const unsigned behind = leaf->count - place - 1u;
  std::memmove(fragments + place, fragments + place + 1, behind * sizeof(Fragment));
  std::memmove(handles + place, handles + place + 1, behind * sizeof(Handle));
  --leaf->count;
  fragments[leaf->count] = kClampedHigh;
  const std::uint64_t below = (std::uint64_t{1} << place) - 1;
  leaf->score_starts = (leaf->score_starts & below) | ((leaf->score_starts >> 1) & ~below);
}

}  // namespace laurel::core
