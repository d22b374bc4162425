// The format of a saved board (Board::Save, Boards::Restore):
//
//   "laurel1\n"   identifies the format and its version
//   spec          as in an effect (leaderboard/effect_codec.h)
//   effects       a leaderboard: of a walk over its whole state; a sorted set: its entries
//   CRC-32C       4 bytes, of all bytes before it
#include <cstdint>

#include "api/collection.h"
#include "base/byte_cursor.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/text.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/loader.h"

namespace laurel::api {
namespace {

constexpr std::string_view kVersion = "laurel1\n";

Error Damaged(const std::string& what) {
  return {ErrorCode::kErr, "this is no saved board: " + what};
}

Status ReadInto(BoardSlot* held, base::ByteCursor* cursor) {
  leaderboard::Loader loader(&held->board);
  const Status read = loader.Read(cursor);
  loader.Finish();
  if (read.ok() && !cursor->empty()) return Damaged("something follows it");
  return read;
}

}  // namespace

std::string Save(const BoardSlot& held) {
  std::string bytes(kVersion);
  leaderboard::EffectWriter writer(&bytes);
  writer.WriteSpec(held.board.spec());
  leaderboard::Leaderboard::WalkCursor cursor;
  while (held.board.Walk(&cursor, SIZE_MAX, &writer)) {
  }
  char checksum[sizeof(std::uint32_t)];
  base::Store(checksum, base::Crc32c(bytes));
  return bytes.append(checksum, sizeof(checksum));
}

Result<BoardSlot*> Restore(Collection* collection, std::string_view name, std::string_view saved,
                           Stamp now) {
  constexpr std::size_t kChecksumBytes = sizeof(std::uint32_t);
  if (!saved.starts_with(kVersion)) return Damaged("it does not begin as one of this version");
  if (saved.size() < kVersion.size() + kChecksumBytes) return Damaged("it is cut off");
  const std::string_view body = saved.substr(0, saved.size() - kChecksumBytes);
  if (base::Load<std::uint32_t>(saved.data() + body.size()) != base::Crc32c(body)) {
    return Damaged("its checksum is wrong");
  }
  base::ByteCursor cursor(body.substr(kVersion.size()));
  const Spec spec = leaderboard::ReadSpec(&cursor);
  if (cursor.failed()) return Damaged("it has no spec");
  if (const Status named = CheckBoardName(name, spec); !named.ok()) return named.error();
  const auto there = collection->boards.find(name);
  if (there != collection->boards.end()) {
    if (!there->second.board.HasExpired(now)) {
      return Error{ErrorCode::kExists, base::Quote(name) + " exists"};
    }
    const std::string kept(name);  // `name` may be a view of the name that Drop frees
    collection->Drop(there);
    return Restore(collection, kept, saved, now);
  }
  const Result<BoardSlot*> held = collection->Add(name, spec);
  if (!held.ok()) return held;
  if (const Status read = ReadInto(*held, &cursor); !read.ok()) {
    collection->Drop(collection->boards.find(name));
    return read.error();
  }
  collection->Schedule(*held, (*held)->board.Due(now), /*exact=*/true);
  return held;
}

}  // namespace laurel::api
