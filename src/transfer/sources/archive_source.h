// ArchiveSource: boards of an archive, a backup or a data folder, to import into a server. (An
// import into a data folder copies such boards whole: FolderSink::Copy.)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "transfer/folders/board_names.h"
#include "transfer/folders/loaded_boards.h"
#include "transfer/sources/board_source.h"

namespace laurel::transfer {

// A board to copy, and its new name.
struct ChosenBoard {
  const engine::NamedBoard* from = nullptr;
  std::string name;
};
// Returns the leaderboard `board` of a loaded archive; if that is empty, all boards that match the
// pattern; if that is empty too, all boards. NOBOARD if there is none.
Result<std::vector<ChosenBoard>> ChooseBoards(const LoadedBoards& boards, const std::string& board,
                                              const std::string& pattern, const Rename& rename);

class ArchiveSource final : public BoardSource {
 public:
  // The boards must outlive the source.
  explicit ArchiveSource(std::vector<ChosenBoard> chosen) : chosen_(std::move(chosen)) {}

  Result<std::vector<SourceBoard>> List() override;
  // Reads entries with their stamps, meta and hidden marks, of all instances that KEEP covers.
  Result<SourceDraft> Read(const SourceBoard& board, const ReadContext& context) override;
  [[nodiscard]] bool can_repeat() const override { return false; }
  [[nodiscard]] std::string suspects() const override { return "the archive"; }

 private:
  std::vector<ChosenBoard> chosen_;
};

}  // namespace laurel::transfer
