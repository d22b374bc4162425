#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>

#include "base/time_text.h"
#include "cli/arguments.h"
#include "cli/program_commands.h"
#include "storage/archive.h"
#include "storage/format.h"
#include "transfer/folders/loaded_boards.h"
#include "transfer/report/load_progress.h"

namespace laurel::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHelp = R"(usage: laurel restore BACKUP DIR

Verifies BACKUP, which `laurel backup` has made (a folder or a .laurel file), copies it into
the data folder DIR, which must be absent or empty, checks that, and says what is in it. Start
it with: laurel serve --data DIR

exit code: 0, 1 if it failed or the backup is damaged, 2 wrong arguments
)";

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// ERR unless the folder is absent or empty: a restore must not mix with other data.
Status CheckEmpty(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return Ok{};
  if (!fs::is_directory(path, error)) return Err(path + " is no folder");
  std::string there;
  std::size_t count = 0;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name == storage::kLockName) continue;
    if (++count <= 3) there += (there.empty() ? "" : ", ") + name;
  }
  if (error) return Err("cannot list " + path + ": " + error.message());
  if (count == 0) return Ok{};
  return Err(path + " is not empty: " + there + (count > 3 ? ", …" : "") +
             "; restore into a new folder, or move this away");
}

// Checks that the backup loads, and has the state at the record that its manifest names.
Status Verify(const storage::Archive& archive, std::ostream& err) {
  const Status verified =
      storage::VerifyArchive(archive, transfer::LoadProgress(err, "verifying").Callback());
  if (!verified.ok()) return verified;
  const Result<transfer::LoadedState> loaded =
      transfer::LoadArchive(archive, transfer::LoadProgress(err).Callback());
  return loaded.ok() ? Status(Ok{}) : Status(loaded.error());
}

// Copies the snapshot first and flushes it before the log, so a half-copied folder does not load.
Status CopyFiles(const storage::Archive& archive, base::Folder* to, std::ostream& err) {
  transfer::LoadProgress progress(err, "copying");
  storage::Progress at{0, archive.manifest.bytes()};
  std::string piece(kPieceBytes, '\0');
  for (const storage::Manifest::File& file : archive.manifest.files) {
    const auto source = archive.folder->Open(file.name, base::Folder::Mode::kRead);
    if (!source.ok()) return source.error();
    const auto copy = to->Open(file.name, base::Folder::Mode::kCreate);
    if (!copy.ok()) return copy.error();
    for (std::uint64_t offset = 0; offset < file.bytes;) {
      const Result<std::size_t> read = (*source)->ReadAt(offset, piece.data(), piece.size());
      if (!read.ok()) return read.error();
      if (*read == 0) return Err(archive.folder->path(file.name) + " has become shorter");
      const Status written = (*copy)->WriteAt(offset, std::string_view(piece).substr(0, *read));
      if (!written.ok()) return written;
      offset += *read;
      at.done_bytes += *read;
      progress.Show(at);
    }
    if (const Status synced = (*copy)->Sync(); !synced.ok()) return synced;
    if (const Status synced = to->Sync(); !synced.ok()) return synced;
  }
  return Ok{};
}

Result<int> Run(const ParsedArguments& arguments, std::ostream& out, std::ostream& err) {
  const std::string& target = arguments.others[1];
  const Result<storage::Archive> archive = storage::OpenArchive(arguments.others[0]);
  if (!archive.ok()) return archive.error();
  if (const Status empty = CheckEmpty(target); !empty.ok()) return empty.error();
  if (const Status good = Verify(*archive, err); !good.ok()) return good.error();
  const Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(target, true);
  if (!folder.ok()) return folder.error();
  const Result<std::unique_ptr<base::FolderLock>> lock = (*folder)->Lock();
  if (!lock.ok()) return lock.error();
  const Status copied = CopyFiles(*archive, folder->get(), err);
  if (!copied.ok()) return copied.error();
  out << "restored the backup of " << base::FormatIsoTime(archive->manifest.taken_us) << " into "
      << target << "\n";
  return ShowFolder(folder->get(), out, err);
}

}  // namespace

Command RestoreCommand() {
  return {"restore", std::string(kHelp), {}, 2, "a backup and a data folder", Run};
}

}  // namespace laurel::cli
