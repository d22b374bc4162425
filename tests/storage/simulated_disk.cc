#include "tests/storage/simulated_disk.h"

#include <algorithm>
#include <set>
#include <utility>

namespace laurel::testing {
namespace {

using Fate = SimulatedDisk::Fate;
using FileChange = SimulatedDisk::FileChange;
using Node = SimulatedDisk::Node;
using Survivors = CrashOptions::Survivors;

constexpr std::uint64_t kSectorBytes = 512;

// Marks the waiting changes as synced. Returns false if the changes must be kept because lost ones
// are among them.
template <typename Change>
bool Settle(std::vector<Change>* changes) {
  bool lost = false;
  for (Change& change : *changes) {
    if (change.fate == Fate::kWaiting) change.fate = Fate::kSynced;
    lost = lost || change.fate == Fate::kLost;
  }
  if (!lost) changes->clear();
  return !lost;
}

template <typename Change>
void Lose(std::vector<Change>* changes) {
  for (Change& change : *changes) {
    if (change.fate == Fate::kWaiting) change.fate = Fate::kLost;
  }
}

void Apply(const FileChange& change, PagedBytes* bytes) {
  if (change.bytes == nullptr) {
    bytes->Resize(change.offset);
  } else {
    bytes->Write(change.offset, *change.bytes);
  }
}

// A change of a file, or a part of one, that survives a crash.
struct Piece {
  const FileChange* change;
  std::uint64_t offset;
  std::string_view bytes;
};

// A file that survives a crash.
struct Found {
  std::string name;
  Node* node;
  std::vector<Piece> pieces;
  bool length = false;  // the file keeps its length, with zeros for what is lost
};

// Decides what survives one crash.
class Judge {
 public:
  Judge(base::Random* random, const CrashOptions& options,
        const std::vector<std::uint64_t>& revocable)
      : random_(random), any_(options.survivors == Survivors::kAny) {
    if (any_) odds_ = random->Below(kSure + 1);
    if (options.survivors == Survivors::kAll) end_ = UINT64_MAX;
    if (options.survivors == Survivors::kPrefix) {
      const std::uint64_t count = random->Below(revocable.size() + 1);
      end_ = count < revocable.size() ? revocable[count] : UINT64_MAX;
    }
  }

  template <typename Change>
  bool Survives(const Change& change) {
    if (change.fate == Fate::kSynced) return true;
    return any_ ? random_->Below(kSure) < odds_ : change.order < end_;
  }

  Found Examine(const std::string& name, Node* node) {
    Found found{name, node, {}};
    for (const FileChange& change : node->changes) {
      if (change.bytes != nullptr && any_ && change.fate != Fate::kSynced) {
        AddSectors(change, &found.pieces);
      } else if (Survives(change)) {
        const bool is_write = change.bytes != nullptr;
        found.pieces.push_back(
            {&change, change.offset, is_write ? std::string_view(*change.bytes) : ""});
      }
    }
    found.length = any_ && !node->changes.empty() && random_->OneIn(4);
    return found;
  }

 private:
  static constexpr std::uint64_t kSure = 8;

  void AddSectors(const FileChange& change, std::vector<Piece>* pieces) {
    std::string_view left = *change.bytes;
    for (std::uint64_t offset = change.offset; !left.empty();) {
      const std::string_view sector = left.substr(0, kSectorBytes - offset % kSectorBytes);
      if (Survives(change)) pieces->push_back({&change, offset, sector});
      left.remove_prefix(sector.size());
      offset += sector.size();
    }
  }

  base::Random* random_;
  bool any_;
  std::uint64_t odds_ = 0;  // of kSure; drawn for each crash, so that some lose little, some much
  std::uint64_t end_ = 0;   // changes of a lower order survive
};

// Cuts the last of the surviving writes that were not synced.
void Tear(base::Random* random, const CrashOptions& options, std::vector<Found>* files) {
  Piece* last = nullptr;
  for (Found& file : *files) {
    for (Piece& piece : file.pieces) {
      if (piece.change->bytes == nullptr || piece.change->fate == Fate::kSynced) continue;
      if (last == nullptr || piece.change->order >= last->change->order) last = &piece;
    }
  }
  if (last == nullptr) return;
  if (options.torn_bytes) {
    last->bytes = last->bytes.substr(0, *options.torn_bytes);
  } else if (options.tear && random->OneIn(2)) {
    last->bytes = last->bytes.substr(0, random->Below(last->bytes.size() + 1));
  }
}

PagedBytes Rebuild(const Found& file) {
  PagedBytes bytes = file.node->durable.Share();
  for (const Piece& piece : file.pieces) {
    if (piece.change->bytes == nullptr) {
      bytes.Resize(piece.offset);
    } else {
      bytes.Write(piece.offset, piece.bytes);
    }
  }
  if (file.length) bytes.Resize(std::max(bytes.size(), file.node->current.size()));
  return bytes;
}

}  // namespace

std::shared_ptr<Node> SimulatedDisk::Find(std::string_view name) const {
  const auto found = current_names_.find(name);
  return found == current_names_.end() ? nullptr : found->second;
}

std::uint64_t SimulatedDisk::used_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, node] : current_names_) bytes += node->current.size();
  return bytes;
}

std::shared_ptr<Node> SimulatedDisk::Create(std::string_view name) {
  auto node = std::make_shared<Node>();
  Change({Fate::kWaiting, 0, std::string(name), node});
  return node;
}

void SimulatedDisk::Remove(std::string_view name) {
  Change({Fate::kWaiting, 0, std::string(name), nullptr});
}

void SimulatedDisk::Rename(std::string_view from, std::string_view to) {
  Change({Fate::kWaiting, 0, std::string(to), Find(from)});
}

void SimulatedDisk::Write(Node* node, std::uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  node->changes.push_back(
      {Fate::kWaiting, ++last_order_, offset, std::make_shared<const std::string>(bytes)});
  testing::Apply(node->changes.back(), &node->current);
}

void SimulatedDisk::Truncate(Node* node, std::uint64_t size) {
  node->changes.push_back({Fate::kWaiting, ++last_order_, size, nullptr});
  testing::Apply(node->changes.back(), &node->current);
}

void SimulatedDisk::SetBytes(std::string_view name, std::string_view bytes) {
  std::shared_ptr<Node> node = Find(name);
  if (node == nullptr) node = std::make_shared<Node>();
  node->changes.clear();
  node->current = PagedBytes(bytes);
  node->durable = node->current.Share();
  Change({Fate::kSynced, 0, std::string(name), node});
}

void SimulatedDisk::Sync(Node* node) {
  if (node->changes.empty()) return;
  if (Settle(&node->changes)) node->durable = node->current.Share();
}

void SimulatedDisk::FailSync(Node* node) { Lose(&node->changes); }

void SimulatedDisk::SyncNames() {
  if (Settle(&name_changes_)) durable_names_ = current_names_;
}

void SimulatedDisk::FailSyncNames() { Lose(&name_changes_); }

SimulatedDisk SimulatedDisk::Copy() {
  std::map<const Node*, std::shared_ptr<Node>> copies;
  const auto copy = [&copies](const std::shared_ptr<Node>& node) -> std::shared_ptr<Node> {
    if (node == nullptr) return nullptr;
    std::shared_ptr<Node>& made = copies[node.get()];
    if (made == nullptr) {
      made =
          std::make_shared<Node>(Node{node->durable.Share(), node->current.Share(), node->changes});
    }
    return made;
  };
  SimulatedDisk disk;
  for (const auto& [name, node] : durable_names_) disk.durable_names_.emplace(name, copy(node));
  for (const auto& [name, node] : current_names_) disk.current_names_.emplace(name, copy(node));
  disk.name_changes_ = name_changes_;
  for (NameChange& change : disk.name_changes_) change.node = copy(change.node);
  disk.last_order_ = last_order_;
  return disk;
}

SimulatedDisk SimulatedDisk::Crash(base::Random* random, const CrashOptions& options) {
  Judge judge(random, options, Revocable());
  Names names = durable_names_;
  for (const NameChange& change : name_changes_) {
    if (judge.Survives(change)) Apply(change, &names);
  }
  std::vector<Found> files;
  for (const auto& [name, node] : names) files.push_back(judge.Examine(name, node.get()));
  Tear(random, options, &files);
  SimulatedDisk disk;
  for (const Found& file : files) {
    auto node = std::make_shared<Node>();
    node->current = Rebuild(file);
    node->durable = node->current.Share();
    disk.durable_names_.emplace(file.name, std::move(node));
  }
  disk.current_names_ = disk.durable_names_;
  return disk;
}

void SimulatedDisk::Apply(const NameChange& change, Names* names) {
  if (change.node == nullptr) {
    names->erase(change.name);
    return;
  }
  std::erase_if(*names, [&change](const auto& entry) { return entry.second == change.node; });
  (*names)[change.name] = change.node;
}

void SimulatedDisk::Change(NameChange change) {
  change.order = ++last_order_;
  Apply(change, &current_names_);
  if (change.fate == Fate::kSynced && name_changes_.empty()) {
    Apply(change, &durable_names_);
  } else {
    name_changes_.push_back(std::move(change));
  }
}

std::vector<std::uint64_t> SimulatedDisk::Revocable() const {
  std::set<std::uint64_t> orders;
  const auto add = [&orders](const auto& change) {
    if (change.fate != Fate::kSynced) orders.insert(change.order);
  };
  const auto add_all = [&add](const std::shared_ptr<Node>& node) {
    if (node != nullptr) std::for_each(node->changes.begin(), node->changes.end(), add);
  };
  for (const auto& [name, node] : durable_names_) add_all(node);
  for (const NameChange& change : name_changes_) {
    add(change);
    add_all(change.node);
  }
  return {orders.begin(), orders.end()};
}

}  // namespace laurel::testing
