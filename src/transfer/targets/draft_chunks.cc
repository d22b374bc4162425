#include "transfer/targets/draft_chunks.h"

#include <string>

#include "core/effects.h"
#include "core/marks.h"
#include "laurel/limits.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/load.h"

namespace laurel::transfer {
namespace {

constexpr std::uint64_t kProgressStep = 16'384;  // entries
constexpr std::size_t kWalkStep = 32;            // items between two checks of a block's size
static_assert(EffectBlocks::kBlockBytes + kWalkStep * (kMaxMemberBytes + kMaxMetaBytes + 128) <
              leaderboard::kMaxChunkBytes);

// Builds the blocks of WriteEntries.
class Entries {
 public:
  Entries(const Spec& spec, EffectBlocks* blocks)
      : layout_(spec), blocks_(*blocks), effects_(blocks->writer().effects()) {}

  Status Name(const Instance& span) {
    if (named_ == leaderboard::kMaxChunkInstances) {
      if (Status passed = Pass(); !passed.ok()) return passed;
    }
    effects_.CreateInstance(++named_, span);
    return Ok{};
  }
  Status Put(const BoardEntry& entry) {
    core::Effect effect;
    effect.member = entry.member;
    effect.words = layout_.Encode(entry.score, entry.stamp);
    effect.meta = entry.meta;
    effect.stamp_not_from_clock = true;
    effects_.Entry(effect, layout_.words());
    return Ok{};
  }
  [[nodiscard]] bool full() const { return blocks_.full(); }
  [[nodiscard]] bool names_none() const { return named_ == 0; }
  Status Pass() {
    named_ = 0;
    return blocks_.Pass();
  }

 private:
  const core::KeyLayout layout_;
  EffectBlocks& blocks_;
  leaderboard::EffectWriter& effects_;
  std::uint32_t named_ = 0;  // number of instances that the block names
};

}  // namespace

Result<std::uint64_t> WriteWalk(const leaderboard::Leaderboard& board,
                                const WriteProgress& progress, EffectBlocks* blocks) {
  leaderboard::Leaderboard::WalkCursor cursor;
  cursor.order = leaderboard::Leaderboard::WalkCursor::Order::kBest;
  cursor.portable = true;
  std::uint64_t told = 0;
  for (bool more = true; more;) {
    more = board.Walk(&cursor, kWalkStep, &blocks->writer().effects());
    if (blocks->full()) {
      if (const Status passed = blocks->Pass(); !passed.ok()) return passed.error();
    }
    if (progress && cursor.visited >= told + kProgressStep) progress(told = cursor.visited);
  }
  if (progress) progress(cursor.visited);
  return cursor.visited;
}

Status WriteEntries(const Draft& draft, const Draft* since, const WriteProgress& progress,
                    EffectBlocks* blocks) {
  Entries entries(draft.spec(), blocks);
  const std::vector<BoardPart> parts = PartsOf(draft.board());
  auto part = parts.begin();
  bool named = false;  // the block names the part
  Status written = Ok{};
  std::uint64_t visited = 0;
  ForEachEntry(draft.board(), [&](const BoardEntry& entry) {
    if (visited++ % kProgressStep == 0 && progress) progress(visited - 1);
    if (since != nullptr && Has(*since, entry)) return true;
    while (part->instance != entry.instance) {
      ++part;
      named = false;
    }
    named = named && !entries.names_none();
    if (!named && part->span != nullptr) written = entries.Name(*part->span);
    named = true;
    if (written.ok()) written = entries.Put(entry);
    if (written.ok() && entries.full()) written = entries.Pass();
    return written.ok();
  });
  return written.ok() ? entries.Pass() : written;
}

std::vector<std::string_view> HiddenMembers(const Draft& draft) {
  std::vector<std::string_view> members;
  const core::Marks* marks = draft.board().marks();
  if (marks == nullptr) return members;
  marks->ForSome(nullptr, SIZE_MAX, [&](std::string_view member) { members.push_back(member); });
  return members;
}

bool HasMeta(const Draft& draft) {
  bool has_meta = false;
  ForEachEntry(draft.board(), [&](const BoardEntry& entry) {
    has_meta = !entry.meta.empty();
    return !has_meta;
  });
  return has_meta;
}

bool Has(const Draft& draft, const BoardEntry& entry) {
  const std::optional<BoardEntry> held = FindEntry(draft.board(), entry.instance, entry.member);
  return held && held->score == entry.score && held->stamp == entry.stamp &&
         held->meta == entry.meta && held->hidden == entry.hidden;
}

}  // namespace laurel::transfer
