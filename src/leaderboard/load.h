// The chunks of LB.LOAD and LB.RESTORE: what Leaderboard::Walk writes, cut into pieces that arrive
// one by one.
//
// A chunk holds whole effects, and begins with no instance selected (EffectWriter::Restart). It
// has what a portable walk writes, in its order, and nothing else: stamps, turns, marks, then
// instances and entries. Marks come first, because applying one hides the entries that are there,
// and a lenient replay does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/score_key.h"
#include "laurel/entry.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::leaderboard {

class Leaderboard;

inline constexpr std::size_t kMaxChunkBytes = std::size_t{512} << 10;
inline constexpr std::size_t kMaxChunkInstances = 64;  // of a chunk of LB.RESTORE
// Hosts drop a load that has got no chunk for so long.
inline constexpr std::int64_t kLoadLifeMicros = std::int64_t{10} * 60 * 1'000'000;

// What a load has brought. Sender and receiver compare them.
struct LoadFigures {
  std::uint64_t entries = 0;  // visible and hidden ones
  std::uint64_t digest = 0;   // of the entries, in any order
  std::uint64_t instances = 0;

  bool operator==(const LoadFigures&) const = default;
};

// The digest as 16 hexadecimal digits.
std::string DigestText(std::uint64_t digest);

// Adds the entries of a chunk. Safe for arbitrary bytes: LIMIT if the chunk is too large, BADTIME
// if the calendar or a time of the board is after `latest`, ERR if it has anything that a walk does
// not write; *figures is then as before.
Status AddChunk(std::string_view chunk, Stamp latest, LoadFigures* figures);

// Writes the answer to a commit.
template <typename Writer>
void WriteFigures(const LoadFigures& figures, Writer* reply) {
  reply->Map(2);
  reply->Bulk("count");
  reply->Integer(static_cast<std::int64_t>(figures.entries));
  reply->Bulk("digest");
  reply->Bulk(DigestText(figures.digest));
}

// How far a load has come.
struct LoadProgress {
  std::uint64_t next = 1;  // the number of the next chunk
  LoadFigures figures{};
};

// Adds chunk `number` to a board that is being loaded; `now` is the host's clock. Returns false,
// and does nothing, if that chunk was added before. After an error with *ruined the board has a
// part of the chunk and must be dropped; otherwise it is as before.
Result<bool> ApplyChunk(std::uint64_t number, std::string_view chunk, Stamp now, Leaderboard* board,
                        LoadProgress* progress, bool* ruined);

// The entries of a chunk as writes that restore them (WriteMode::kRestore), by instance. The writes
// hold views of the chunk.
struct ChunkSection {
  std::optional<Instance> instance{};  // none: the board itself
  std::vector<Write> writes{};
};

// Reads a chunk of entries for a board that is in use. Safe for arbitrary bytes: LIMIT if the chunk
// is too large, ERR if it has anything but instances and entries.
Result<std::vector<ChunkSection>> ReadEntries(std::string_view chunk, const core::KeyLayout& layout,
                                              bool with_meta);

// The errors of a load that is not there, of an id that is in use, and of a name that is taken.
Error NoLoad(std::string_view board, std::string_view id);
Error LoadHasBegun(std::string_view id);
Error NameIsTaken(std::string_view board);

}  // namespace laurel::leaderboard
