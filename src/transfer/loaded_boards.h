// LoadedBoards: the boards of a data folder, a backup folder or a .laurel archive in memory, to
// read them: exactly the state at one record.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "engine/keyspace/keyspace.h"
#include "engine/keyspace/named_board.h"
#include "laurel/result.h"
#include "laurel/stamp.h"
#include "storage/archive.h"
#include "storage/recovery.h"
#include "transfer/loaded_state.h"

namespace laurel::transfer {

class LoadedBoards {
 public:
  // `path`: a file is a .laurel archive, a folder with a manifest is a backup, any other folder is
  // a data folder, which stays locked as long as this object lives. ERR if a server uses it, naming
  // the process; if it holds no data; if it is damaged.
  static Result<LoadedBoards> Open(const std::string& path,
                                   const storage::ProgressCallback& progress);

  // The board of that name, a declared and empty one too; null if there is none. Never an instance.
  [[nodiscard]] const engine::NamedBoard* Find(std::string_view name) const;
  // The boards whose names match the glob pattern, by name. REQUIRES: the pattern has at most
  // base::kMaxGlobBytes.
  [[nodiscard]] std::vector<const engine::NamedBoard*> Match(std::string_view pattern) const;

  // The record of the log whose state this is.
  [[nodiscard]] std::uint64_t record() const { return state_.recovery.last; }
  // The last stamp that the folder's clock has given.
  [[nodiscard]] Stamp last_stamp() const { return state_.last_stamp; }
  [[nodiscard]] engine::Keyspace& keys() const { return *state_.keys; }
  // What a user should know of the folder: a torn tail, damage that the newest snapshot covers.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  LoadedBoards() = default;

  std::unique_ptr<base::Folder> folder_;
  std::unique_ptr<base::FolderLock> lock_;
  LoadedState state_;
  std::vector<std::string> warnings_;
};

// Loads a backup and checks that it is whole, and that it is the state at the record that its
// manifest names. Errors name the backup.
Result<LoadedState> LoadArchive(const storage::Archive& archive,
                                const storage::ProgressCallback& progress);

// Whether the folder has a file of the log or a snapshot.
bool HasData(base::Folder* folder);

}  // namespace laurel::transfer
