#include "leaderboard/walk.h"

#include <optional>
#include <span>
#include <utility>

#include "base/byte_cursor.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/text.h"
#include "laurel/limits.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/load.h"

namespace laurel::leaderboard {
namespace {

using WalkCursor = Leaderboard::WalkCursor;
using Phase = WalkCursor::Phase;

// A chunk ends after this many steps of WalkBounds::items. Steps may find no entry, where a board
// had more of them.
constexpr int kMostSteps = 4096;
static_assert(WalkBounds().full_bytes +
                  WalkBounds().items * (kMaxMemberBytes + kMaxMetaBytes + 128) <
              kMaxChunkBytes);

// Marks cursors of this process. They contain places in the order of its hashes.
std::uint64_t MarkOf(const Leaderboard& board) {
  return base::HashInteger(0x57616c6b, board.standings().environment()->hash_seed()) >> 32;
}

std::string TextOf(const WalkCursor& cursor, std::uint64_t mark) {
  if (cursor.phase >= Phase::kRequests) return std::string(kWalkEnds);  // they do not travel
  std::string bytes;
  EffectWriter to(&bytes);
  to.WriteNumber(mark);
  to.WriteNumber(static_cast<std::uint64_t>(cursor.phase));
  to.WriteNumber(cursor.stored);
  to.WriteNumber(cursor.position);
  to.WriteNumber(cursor.after ? 1 : 0);
  bytes += cursor.after.value_or("");
  return base::Hex(std::as_bytes(std::span(bytes)));
}

// None if the text is no cursor that a walk over such a board gives.
std::optional<WalkCursor> Parse(std::string_view text, const Leaderboard& board) {
  WalkCursor cursor;
  cursor.order = WalkCursor::Order::kHash;
  cursor.portable = true;
  if (text == kWalkEnds) return cursor;
  if (text.size() > 2 * (5 * base::kMaxVarintBytes + kMaxMemberBytes)) return std::nullopt;
  const std::optional<std::string> bytes = base::Unhex(text);
  if (!bytes) return std::nullopt;
  base::ByteCursor from(*bytes);
  const bool known = from.Number() == MarkOf(board);
  cursor.phase = from.Choose(Phase::kHidden);
  cursor.stored = from.Choose(UINT32_MAX);
  cursor.position = from.Number();
  if (from.Choose(std::uint64_t{1}) == 1) cursor.after.emplace(from.rest());
  const bool of_instance = cursor.phase == Phase::kInstance || cursor.stored != 0;
  const bool fits = cursor.phase != Phase::kHead && (board.has_periods() || !of_instance);
  return known && fits && !from.failed() ? std::optional(std::move(cursor)) : std::nullopt;
}

}  // namespace

Result<WalkedChunk> WalkChunk(const Leaderboard& board, std::string_view cursor,
                              const WalkBounds& bounds) {
  std::optional<WalkCursor> at = Parse(cursor, board);
  if (!at) {
    return Error{ErrorCode::kErr,
                 "this is no cursor of a walk by this process, as after a restart: begin again "
                 "with 0"};
  }
  WalkedChunk chunk;
  EffectWriter effects(&chunk.effects);
  bool more = true;
  for (int step = 0; more && step < kMostSteps && chunk.effects.size() < bounds.full_bytes;
       ++step) {
    more = board.Walk(&*at, bounds.items, &effects);
  }
  chunk.cursor = TextOf(*at, MarkOf(board));
  return chunk;
}

}  // namespace laurel::leaderboard
