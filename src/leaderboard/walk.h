// LB.WALK: reads a whole leaderboard in chunks, as effects that LB.LOAD takes.
//
// The walk keeps nothing on the server: its cursor holds the place. The leaderboard may change
// between two chunks. Then
//   - an entry that stays is given once, as it was when its chunk was read;
//   - an entry that comes or goes meanwhile, is hidden or shown, is given once, twice or not;
//   - the version of the later chunks is another one. If all chunks have the same version, they are
//     the board at one moment.
//
// Entries come by the hashes of their members, because that order does not change with the scores:
// in the board's own order an entry that moves up past the cursor would be missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "leaderboard/leaderboard.h"

namespace laurel::leaderboard {

// The cursor of the first chunk, and the one after the last chunk.
inline constexpr std::string_view kWalkEnds = "0";

// Where a chunk ends. Tests use smaller values.
struct WalkBounds {
  std::size_t full_bytes = std::size_t{256} << 10;  // a chunk of this size ends
  std::size_t items = 16;                           // between two checks of its size
};

struct WalkedChunk {
  std::string effects;  // at most kMaxChunkBytes; no request ids, no notes of closes
  std::string cursor;   // of the next chunk
};

// Reads the chunk at the cursor. Visits a bounded number of items, so it takes a few milliseconds.
// ERR if the text is no cursor, or one of another process: a restarted server, a replica, the new
// primary after a failover. A cursor of another leaderboard, or one that was made up, leads to some
// of the effects of this one.
Result<WalkedChunk> WalkChunk(const Leaderboard& board, std::string_view cursor,
                              const WalkBounds& bounds = {});

// Writes the answer. `version`: equal versions of one board, equal contents.
template <typename Writer>
void WriteWalked(const Leaderboard& board, std::uint64_t version, std::string_view cursor,
                 Writer* reply) {
  const Result<WalkedChunk> chunk = WalkChunk(board, cursor);
  if (!chunk.ok()) return reply->Error(chunk.error());
  reply->Map(4);
  reply->Bulk("create");
  reply->Bulk(DescribeSpec(board.spec()));
  reply->Bulk("version");
  reply->Integer(static_cast<std::int64_t>(version));
  reply->Bulk("cursor");
  reply->Bulk(chunk->cursor);
  reply->Bulk("effects");
  reply->Bulk(chunk->effects);
}

}  // namespace laurel::leaderboard
