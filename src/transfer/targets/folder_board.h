// FolderBoard: reads the entries of a board that was loaded from a data folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/standings.h"
#include "engine/keyspace/named_board.h"
#include "laurel/entry.h"
#include "transfer/draft/entry_source.h"

namespace laurel::transfer {

// Returns the visible entries of a board, best first; no entries if `board` is null.
std::unique_ptr<EntrySource> EntriesOf(const core::Standings* standings);

class FolderBoard final : public TargetBoard {
 public:
  // REQUIRES: the board is a leaderboard and outlives this object.
  explicit FolderBoard(const engine::NamedBoard& named) : named_(named) {}

  Result<std::unique_ptr<EntrySource>> Entries(std::string_view instance) override;
  Result<std::optional<BoardEntry>> Find(std::string_view instance,
                                         std::string_view member) override;

 private:
  // Null if there is no such instance.
  [[nodiscard]] const core::Standings* StandingsOf(std::string_view instance) const;

  const engine::NamedBoard& named_;
  Entry found_;
};

}  // namespace laurel::transfer
