// base/file.h on POSIX. Names are resolved against the folder's descriptor, so a Folder keeps using
// the folder that was opened, even if that folder is moved.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/file.h"

namespace laurel::base {
namespace {

constexpr const char* kLockName = "lock";
constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0644;

Error Failed(std::string_view operation, const std::string& path, int reason = errno) {
  const bool no_space = reason == ENOSPC || reason == EDQUOT;
  return {no_space ? ErrorCode::kNoSpace : ErrorCode::kErr,
          "cannot " + std::string(operation) + " " + path + ": " + std::strerror(reason)};
}

FileId IdIn(const struct stat& status) { return {status.st_dev, status.st_ino}; }

// Repeats a system call while signals interrupt it.
template <typename Call>
auto Uninterrupted(const Call& call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  [[nodiscard]] bool valid() const { return number_ >= 0; }
  [[nodiscard]] int get() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

Descriptor OpenAt(int folder, const char* name, int flags) {
  return Descriptor(
      Uninterrupted([&] { return openat(folder, name, flags | O_CLOEXEC, kFileMode); }));
}

class PosixFile : public File {
 public:
  PosixFile(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, char* to, std::size_t bytes) override {
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t got = Uninterrupted([&] {
        return pread(descriptor_.get(), to + done, bytes - done, static_cast<off_t>(offset + done));
      });
      if (got < 0) return Failed("read", path_);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Status WriteAt(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = Uninterrupted([&] {
        return pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      });
      if (written < 0) return Failed("write", path_);
      if (written == 0) return Failed("write", path_, EIO);  // or the loop would never end
      bytes.remove_prefix(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    }
    return Ok{};
  }

  // This is not repeated after EINTR: a second call may succeed without the writes of the first.
  Status Sync() override {
    if (fdatasync(descriptor_.get()) != 0) return Failed("sync", path_);
    return Ok{};
  }

  Status Truncate(std::uint64_t size) override {
    const int done =
        Uninterrupted([&] { return ftruncate(descriptor_.get(), static_cast<off_t>(size)); });
    if (done != 0) return Failed("truncate", path_);
    return Ok{};
  }

  Result<std::uint64_t> Size() override {
    struct stat status {};
    if (fstat(descriptor_.get(), &status) != 0) return Failed("ask the size of", path_);
    return static_cast<std::uint64_t>(status.st_size);
  }

  Status Allocate(std::uint64_t size) override {
    const int done =
        Uninterrupted([&] { return fallocate(descriptor_.get(), 0, 0, static_cast<off_t>(size)); });
    if (done == 0) return Ok{};
    if (errno != EOPNOTSUPP) return Failed("allocate room for", path_);
    const Result<std::uint64_t> held = Size();
    if (!held.ok()) return held.error();
    const std::string zeros(kAllocateStep, '\0');
    for (std::uint64_t at = *held; at < size; at += zeros.size()) {
      const std::string_view step =
          std::string_view(zeros).substr(0, std::min<std::uint64_t>(size - at, zeros.size()));
      if (const Status written = WriteAt(at, step); !written.ok()) return written;
    }
    return Ok{};
  }

  Result<FileId> Id() override {
    struct stat status {};
    if (fstat(descriptor_.get(), &status) != 0) return Failed("look at", path_);
    return IdIn(status);
  }

 private:
  static constexpr std::size_t kAllocateStep = std::size_t{256} << 10;

  Descriptor descriptor_;
  std::string path_;
};

// Closing the descriptor releases the lock. The file stays: if it were removed, one process could
// lock the removed file while another locks a new one.
class PosixFolderLock : public FolderLock {
 public:
  explicit PosixFolderLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  Descriptor descriptor_;
};

// The process id in the lock file; none if its first line is anything but digits.
std::optional<std::string> ReadHolder(int lock) {
  char text[24];
  const ssize_t got = Uninterrupted([&] { return pread(lock, text, sizeof(text), 0); });
  if (got <= 0) return std::nullopt;
  const std::string_view read(text, static_cast<std::size_t>(got));
  const std::string_view digits = read.substr(0, read.find('\n'));
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  return std::string(digits);
}

// Writes the process id to the lock file. Errors, such as a full disk, are ignored: the id is only
// for the error message of another process.
void WriteHolder(int lock) {
  const std::string text = std::to_string(getpid()) + "\n";
  const ssize_t written = Uninterrupted([&] { return pwrite(lock, text.data(), text.size(), 0); });
  const off_t size = written == static_cast<ssize_t>(text.size()) ? written : 0;
  static_cast<void>(Uninterrupted([&] { return ftruncate(lock, size); }) == 0);
}

// The name as a null-terminated string. REQUIRES: a valid file name.
std::string Checked(std::string_view name) {
  LAUREL_ASSERT(!name.empty() && name != "." && name != ".." && name != kLockName);
  LAUREL_ASSERT(name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos);
  return std::string(name);
}

class PosixFolder : public Folder {
 public:
  PosixFolder(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  [[nodiscard]] std::string path(std::string_view name) const override {
    if (name.empty()) return path_;
    return path_ + (path_.ends_with('/') ? "" : "/") + std::string(name);
  }

  Result<std::unique_ptr<File>> Open(std::string_view name, Mode mode) override {
    const bool create = mode == Mode::kCreate;
    const int flags = mode == Mode::kRead ? O_RDONLY : create ? O_RDWR | O_CREAT | O_EXCL : O_RDWR;
    Descriptor file = OpenAt(descriptor_.get(), Checked(name).c_str(), flags);
    if (!file.valid()) return Failed(create ? "create" : "open", path(name));
    return std::unique_ptr<File>(std::make_unique<PosixFile>(std::move(file), path(name)));
  }

  Result<std::vector<std::string>> List() override {
    // A separate descriptor, because reading a folder moves the position of the descriptor.
    Descriptor own = OpenAt(descriptor_.get(), ".", O_RDONLY | O_DIRECTORY);
    if (!own.valid()) return Failed("list", path_);
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(own.get()), closedir);
    if (entries == nullptr) return Failed("list", path_);
    own.Release();
    std::vector<std::string> names;
    for (;;) {
      errno = 0;
      const dirent* entry = readdir(entries.get());
      if (entry == nullptr) break;
      if (entry->d_name != std::string_view(kLockName) && IsFile(*entry)) {
        names.emplace_back(entry->d_name);
      }
    }
    if (errno != 0) return Failed("list", path_);
    std::sort(names.begin(), names.end());
    return names;
  }

  Status Remove(std::string_view name) override {
    if (unlinkat(descriptor_.get(), Checked(name).c_str(), 0) != 0) {
      return Failed("remove", path(name));
    }
    return Ok{};
  }

  Status Rename(std::string_view from, std::string_view to) override {
    const int folder = descriptor_.get();
    if (renameat(folder, Checked(from).c_str(), folder, Checked(to).c_str()) != 0) {
      return Failed("rename", path(from) + " to " + path(to));
    }
    return Ok{};
  }

  Status Sync() override {
    if (fsync(descriptor_.get()) != 0) return Failed("sync", path_);
    return Ok{};
  }

  Result<std::unique_ptr<FolderLock>> Lock() override {
    Descriptor lock = OpenAt(descriptor_.get(), kLockName, O_RDWR | O_CREAT);
    if (!lock.valid()) return Failed("lock", path(kLockName));
    if (Uninterrupted([&] { return flock(lock.get(), LOCK_EX | LOCK_NB); }) != 0) {
      if (errno != EWOULDBLOCK) return Failed("lock", path(kLockName));
      const std::optional<std::string> holder = ReadHolder(lock.get());
      return Error{ErrorCode::kErr,
                   path_ + " is in use by " + (holder ? "process " + *holder : "another process")};
    }
    WriteHolder(lock.get());
    struct stat status {};
    if (fstat(lock.get(), &status) != 0) return Failed("look at", path(kLockName));
    lock_id_ = IdIn(status);
    return std::unique_ptr<FolderLock>(std::make_unique<PosixFolderLock>(std::move(lock)));
  }

  Status CheckPlace() override {
    struct stat opened {};
    struct stat named {};
    if (fstat(descriptor_.get(), &opened) != 0) return Failed("look at", path_);
    const bool there = stat(path_.c_str(), &named) == 0;
    if (there && IdIn(opened) == IdIn(named)) return CheckLock();
    if (there) {
      return Error{ErrorCode::kErr, "another folder has taken the place of " + path_};
    }
    if (errno != ENOENT && errno != ENOTDIR) return Failed("look at", path_);
    return Error{ErrorCode::kErr, "the folder " + path_ + " was moved or removed"};
  }

  Result<std::optional<FileId>> IdOf(std::string_view name) override {
    struct stat status {};
    if (fstatat(descriptor_.get(), Checked(name).c_str(), &status, 0) == 0) {
      return std::optional(IdIn(status));
    }
    if (errno == ENOENT) return std::optional<FileId>();
    return Failed("look at", path(name));
  }

  std::optional<DiskSpace> Space() override {
    struct statvfs space {};
    if (fstatvfs(descriptor_.get(), &space) != 0) return std::nullopt;
    return DiskSpace{std::uint64_t{space.f_bavail} * space.f_frsize,
                     std::uint64_t{space.f_blocks} * space.f_frsize};
  }

 private:
  [[nodiscard]] Status CheckLock() const {
    if (!lock_id_) return Ok{};
    struct stat named {};
    const bool there = fstatat(descriptor_.get(), kLockName, &named, 0) == 0;
    if (there && IdIn(named) == *lock_id_) return Ok{};
    if (!there && errno != ENOENT) return Failed("look at", path(kLockName));
    return Error{ErrorCode::kErr, path(kLockName) +
                                      (there ? " was replaced by another file" : " was removed") +
                                      ": another process may use the folder"};
  }

  [[nodiscard]] bool IsFile(const dirent& entry) const {
    if (entry.d_type != DT_UNKNOWN && entry.d_type != DT_LNK) return entry.d_type == DT_REG;
    struct stat status {};
    return fstatat(descriptor_.get(), entry.d_name, &status, 0) == 0 && S_ISREG(status.st_mode);
  }

  Descriptor descriptor_;
  std::string path_;
  std::optional<FileId> lock_id_;  // of the file that Lock has locked; none before Lock
};

std::string WithoutTrailingSlashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string ParentFolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : WithoutTrailingSlashes(path.substr(0, slash));
}

Descriptor OpenFolderDescriptor(const std::string& path) {
  return OpenAt(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY);
}

// Makes the names in a folder durable. Without this for the folder around a new folder, a crash
// could lose the new folder with everything in it.
Status SyncFolder(const std::string& path) {
  const Descriptor folder = OpenFolderDescriptor(path);
  if (!folder.valid()) return Failed("open", path);
  if (fsync(folder.get()) != 0) return Failed("sync", path);
  return Ok{};
}

// Creates a folder and the missing folders above it, durably. It is no error if it exists.
Status MakeFolder(const std::string& path) {
  int made = mkdir(path.c_str(), kFolderMode);
  if (made != 0 && errno == ENOENT && !path.empty()) {
    Status parent = MakeFolder(ParentFolderOf(path));
    if (!parent.ok()) return parent;
    made = mkdir(path.c_str(), kFolderMode);
  }
  if (made == 0) return SyncFolder(ParentFolderOf(path));
  if (errno == EEXIST) return Ok{};
  return Failed("create", path);
}

}  // namespace

Result<std::unique_ptr<Folder>> OpenFolder(const std::string& path, bool create) {
  std::string folder = WithoutTrailingSlashes(path);
  Descriptor descriptor = OpenFolderDescriptor(folder);
  if (!descriptor.valid() && errno == ENOENT && create) {
    const Status made = MakeFolder(folder);
    if (!made.ok()) return made.error();
    descriptor = OpenFolderDescriptor(folder);
  }
  if (!descriptor.valid()) return Failed("open", folder);
  return std::unique_ptr<Folder>(
      std::make_unique<PosixFolder>(std::move(descriptor), std::move(folder)));
}

}  // namespace laurel::base
