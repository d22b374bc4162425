#include "transfer/folders/loaded_boards.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/glob.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/disk/restorer.h"
#include "storage/format.h"
#include "storage/manifest.h"

namespace laurel::transfer {
namespace {

namespace fs = std::filesystem;

Error RefusalOf(const base::Folder& folder, const Error& error) {
  return {ErrorCode::kErr, folder.path() + ": " + error.message};
}

bool IsBackup(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return true;
  return fs::exists(fs::path(path) / storage::kManifestName, ignored);
}

}  // namespace

Result<LoadedState> LoadBoards(base::Folder* folder, const storage::RecoverOptions& options) {
  LoadedState state;
  state.keys = std::make_unique<engine::Keyspace>(base::SystemMemory(), base::SystemEntropy());
  engine::Restorer restorer(state.keys.get());
  Result<storage::Recovery> recovery = storage::Recover(folder, &restorer, options);
  if (!recovery.ok()) return recovery.error();
  if (options.holes == storage::Holes::kSkip && !recovery->lost.empty()) restorer.Reconcile();
  const Status finished = restorer.Finish();
  if (!finished.ok()) return RefusalOf(*folder, finished.error());
  state.recovery = std::move(*recovery);
  state.last_stamp = restorer.last_stamp();
  return state;
}

Result<LoadedState> LoadState(base::Folder* folder, const storage::RecoverOptions& options) {
  Result<LoadedState> state = LoadBoards(folder, options);
  if (!state.ok()) return state;
  const Status whole = CheckInstances(state->keys.get());
  if (!whole.ok()) return RefusalOf(*folder, whole.error());
  state->digest = engine::DigestOf(state->keys.get());
  return state;
}

// Spans are not compared, because they may overlap for a while after a time zone's rules changed.
Status CheckInstances(engine::Keyspace* keys) {
  for (const engine::NamedBoard* named = keys->catalog().FirstById(); named != nullptr;
       named = engine::Catalog::NextById(named)) {
    if (!named->is_leaderboard()) continue;
    const auto damaged = [&](const std::string& what) {
      return Error{ErrorCode::kErr, "board " + base::Quote(named->name) + ": " + what};
    };
    std::set<std::pair<Period, std::string_view>> labels;
    for (const auto& stored : named->board.instances()) {
      if (labels.emplace(stored->span.period, stored->span.label).second) continue;
      return damaged(base::Quote(leaderboard::InstanceName(named->name, stored->span)) +
                     " is there twice");
    }
    if (const std::string broken = named->board.Validate(); !broken.empty()) {
      return damaged(broken);
    }
  }
  return Ok{};
}

bool HasData(base::Folder* folder) {
  const Result<std::vector<std::string>> names = folder->List();
  return names.ok() && std::any_of(names->begin(), names->end(), [](const std::string& name) {
           return storage::NumberOfName(storage::FileKind::kLog, name) ||
                  storage::NumberOfName(storage::FileKind::kSnapshot, name);
         });
}

Result<LoadedState> LoadArchive(const storage::Archive& archive,
                                const storage::ProgressCallback& progress) {
  storage::RecoverOptions how;
  how.progress = progress;
  Result<LoadedState> loaded = LoadState(archive.folder.get(), how);
  if (!loaded.ok()) return loaded;
  const storage::Recovery& recovery = loaded->recovery;
  if (recovery.torn || !recovery.warnings.empty()) {
    return Err(archive.folder->path() + " is not whole");
  }
  if (recovery.last == archive.manifest.record && recovery.history == archive.manifest.history) {
    return loaded;
  }
  return Err(archive.folder->path() + " is the state at record " + std::to_string(recovery.last) +
             ", not at " + std::to_string(archive.manifest.record));
}

Result<LoadedBoards> LoadedBoards::Open(const std::string& path,
                                        const storage::ProgressCallback& progress) {
  LoadedBoards boards;
  if (IsBackup(path)) {
    Result<storage::Archive> archive = storage::OpenArchive(path);
    if (!archive.ok()) return archive.error();
    // Every frame has a checksum, but the bytes outside of frames have none.
    if (const Status whole = storage::VerifyArchive(*archive, nullptr); !whole.ok()) {
      return whole.error();
    }
    Result<LoadedState> loaded = LoadArchive(*archive, progress);
    if (!loaded.ok()) return loaded.error();
    boards.folder_ = std::move(archive->folder);
    boards.state_ = std::move(*loaded);
    return boards;
  }
  Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(path, /*create=*/false);
  if (!folder.ok()) return folder.error();
  if (!HasData(folder->get())) return Err(path + " holds no data of Laurel");
  Result<std::unique_ptr<base::FolderLock>> lock = (*folder)->Lock();
  if (!lock.ok()) return lock.error();
  storage::RecoverOptions how;
  how.progress = progress;
  Result<LoadedState> loaded = LoadBoards(folder->get(), how);
  if (!loaded.ok()) return loaded.error();
  boards.warnings_ = loaded->recovery.warnings;
  if (loaded->recovery.torn) {
    boards.warnings_.push_back(loaded->recovery.torn->file + ": record " +
                               std::to_string(loaded->recovery.torn->record) +
                               " was being written when the server ended, and is left out");
  }
  boards.folder_ = std::move(*folder);
  boards.lock_ = std::move(*lock);
  boards.state_ = std::move(*loaded);
  return boards;
}

const engine::NamedBoard* LoadedBoards::Find(std::string_view name) const {
  return keys().catalog().Find(name);
}

std::vector<const engine::NamedBoard*> LoadedBoards::Match(std::string_view pattern) const {
  std::vector<const engine::NamedBoard*> matching;
  if (pattern.size() > base::kMaxGlobBytes) return matching;
  const base::Glob glob(pattern);
  for (const engine::NamedBoard* named = keys().catalog().FirstById(); named != nullptr;
       named = engine::Catalog::NextById(named)) {
    if (glob.Matches(named->name)) matching.push_back(named);
  }
  std::sort(matching.begin(), matching.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  return matching;
}

std::vector<const engine::NamedBoard*> LoadedBoards::Choose(std::string_view name,
                                                            std::string_view pattern) const {
  if (name.empty()) return Match(pattern);
  const engine::NamedBoard* named = Find(name);
  if (named == nullptr) return {};
  return {named};
}

}  // namespace laurel::transfer
