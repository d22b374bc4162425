#include "api/saved.h"

#include <cstdint>

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

void WriteEntries(const core::Board& set, leaderboard::EffectWriter* writer) {
  core::Effect put;
  put.stamp_not_from_clock = true;
  set.entries().ForRange(0, set.entries().size(), false, [&](const core::EntryView& view) {
    put.member = view.member;
    put.words = view.words;
    writer->Entry(put, set.layout().words());
    return true;
  });
}

// Reads the entries of a sorted set.
class SetReader final : public leaderboard::EffectReader {
 public:
  explicit SetReader(core::Board* set) : words_(set->layout().words()), loader_(set->Load()) {}
  void Finish() { loader_.Finish(); }

 private:
  Status OnEntry(const core::Effect& effect, unsigned words) override {
    if (effect.kind != core::Effect::Kind::kPut || words != words_ || !effect.meta.empty()) {
      return Damaged("a sorted set has other entries");
    }
    if (loader_.Add(core::MemberKey(effect.member), effect.words, {})) return Ok{};
    return Error{ErrorCode::kLimit, "more than a board can hold"};
  }

  unsigned words_;
  core::EntryStore::Loader loader_;
};

Status ReadInto(BoardSlot* held, base::ByteCursor* cursor) {
  Status read = Ok{};
  if (core::Board* set = held->sorted_set()) {
    SetReader reader(set);
    read = reader.Read(cursor);
    reader.Finish();
  } else {
    leaderboard::Loader loader(held->leaderboard());
    read = loader.Read(cursor);
    loader.Finish();
  }
  if (read.ok() && !cursor->empty()) return Damaged("something follows it");
  return read;
}

}  // namespace

std::string Save(const BoardSlot& held) {
  std::string bytes(kVersion);
  leaderboard::EffectWriter writer(&bytes);
  writer.WriteSpec(held.entries().spec());
  if (const auto* board = std::get_if<leaderboard::Leaderboard>(&held.value)) {
    leaderboard::Leaderboard::WalkCursor cursor;
    while (board->Walk(&cursor, SIZE_MAX, &writer)) {
    }
  } else {
    WriteEntries(held.entries(), &writer);
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
    if (!there->second.HasExpired(now)) {
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
  if (leaderboard::Leaderboard* board = (*held)->leaderboard()) {
    collection->Schedule(*held, board->Due(now), /*exact=*/true);
  }
  return held;
}

}  // namespace laurel::api
