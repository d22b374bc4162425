// Files behind a seam: everything durable goes through these classes, so that tests can put a disk
// behind them that loses power, tears writes, reorders them, fails and is full.
//
// Errors are one line: what was tried, the whole path, the operating system's reason. Nothing here
// throws. A File may be used by several threads at once, a Folder too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"

namespace laurel::base {

// Which file it is, whatever its name: two files of a machine never have the same at one time.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  friend bool operator==(const FileId&, const FileId&) = default;
};

// An open file; closed with it. A file that was removed or replaced meanwhile stays usable.
class File {
 public:
  virtual ~File() = default;

  // Up to `bytes` of them from `offset` on; fewer only at the end of the file.
  virtual Result<std::size_t> ReadAt(std::uint64_t offset, char* to, std::size_t bytes) = 0;
  // All of it or an error; after an error any part of it may be there. A gap between the end of the
  // file and `offset` reads as zeros.
  virtual Status WriteAt(std::uint64_t offset, std::string_view bytes) = 0;
  // Returns when everything written is on the disk. After an error nothing is known of it, and
  // asking again tells nothing. Covers the bytes, not the file's name: that is Folder::Sync.
  virtual Status Sync() = 0;
  // Cuts the file, or makes it longer by zeros. Longer takes no room on the disk yet.
  virtual Status Truncate(std::uint64_t size) = 0;
  virtual Result<std::uint64_t> Size() = 0;
  // Makes the file that long, with room on the disk for all of it. After an error it may be longer
  // than before.
  virtual Status Allocate(std::uint64_t size) { return Truncate(size); }
  virtual Result<FileId> Id() { return FileId{}; }
};

// Held as long as it lives.
class FolderLock {
 public:
  virtual ~FolderLock() = default;
};

// Of the file system that a folder is on.
struct DiskSpace {
  std::uint64_t free_bytes = 0;  // for this process
  std::uint64_t total_bytes = 0;
};

// A folder of files. Names have no slash; "lock" is the folder's own.
class Folder {
 public:
  enum class Mode : std::uint8_t {
    kRead,
    kWrite,   // read and write a file that is there
    kCreate,  // a new file; an error if there is one of that name
  };

  virtual ~Folder() = default;

  // For messages: the folder, or folder/name.
  [[nodiscard]] virtual std::string path(std::string_view name = {}) const = 0;
  virtual Result<std::unique_ptr<File>> Open(std::string_view name, Mode mode) = 0;
  // The names of the files, sorted; neither folders nor the lock are among them.
  virtual Result<std::vector<std::string>> List() = 0;
  virtual Status Remove(std::string_view name) = 0;
  // Replaces `to` in one step.
  virtual Status Rename(std::string_view from, std::string_view to) = 0;
  // Returns when the names created, renamed and removed are on the disk. After an error as with
  // File::Sync.
  virtual Status Sync() = 0;
  // One process at a time. The error says who holds it, if that is known.
  virtual Result<std::unique_ptr<FolderLock>> Lock() = 0;
  // An error if the folder's path does not lead to this folder any more (it was moved or removed,
  // or another one stands in its place), or if the file that Lock() has locked is not the lock any
  // more: another process may hold the new one.
  virtual Status CheckPlace() { return Ok{}; }
  // Which file has the name; none if no file has.
  virtual Result<std::optional<FileId>> IdOf(std::string_view /*name*/) {
    return std::optional(FileId{});
  }
  // None if that is not known.
  virtual std::optional<DiskSpace> Space() { return std::nullopt; }
};

// Removes a file; a file that is gone already is no error.
Status RemoveIfThere(Folder* folder, std::string_view name);

// All bytes of a file.
Result<std::string> ReadWhole(Folder* folder, std::string_view name);

// Opens (and, if `create`, makes, with its parents) a folder of the operating system.
Result<std::unique_ptr<Folder>> OpenFolder(const std::string& path, bool create);

}  // namespace laurel::base
