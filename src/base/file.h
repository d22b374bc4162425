// File and Folder: interfaces for all durable data, so that tests can substitute a disk that loses
// power, tears and reorders writes, fails, or is full.
//
// An error message is one line: the operation, the whole path, the operating system's reason.
// Nothing here throws. Several threads may use a File at once, and a Folder too.
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

// Identifies a file independently of its name. Two files that exist on one machine at the same time
// have different ids.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  friend bool operator==(const FileId&, const FileId&) = default;
};

// An open file; the destructor closes it. It stays usable if the file is removed or replaced in its
// folder.
class File {
 public:
  virtual ~File() = default;

  // Reads `bytes` bytes at `offset`, fewer only at the end of the file. Returns how many it read.
  virtual Result<std::size_t> ReadAt(std::uint64_t offset, char* to, std::size_t bytes) = 0;
  // Writes all of `bytes` or returns an error, after which any part of them may be written. A gap
  // between the end of the file and `offset` reads as zeros.
  virtual Status WriteAt(std::uint64_t offset, std::string_view bytes) = 0;
  // Returns once everything written is on disk. After an error it is unknown what is on disk, and a
  // second call does not find out. Covers the file's contents, not its name: see Folder::Sync.
  virtual Status Sync() = 0;
  // Cuts the file to `size`, or extends it with zeros, which take no room on the disk yet.
  virtual Status Truncate(std::uint64_t size) = 0;
  virtual Result<std::uint64_t> Size() = 0;
  // Extends the file to `size` and reserves room on the disk for all of it. After an error the file
  // may be longer than before.
  virtual Status Allocate(std::uint64_t size) { return Truncate(size); }
  virtual Result<FileId> Id() { return FileId{}; }
};

// A lock on a folder; the destructor releases it.
class FolderLock {
 public:
  virtual ~FolderLock() = default;
};

// The space of the file system that a folder is on.
struct DiskSpace {
  std::uint64_t free_bytes = 0;  // available to this process
  std::uint64_t total_bytes = 0;
};

// A folder of files. File names hold no slash; the name "lock" is reserved for the folder's lock.
class Folder {
 public:
  enum class Mode : std::uint8_t {
    kRead,
    kWrite,   // read and write an existing file
    kCreate,  // read and write a new file; an error if the name is taken
  };

  virtual ~Folder() = default;

  // The path of the folder, or of a file in it. For messages.
  [[nodiscard]] virtual std::string path(std::string_view name = {}) const = 0;
  virtual Result<std::unique_ptr<File>> Open(std::string_view name, Mode mode) = 0;
  // The names of the files, sorted, without folders and without the lock file.
  virtual Result<std::vector<std::string>> List() = 0;
  virtual Status Remove(std::string_view name) = 0;
  // Renames a file; a file `to` is replaced atomically.
  virtual Status Rename(std::string_view from, std::string_view to) = 0;
  // Returns once all names that were created, renamed and removed are on disk. After an error: see
  // File::Sync.
  virtual Status Sync() = 0;
  // Locks the folder against other processes. If it is locked already, the error names the process
  // that holds the lock, if known.
  virtual Result<std::unique_ptr<FolderLock>> Lock() = 0;
  // An error if the folder's path no longer leads to this folder (the folder was moved, removed or
  // replaced), or if the file that Lock() locked is no longer the lock file: another process may
  // hold the new one.
  virtual Status CheckPlace() { return Ok{}; }
  // The id of the file with this name; none if there is no such file.
  virtual Result<std::optional<FileId>> IdOf(std::string_view /*name*/) {
    return std::optional(FileId{});
  }
  // None if unknown.
  virtual std::optional<DiskSpace> Space() { return std::nullopt; }
};

// Removes a file. It is no error if there is no such file.
Status RemoveIfThere(Folder* folder, std::string_view name);

// Reads `bytes` bytes at `offset`, fewer only at the end of the file.
Result<std::string> ReadBytes(File* file, std::uint64_t offset, std::uint64_t bytes);

// Reads a whole file.
Result<std::string> ReadWhole(Folder* folder, std::string_view name);

// Opens a folder of the operating system. `create`: first creates it and its parents if missing.
Result<std::unique_ptr<Folder>> OpenFolder(const std::string& path, bool create);

}  // namespace laurel::base
