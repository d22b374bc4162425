// Import: moves boards of a source into a target.
//
//   List ─► for each board: Find ─► Read ─► Draft::Finish ─► checks ─► Begin ─► Write ─► Verify
//
// Boards are read, checked and written one after another. A failed check ends the import before its
// board is written. Boards before it stay written, except in a data folder, which changes only as a
// whole.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/load.h"
#include "transfer/report/reporter.h"
#include "transfer/sources/archive_source.h"
#include "transfer/sources/board_source.h"
#include "transfer/targets/board_sink.h"
#include "transfer/targets/folder_sink.h"
#include "transfer/targets/server_sink.h"
#include "transfer/targets/verify.h"
#include "transfer/text/rejects.h"

namespace laurel::transfer {

struct ImportOptions {
  std::optional<Spec> spec;           // --spec
  std::optional<std::string> period;  // --period
  bool dry_run = false;
  bool force = false;  // skips the checks of values and times
  bool verify = false;
  bool follow = false;  // Follow will be called after Run
  Stamp now = 0;
};

// The target of an import: either a server or a folder.
struct ImportTarget {
  std::unique_ptr<ServerSink> server;
  std::unique_ptr<FolderSink> folder;
  std::string name;  // the address or the path, for messages

  [[nodiscard]] BoardSink* sink() const {
    return server != nullptr ? static_cast<BoardSink*>(server.get()) : folder.get();
  }
};

struct ImportResult {
  std::uint64_t rejected = 0;     // rows; after Follow, those of its last pass
  std::uint64_t differences = 0;  // found by Verify
};

class Import {
 public:
  // All arguments must outlive the import. A dry run may have a target without a sink: a data
  // folder that does not exist yet.
  Import(BoardSource* source, ImportTarget* target, ImportOptions options, Rejects* rejects,
         Reporter* reporter)
      : source_(source),
        target_(target),
        options_(std::move(options)),
        rejects_(rejects),
        reporter_(reporter) {}

  Result<ImportResult> Run();

  // Continues after Run until *finish is true: reads the source every `interval_us`, writes changed
  // entries and removes vanished ones. Then reads it a last time and verifies the boards. REQUIRES:
  // the target is a server; the source can be read again.
  Result<ImportResult> Follow(std::int64_t interval_us, const std::atomic<bool>& finish);

 private:
  // A board that was written, with the written draft.
  struct Written {
    SourceBoard board;
    Spec spec;
    SourceDraft read;
    Draft::Report report;
    std::uint64_t rejected = 0;  // rows of the source
    bool gone = false;           // the source has lost all rows; the target keeps its entries
    // The server's figures of a board that was loaded as a whole.
    std::optional<leaderboard::LoadFigures> loaded{};
  };

  Result<Spec> ChooseSpec(const SourceBoard& board);
  // Reads the board into a finished draft.
  Result<Written> Read(const SourceBoard& board, const Spec& spec, Rejects* rejects);
  Status ImportBoard(const SourceBoard& board);
  Status Write(Written* board);

  Status VerifyOnServer(const Written& board);
  Status VerifyInFolder();
  // Reads the source again and reports what has changed.
  Status CompareWithSource(const Written& board);
  void SayRead(const Written& board);
  void SayBest(const Written& board);
  void SayVerified(const Written& board, const VerifyReport& report);

  // One round of Follow.
  Status Pass();
  // ERR if two boards would get the same name.
  static Status CheckNames(std::span<const SourceBoard> boards);
  // Changes the target from `known` to `now`.
  Status WriteChanges(const Written& known, const Written& now);
  Status PassBoard(const SourceBoard& board);

  BoardSource* source_;
  ImportTarget* target_;
  ImportOptions options_;
  Rejects* rejects_;
  Reporter* reporter_;
  ImportResult result_;
  bool follows_ = false;
  std::vector<Written> written_;  // the boards that VerifyInFolder or Follow needs
};

// Copies whole boards of an archive, a backup or a data folder into a data folder (spec, entries,
// stamps, meta, marks and instances), and finishes the folder. EXISTS if a name is taken.
Status CopyBoards(std::span<const ChosenBoard> boards, Stamp last_stamp, FolderSink* folder,
                  Reporter* reporter);

// Compares the boards with those of the folder: specs, entries, hidden entries, marks and
// instances. Reports each difference, and returns the number of boards that differ.
Result<std::uint64_t> CompareCopies(std::span<const ChosenBoard> boards, const std::string& folder,
                                    Reporter* reporter);

}  // namespace laurel::transfer
