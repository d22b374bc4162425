// FolderSink: writes the boards of an import into a data folder that no server uses.
//
//   Open      locks the folder and loads its boards
//   Begin     finds the board, or gives a new one its id
//   Write     a new board: its entries go straight into the new snapshot, in the board's order
//             an existing board: its entries change in memory, as by LB.RESTORE
//   Finish    writes all other boards, and publishes the snapshot
//
//   folder    snapshot-42  log-30 … log-50     the existing data, through record 57
//             snapshot.tmp                     the new snapshot, while it is written
//             snapshot-58                      its name once it is complete on disk (S = E = 58)
//
// Until the snapshot has its name the folder holds the old state, afterwards the new one. There is
// no state in between: after a crash, a full disk or an error at most snapshot.tmp remains, which
// the next start removes. The import takes a record number that the log does not have. Therefore
//   - a folder whose new snapshot is damaged is refused: the older snapshots and the log lead only
//     to a state without the import, which must not pass for the newest one;
//   - a reader of LB.CHANGES gets a gap, because the log does not contain the import's changes.
//
// Entries of an existing board are replaced, whatever its policy (leaderboard::Restore); the draft
// has already folded the rows. A whole Write is one step: a cap keeps the best of the present and
// the given entries. Hidden members stay hidden; a hidden row hides its member.
//
// Instances of a new board that are over are created closed, without an event for LB.CHANGES,
// because they were closed elsewhere. The next start closes those of an existing board.
//
// Memory: what the server needs for the existing boards; nothing for new ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "engine/keyspace/keyspace.h"
#include "engine/keyspace/named_board.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/operation.h"
#include "storage/recovery.h"
#include "storage/snapshot.h"
#include "transfer/folders/loaded_boards.h"
#include "transfer/targets/board_sink.h"
#include "transfer/targets/draft_chunks.h"

namespace laurel::transfer {

struct FolderOptions {
  Stamp now = 0;                        // the clock
  storage::ProgressCallback loading{};  // progress of loading the folder
  bool replace = false;                 // replaces existing boards
};

class FolderSink : public BoardSink {
 public:
  // Figures of the writes so far.
  struct Report {
    std::uint64_t entries = 0;   // of written drafts and boards, including hidden ones
    std::uint64_t over_cap = 0;  // entries, given or present, that a cap removed
  };

  // Opens a data folder, and creates it if needed. ERR if another process uses it, naming the
  // process; if it is damaged; if it is a backup.
  static Result<std::unique_ptr<FolderSink>> Open(const std::string& path,
                                                  const FolderOptions& options);
  // Opens a folder that the caller keeps open.
  static Result<std::unique_ptr<FolderSink>> Open(base::Folder* folder,
                                                  const FolderOptions& options);
  // If Finish was not called: removes an unfinished snapshot, and the folder if Open created it.
  ~FolderSink() override;
  FolderSink(const FolderSink&) = delete;
  FolderSink& operator=(const FolderSink&) = delete;

  Result<std::optional<Spec>> Find(const std::string& board) override;
  // ERR also if the board's own EXPIRE has passed, so that the next start would drop it; if
  // `period` does not fit the board (Placement::Make); or if a new board was already written.
  Status Begin(const std::string& board, const Spec& spec,
               const std::optional<std::string>& period) override;
  // BADTIME, before anything is written, if a stamp is more than a second ahead of the clock. Must
  // be called once per Begin. After any other error the sink is unusable.
  Status Write(Draft* draft, const WriteProgress& progress) override;
  [[nodiscard]] std::uint64_t over_cap() const override { return report_.over_cap; }
  Status Finish() override;

  // Advances the clock of FolderOptions, because reading the source may take long.
  void Advance(Stamp now) { now_ = std::max(now_, now); }

  // Copies a board of another folder with everything but its request ids: spec, entries, stamps,
  // meta, marks, instances, expiry. EXISTS if the name is taken, even by an empty leaderboard.
  Status Copy(const engine::NamedBoard& from, const std::string& name,
              const WriteProgress& progress);
  // Raises the folder's clock: it will give no stamp at or before `stamp`. For copies of boards,
  // whose stamps come from another clock.
  void RaiseClock(Stamp stamp);

  [[nodiscard]] const Report& report() const { return report_; }
  // The boards of the folder, including the changes by Write, without the new boards.
  [[nodiscard]] engine::Keyspace& keys() { return *state_.keys; }

 private:
  // The board that was begun and is not yet written.
  struct Begun {
    std::string name;
    Spec spec;
    engine::NamedBoard* present = nullptr;  // null for a new board
  };

  FolderSink(base::Folder* folder, const FolderOptions& options)
      : folder_(folder), now_(options.now), replace_(options.replace) {}

  // Returns the existing board that stays; null if there is none. Drops a board that is replaced.
  engine::NamedBoard* TakePresent(const std::string& name);
  std::uint64_t NewId();
  // Begins the snapshot if that was not yet done. From here on the folder changes.
  Status NeedWriter();
  // Writes a new board, whose creation the blocks have already.
  Status WriteBoard(const std::string& name, const leaderboard::Leaderboard& board,
                    const WriteProgress& progress, EffectBlocks* blocks);
  Status WriteNew(Draft* draft, const WriteProgress& progress);
  Status Merge(const Draft& draft, const WriteProgress& progress);
  // Executes an operation on the board that was begun. REQUIRES: it existed before.
  Status Execute(const leaderboard::WriteOperation& operation);
  Status Publish();
  // Keeps an error; no write may follow it.
  Status Keep(const Status& status);
  [[nodiscard]] std::uint64_t record() const { return state_.recovery.last + 1; }

  std::unique_ptr<base::Folder> own_folder_;  // null: the caller keeps it open
  base::Folder* folder_;
  std::unique_ptr<base::FolderLock> lock_;
  std::string new_path_;  // a folder that Open created; empty if it existed
  Stamp now_;
  bool replace_;
  LoadedState state_;
  std::map<std::string, Spec, std::less<>> new_boards_;
  std::optional<Begun> begun_;
  std::unique_ptr<storage::SnapshotWriter> writer_;
  std::optional<Error> failure_;
  bool finished_ = false;
  std::uint64_t new_entries_ = 0;  // entries written into the snapshot for new boards
  Report report_;
};

}  // namespace laurel::transfer
