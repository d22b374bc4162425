// The state of a simulated disk: what is durable, which changes wait for a sync, and what is left
// after a power loss. tests/storage/simulated_files.h has the rules, and implements base::Folder
// with it.
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
    kLost,     // a sync failed: after a crash the change may be there or not
    kSynced,   // on the disk; kept because it follows a lost one and goes on top of it
  };

  struct FileChange {
    Fate fate = Fate::kWaiting;
    std::uint64_t order = 0;                   // counts all changes of the disk
    std::uint64_t offset = 0;                  // of a truncate: the new size
    std::shared_ptr<const std::string> bytes;  // null: a truncate
  };

  // A file, independent of its name.
  struct Node {
    PagedBytes durable;  // without `changes`
    PagedBytes current;  // with all of them: what readers see
    std::vector<FileChange> changes;
  };

  using Names = std::map<std::string, std::shared_ptr<Node>, std::less<>>;

  [[nodiscard]] const Names& names() const { return current_names_; }
  // Returns null if there is no file of that name.
  [[nodiscard]] std::shared_ptr<Node> Find(std::string_view name) const;
  [[nodiscard]] std::uint64_t used_bytes() const;

  std::shared_ptr<Node> Create(std::string_view name);
  void Remove(std::string_view name);
  void Rename(std::string_view from, std::string_view to);
  void Write(Node* node, std::uint64_t offset, std::string_view bytes);
  void Truncate(Node* node, std::uint64_t size);
  // Sets the contents of a file. They are durable at once, and so is the name.
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
    std::shared_ptr<Node> node;  // the file that has the name now, and no other name; null: none
  };

  static void Apply(const NameChange& change, Names* names);
  void Change(NameChange change);
  // Returns the orders of all changes that a crash may undo, ascending.
  [[nodiscard]] std::vector<std::uint64_t> Revocable() const;

  Names durable_names_;  // without name_changes_
  Names current_names_;
  std::vector<NameChange> name_changes_;
  std::uint64_t last_order_ = 0;
};

}  // namespace laurel::testing
