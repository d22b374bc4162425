// What is on a simulated disk, what waits to get there, and what is left of it after a power loss.
// The rules are in tests/storage/simulated_files.h, which puts base::Folder in front of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "tests/storage/paged_bytes.h"
#include "tests/storage/simulated_files.h"

namespace laurel::testing {

// Not thread-safe.
class SimulatedDisk {
 public:
  enum class Fate : std::uint8_t {
    kWaiting,  // for a sync
    kLost,     // a sync failed: after a crash it may be there or not
    kSynced,   // on the disk; listed because it came after a lost one and goes on top of it
  };

  struct FileChange {
    Fate fate = Fate::kWaiting;
    std::uint64_t order = 0;                   // over all changes of the disk
    std::uint64_t offset = 0;                  // the new size of a truncate
    std::shared_ptr<const std::string> bytes;  // none: a truncate
  };

  // A file, whatever its name is.
  struct Node {
    PagedBytes durable;  // without the changes
    PagedBytes current;  // with all of them: what readers see
    std::vector<FileChange> changes;
  };

  using Names = std::map<std::string, std::shared_ptr<Node>, std::less<>>;

  [[nodiscard]] const Names& names() const { return current_names_; }
  // Null if there is none of that name.
  [[nodiscard]] std::shared_ptr<Node> Find(std::string_view name) const;
  [[nodiscard]] std::uint64_t used_bytes() const;

  std::shared_ptr<Node> Create(std::string_view name);
  void Remove(std::string_view name);
  void Rename(std::string_view from, std::string_view to);
  void Write(Node* node, std::uint64_t offset, std::string_view bytes);
  void Truncate(Node* node, std::uint64_t size);
  // Durable at once, with its name.
  void SetBytes(std::string_view name, std::string_view bytes);

  static void Sync(Node* node);
  static void FailSync(Node* node);
  void SyncNames();
  void FailSyncNames();

  [[nodiscard]] SimulatedDisk Copy();
  [[nodiscard]] SimulatedDisk Crash(base::Random* random, const CrashOptions& options);

 private:
  struct NameChange {
    Fate fate = Fate::kWaiting;
    std::uint64_t order = 0;
    std::string name;
    std::shared_ptr<Node> node;  // what has the name now, and no other name; null: nothing
  };

  static void Apply(const NameChange& change, Names* names);
  void Change(NameChange change);
  // The orders of all changes that a crash may take back, ascending.
  [[nodiscard]] std::vector<std::uint64_t> Revocable() const;

  Names durable_names_;  // without the changes
  Names current_names_;
  std::vector<NameChange> name_changes_;
  std::uint64_t last_order_ = 0;
};

}  // namespace laurel::testing
