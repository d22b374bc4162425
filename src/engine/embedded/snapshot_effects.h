// Boards as the effects of a snapshot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/board_walk.h"
#include "engine/embedded/effect_codec.h"
#include "engine/embedded/keyspace.h"
#include "laurel/result.h"
#include "storage/snapshot.h"

namespace laurel::engine {

// Encodes the boards and entries of a snapshot walk as effects.
class SnapshotVisitor : public core::BoardWalk::Visitor {
 public:
  // Appends effects, and to `ends` where blocks of them end. `board` is the one that the walk is
  // in.
  SnapshotVisitor(std::string* effects, std::vector<std::size_t>* ends, const core::Board* board)
      : effects_(effects), ends_(ends), writer_(effects), board_(board) {}

  void OnBoard(const core::NamedBoard& board) override;
  void OnEntry(const core::EntryView& view) override;
  void OnHidden(std::string_view member, const core::Board::HiddenEntry* entry) override;
  void OnRequest(const core::RememberedRequest& request) override;
  [[nodiscard]] const core::Board* board() const { return board_; }

 private:
  void EndBlock();

  std::string* effects_;
  std::vector<std::size_t>* ends_;
  EffectWriter writer_;
  const core::Board* board_;
};

// The templates that were not configured: those come with every start.
void WriteTemplates(const Keyspace& keys, std::string* effects);

// Everything, at record `record` (S = E), while nothing changes. Finishes the snapshot.
Status WriteWholeSnapshot(Keyspace* keys, std::uint64_t record, Stamp last_stamp,
                          storage::SnapshotWriter* writer);

}  // namespace laurel::engine
