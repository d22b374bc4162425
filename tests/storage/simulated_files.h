// A folder in memory, on a disk that loses power, tears and reorders writes, fails and is full.
//
// The disk keeps what was synced. Everything else is a change that waits: a write or a truncate of
// a file, waiting for File::Sync; a name created, renamed or removed, waiting for Folder::Sync. A
// reader sees all of them at once; Crash() decides which of them the machine finds again.
//
//   1. What was synced is found again, whatever else is lost.
//   2. A waiting change is found, or not, or (a write) in part. A rename is found whole or not.
//   3. A sync that fails loses hold of the changes it was to bring to the disk, as Linux drops
//   dirty
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

// What the calls of a folder and its files are counted by. Those that only ask which file it is,
// how large and in which place, are none.
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
  std::string name;          // of the file as it was opened; the old one of a rename
  std::uint64_t number = 0;  // 1, 2, 3 … over the whole folder
  std::uint64_t offset = 0;  // of a read or write
  std::uint64_t bytes = 0;   // asked of a read, given to a write, the new size of a truncate

  [[nodiscard]] std::string ToString() const;  // "7: write log-1 100+32"
};

enum class Fault : std::uint8_t {
  kError,       // EIO; nothing is done
  kNoSpace,     // ENOSPC, from calls that may need room: the others go on as on any full disk
  kShortWrite,  // a write does its first half, then EIO; other calls go on
};

struct CrashOptions {
  enum class Survivors : std::uint8_t {
    kNone,
    kAll,
    kPrefix,  // all before a random moment, over all files and names
    kAny,     // any of them: writes in sectors of 512 bytes, or their length alone, which is zeros
  };

  Survivors survivors = Survivors::kAny;
  // Whether the last write that survives may be cut at any byte.
  bool tear = true;
  // It is cut, and so many bytes of it remain (all, if it has no more).
  std::optional<std::uint64_t> torn_bytes = std::nullopt;
};

// Thread-safe. Open files may outlive it, and go on as those of a file system would.
class SimulatedFolder : public base::Folder {
  struct State;
  class OpenFile;
  class HeldLock;

  std::shared_ptr<State> state_;  // of the open files too

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

  // Copies. Each has the capacity of this one, but no faults, hooks, calls or lock; this one goes
  // on untouched.

  // What is found after a power loss now; all of it is durable then.
  std::unique_ptr<SimulatedFolder> Crash(base::Random* random, const CrashOptions& options = {});
  // What is found after the process was killed now and the machine lives on: all that was written.
  // What was not synced can still be lost by a later Crash.
  std::unique_ptr<SimulatedFolder> CrashKillOnly() { return Copy(); }
  // Costs a pointer per 64 KiB and per waiting change.
  std::unique_ptr<SimulatedFolder> Copy();

  // Faults.

  [[nodiscard]] std::uint64_t calls() const;
  void FailCall(std::uint64_t number, Fault fault);
  // That call and all after it, until Heal().
  void FailFrom(std::uint64_t number, Fault fault);
  // Forgets all faults. What a failed sync lost stays lost.
  void Heal();
  // At most so many bytes in all files that have a name, holes included; a write beyond writes what
  // fits and fails with ENOSPC. None: no limit.
  void set_capacity(std::optional<std::uint64_t> bytes);
  // What CheckPlace says from now on: the folder is moved, removed or replaced, but what has it
  // open still reaches its files. Empty: it is in its place.
  void set_misplaced(const std::string& error);
  // Somebody removes the file behind the server's back, or puts another one in its place.
  void Steal(std::string_view name, std::optional<std::string_view> bytes);
  // Called around every call, without a lock held, on the caller's thread: they may use the folder
  // (calls inside are counted and hooked too), block, or make the call at hand fail by
  // FailCall(call.number, …). Set them while nothing else runs.
  std::function<void(const Call&)>& before_call;
  std::function<void(const Call&)>& after_call;

  // Not counted, never failing.

  [[nodiscard]] bool Exists(std::string_view name) const;
  // What a reader sees now. REQUIRES: Exists(name).
  [[nodiscard]] std::string Bytes(std::string_view name) const;
  // Replaces or makes the file; durable at once, with its name.
  void SetBytes(std::string_view name, std::string_view bytes);

 private:
  explicit SimulatedFolder(std::shared_ptr<State> state);
};

}  // namespace laurel::testing
