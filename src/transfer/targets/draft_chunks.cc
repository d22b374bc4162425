#include "transfer/targets/draft_chunks.h"

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
  const core::KeyLayout layout(draft.spec());
  leaderboard::EffectWriter& effects = blocks->writer().effects();
  const std::vector<BoardPart> parts = PartsOf(draft.board());
  const BoardPart* named = nullptr;  // the part that the block has named last
  std::uint32_t names = 0;           // number of instances that the block names
  Status written = Ok{};
  const auto pass = [&] {
    named = nullptr;
    names = 0;
    written = blocks->Pass();
    return written.ok();
  };
  std::uint64_t visited = 0;
  for (const BoardPart& part : parts) {
    const auto put = [&](const BoardEntry& entry) {
      if (visited++ % kProgressStep == 0 && progress) progress(visited - 1);
      if (since != nullptr && Has(*since, entry)) return true;
      if (part.span != nullptr && named != &part) {
        if (names == leaderboard::kMaxChunkInstances && !pass()) return false;
        effects.CreateInstance(++names, *part.span);
        named = &part;
      }
      core::Effect effect;
      effect.member = entry.member;
      effect.words = layout.Encode(entry.score, entry.stamp);
      effect.meta = entry.meta;
      effect.stamp_not_from_clock = true;
      effects.Entry(effect, layout.words());
      return !blocks->full() || pass();
    };
    if (!ForEachVisible(part, {0, UINT64_MAX}, put) || !ForEachHidden(part, put)) return written;
  }
  return blocks->Pass();
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
