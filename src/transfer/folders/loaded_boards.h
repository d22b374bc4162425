// Loads boards into memory without a server: those of a data folder, to inspect, export or extend
// them, and (LoadedBoards) those of a data folder, a backup folder or a .laurel archive for
// reading, in exactly the state at one record.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "engine/keyspace/digest.h"
#include "engine/keyspace/keyspace.h"
#include "engine/keyspace/named_board.h"
#include "laurel/result.h"
#include "laurel/stamp.h"
#include "storage/archive.h"
#include "storage/recovery.h"

namespace laurel::transfer {

struct LoadedState {
  std::unique_ptr<engine::Keyspace> keys;
  storage::Recovery recovery;
  engine::Digest digest;  // set by LoadState only
  Stamp last_stamp = 0;
};

// Loads the folder without changing it, like a start of the server. With Holes::kSkip,
// inconsistencies caused by lost records are resolved (Restorer::Reconcile).
Result<LoadedState> LoadBoards(base::Folder* folder, const storage::RecoverOptions& options);

// Loads the folder like LoadBoards, then checks every board (CheckInstances) and computes the
// digest, each in O(n).
Result<LoadedState> LoadState(base::Folder* folder, const storage::RecoverOptions& options);

// Finds damage that no single record shows: two instances of a period with the same label, hidden
// entries without a hidden mark, or visible entries with one.
Status CheckInstances(engine::Keyspace* keys);

class LoadedBoards {
 public:
  // `path`: a file is a .laurel archive, a folder with a manifest is a backup, any other folder is
  // a data folder, which stays locked while this object lives. ERR if a server uses it, naming the
  // process; if it holds no data; if it is damaged.
  static Result<LoadedBoards> Open(const std::string& path,
                                   const storage::ProgressCallback& progress);

  // Boards that were read from elsewhere.
  explicit LoadedBoards(LoadedState state) : state_(std::move(state)) {}

  // Returns the board of that name, even if it is declared and empty; null if there is none. Never
  // an instance.
  [[nodiscard]] const engine::NamedBoard* Find(std::string_view name) const;
  // The boards whose names match the glob pattern, by name; none if the pattern is longer than
  // base::kMaxGlobBytes.
  [[nodiscard]] std::vector<const engine::NamedBoard*> Match(std::string_view pattern) const;
  // The board of that name or, if it is empty, those that match the pattern; none if there is none.
  [[nodiscard]] std::vector<const engine::NamedBoard*> Choose(std::string_view name,
                                                              std::string_view pattern) const;

  // The log record whose state is loaded.
  [[nodiscard]] std::uint64_t record() const { return state_.recovery.last; }
  // The last stamp that the folder's clock has given.
  [[nodiscard]] Stamp last_stamp() const { return state_.last_stamp; }
  [[nodiscard]] engine::Keyspace& keys() const { return *state_.keys; }
  // Problems of the folder to report to the user: a torn tail, or damage that the newest snapshot
  // covers.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  LoadedBoards() = default;

  std::unique_ptr<base::Folder> folder_;
  std::unique_ptr<base::FolderLock> lock_;
  LoadedState state_;
  std::vector<std::string> warnings_;
};

// Loads a backup and checks that it is complete and has the state at the record that its manifest
// names. Errors name the backup.
Result<LoadedState> LoadArchive(const storage::Archive& archive,
                                const storage::ProgressCallback& progress);

// Whether the folder has a file of the log or a snapshot.
bool HasData(base::Folder* folder);

}  // namespace laurel::transfer
