// The chunks of LB.LOAD: what Leaderboard::Walk writes, cut into pieces that arrive one by one.
//
// A chunk holds whole effects, and begins with no instance selected (EffectWriter::Restart). It
// has what a portable walk writes, in its order, and nothing else: stamps, turns, marks, then
// instances and entries. Marks come first, because applying one hides the entries that are there,
// and a lenient replay does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::leaderboard {

inline constexpr std::size_t kMaxChunkBytes = std::size_t{512} << 10;

// What a load has brought. Sender and receiver compare them.
struct LoadFigures {
  std::uint64_t entries = 0;  // visible and hidden ones
  std::uint64_t digest = 0;   // of the entries, in any order
  std::uint64_t instances = 0;

  bool operator==(const LoadFigures&) const = default;
};

// Adds the entries of a chunk. Safe for arbitrary bytes: LIMIT if the chunk is too large, BADTIME
// if the calendar or a time of the board is after `latest`, ERR if it has anything that a walk does
// not write; *figures is then as before.
Status AddChunk(std::string_view chunk, Stamp latest, LoadFigures* figures);

}  // namespace laurel::leaderboard
