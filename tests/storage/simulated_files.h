// A folder in memory, on a disk that loses power, tears and reorders writes, fails and is full.
//
// The disk keeps what was synced. Everything else is a waiting change: a write or a truncate of a
// file waits for File::Sync; a name that was created, renamed or removed waits for Folder::Sync. A
// reader sees all changes at once; Crash() decides which of them are found after a power loss.
//
//   1. What was synced is found again, whatever else is lost.
//   2. A waiting change is found, or lost, or (a write) found in part. A rename is found whole or
//      not at all.
//   3. A sync that fails drops the changes that it was to bring to the disk, as Linux drops dirty
//      pages: readers still see them, no later sync makes them durable, and after a crash each may
//      be there or not.
//   4. A file whose name is lost is lost, synced or not.
//
// Rejected: making a new file's name durable with the file's own sync, as some file systems do; it
// would hide a missing Folder::Sync.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/random.h"

namespace laurel::testing {

// The calls of a folder and its files that are counted. Queries of a file's id or size, of the
// folder's place and of free space are not counted.
enum class CallKind : std::uint8_t {
  kOpen,
  kRead,
  kWrite,
  kSync,
  kTruncate,
  kRename,
  kRemove,
  kList,
  kFolderSync,
  kLock,
};

std::string_view CallKindName(CallKind kind);

struct Call {
  CallKind kind = CallKind::kOpen;
  std::string name;          // the name under which the file was opened; of a rename: the old one
  std::uint64_t number = 0;  // 1, 2, 3 … over the whole folder
  std::uint64_t offset = 0;  // of a read or write
  std::uint64_t bytes = 0;   // requested by a read, given to a write, or the new size of a truncate

  [[nodiscard]] std::string ToString() const;  // "7: write log-1 100+32"
};

enum class Fault : std::uint8_t {
  kError,       // EIO; the call does nothing
  kNoSpace,     // ENOSPC from calls that may need room; others succeed, as on any full disk
  kShortWrite,  // a write does its first half, then fails with EIO; other calls succeed
};

struct CrashOptions {
  enum class Survivors : std::uint8_t {
    kNone,
    kAll,
    kPrefix,  // all changes before a random moment, over all files and names
    kAny,     // any subset: writes in sectors of 512 bytes, or a length alone, with zeros
  };

  Survivors survivors = Survivors::kAny;
  // Whether the last surviving write may be cut at any byte.
  bool tear = true;
  // The last surviving write is cut to this many bytes, if it has more.
  std::optional<std::uint64_t> torn_bytes = std::nullopt;
};

// Thread-safe. Open files may outlive the folder, and work as those of a file system would.
class SimulatedFolder : public base::Folder {
  struct State;
  class OpenFile;
  class HeldLock;

  std::shared_ptr<State> state_;  // shared with the open files

 public:
  SimulatedFolder();
  ~SimulatedFolder() override;
  SimulatedFolder(const SimulatedFolder&) = delete;
  SimulatedFolder& operator=(const SimulatedFolder&) = delete;

  [[nodiscard]] std::string path(std::string_view name = {}) const override;
  Result<std::unique_ptr<base::File>> Open(std::string_view name, Mode mode) override;
  Result<std::vector<std::string>> List() override;
  Status Remove(std::string_view name) override;
  Status Rename(std::string_view from, std::string_view to) override;
  Status Sync() override;
  Result<std::unique_ptr<base::FolderLock>> Lock() override;
  Status CheckPlace() override;
  Result<std::optional<base::FileId>> IdOf(std::string_view name) override;
  std::optional<base::DiskSpace> Space() override;

  // Copies. Each has the capacity of this folder, but no faults, hooks, calls or lock. This folder
  // is not changed.

  // Returns what is found after a power loss now. All of it is durable then.
  std::unique_ptr<SimulatedFolder> Crash(base::Random* random, const CrashOptions& options = {});
  // Returns what is found if the process is killed now and the machine keeps running: all that was
  // written. A later Crash can still lose what was not synced.
  std::unique_ptr<SimulatedFolder> CrashKillOnly() { return Copy(); }
  // Costs a pointer per 64 KiB and per waiting change.
  std::unique_ptr<SimulatedFolder> Copy();

  // Faults.

  [[nodiscard]] std::uint64_t calls() const;
  void FailCall(std::uint64_t number, Fault fault);
  // Fails this call and all after it, until Heal().
  void FailFrom(std::uint64_t number, Fault fault);
  // Forgets all faults. What a failed sync lost stays lost.
  void Heal();
  // Limits the bytes of all files that have a name, holes included. A write beyond the limit writes
  // what fits and fails with ENOSPC. None: no limit.
  void set_capacity(std::optional<std::uint64_t> bytes);
  // Sets the error that CheckPlace returns: the folder was moved, removed or replaced, but its open
  // files still work. Empty: the folder is in its place.
  void set_misplaced(const std::string& error);
  // Removes the file, or replaces it by one with `bytes`, as another process would.
  void Steal(std::string_view name, std::optional<std::string_view> bytes);
  // Hooks, called before and after every call on the thread of the caller, without a lock held. A
  // hook may use the folder (calls inside are counted and hooked too), block, or make the current
  // call fail with FailCall(call.number, …). Set hooks while no other thread uses the folder.
  std::function<void(const Call&)>& before_call;
  std::function<void(const Call&)>& after_call;

  // These are not counted and never fail.

  [[nodiscard]] bool Exists(std::string_view name) const;
  // Returns what a reader sees now. REQUIRES: Exists(name).
  [[nodiscard]] std::string Bytes(std::string_view name) const;
  // Creates or replaces the file. It is durable at once, and so is its name.
  void SetBytes(std::string_view name, std::string_view bytes);

 private:
  explicit SimulatedFolder(std::shared_ptr<State> state);
};

}  // namespace laurel::testing
