#include "tests/storage/simulated_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/assert.h"
#include "tests/storage/simulated_disk.h"

namespace laurel::testing {
namespace {

constexpr std::string_view kPath = "/simulated";

std::string PathOf(std::string_view name) {
  return std::string(kPath) + (name.empty() ? "" : "/") + std::string(name);
}

Error Failed(std::string_view operation, const std::string& path, int reason) {
  return {reason == ENOSPC ? ErrorCode::kNoSpace : ErrorCode::kErr,
          "cannot " + std::string(operation) + " " + path + ": " + std::strerror(reason)};
}

base::FileId IdOfNode(const SimulatedDisk::Node* node) {
  return {1, reinterpret_cast<std::uintptr_t>(node)};
}

// Returns the errno that a fault causes in a call; 0: none.
int ReasonOf(std::optional<Fault> fault, bool needs_room) {
  if (fault == Fault::kError) return EIO;
  return fault == Fault::kNoSpace && needs_room ? ENOSPC : 0;
}

void CheckName(std::string_view name) {
  LAUREL_ASSERT(!name.empty() && name != "." && name != ".." && name != "lock");
  LAUREL_ASSERT(name.find('/') == std::string_view::npos);
}

}  // namespace

struct SimulatedFolder::State {
  // Counts the call, calls the hooks, and runs `body(fault)` under the lock.
  template <typename Body>
  auto Run(Call call, const Body& body) {
    {
      const std::lock_guard lock(mutex);
      call.number = ++calls;
    }
    if (before_call) before_call(call);
    auto result = [&] {
      const std::lock_guard lock(mutex);
      return body(FaultOf(call.number));
    }();
    if (after_call) after_call(call);
    return result;
  }

  [[nodiscard]] std::optional<Fault> FaultOf(std::uint64_t number) const {
    const auto found = faults.find(number);
    if (found != faults.end()) return found->second;
    if (lasting_fault && number >= lasting_fault->first) return lasting_fault->second;
    return std::nullopt;
  }

  // Returns the size to which the file may grow.
  [[nodiscard]] std::uint64_t EndOfRoom(const SimulatedDisk::Node& node) const {
    if (!capacity) return UINT64_MAX;
    const std::uint64_t used = disk.used_bytes();
    return node.current.size() + (*capacity > used ? *capacity - used : 0);
  }

  mutable std::mutex mutex;
  SimulatedDisk disk;
  std::uint64_t calls = 0;
  std::map<std::uint64_t, Fault> faults;
  std::optional<std::pair<std::uint64_t, Fault>> lasting_fault;
  std::optional<std::uint64_t> capacity;
  bool locked = false;
  std::string misplaced;  // error of CheckPlace; empty: the folder is in its place
  std::function<void(const Call&)> before_call;
  std::function<void(const Call&)> after_call;
};

class SimulatedFolder::OpenFile : public base::File {
 public:
  OpenFile(std::shared_ptr<State> state, std::shared_ptr<SimulatedDisk::Node> node,
           std::string_view name, bool writable)
      : state_(std::move(state)), node_(std::move(node)), name_(name), writable_(writable) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, char* to, std::size_t bytes) override {
    const Call call{CallKind::kRead, name_, 0, offset, bytes};
    return state_->Run(call, [&](std::optional<Fault> fault) -> Result<std::size_t> {
      if (const int reason = ReasonOf(fault, false)) return Fail("read", reason);
      return node_->current.Read(offset, to, bytes);
    });
  }

  Status WriteAt(std::uint64_t offset, std::string_view bytes) override {
    const Call call{CallKind::kWrite, name_, 0, offset, bytes.size()};
    return state_->Run(call, [&](std::optional<Fault> fault) -> Status {
      if (!writable_ && !bytes.empty()) return Fail("write", EBADF);
      if (const int reason = ReasonOf(fault, true)) return Fail("write", reason);
      const std::uint64_t end = std::max(state_->EndOfRoom(*node_), node_->current.size());
      std::uint64_t part = std::min<std::uint64_t>(bytes.size(), end - std::min(end, offset));
      if (fault == Fault::kShortWrite) part = std::min<std::uint64_t>(part, bytes.size() / 2);
      state_->disk.Write(node_.get(), offset, bytes.substr(0, part));
      if (fault == Fault::kShortWrite) return Fail("write", EIO);
      if (part < bytes.size()) return Fail("write", ENOSPC);
      return Ok{};
    });
  }

  Status Sync() override {
    return state_->Run({CallKind::kSync, name_}, [&](std::optional<Fault> fault) -> Status {
      if (const int reason = ReasonOf(fault, true)) {
        SimulatedDisk::FailSync(node_.get());
        return Fail("sync", reason);
      }
      SimulatedDisk::Sync(node_.get());
      return Ok{};
    });
  }

  Status Truncate(std::uint64_t size) override {
    const Call call{CallKind::kTruncate, name_, 0, 0, size};
    return state_->Run(call, [&](std::optional<Fault> fault) -> Status {
      if (!writable_) return Fail("truncate", EINVAL);
      const bool longer = size > node_->current.size();
      if (const int reason = ReasonOf(fault, longer)) return Fail("truncate", reason);
      if (longer && size > state_->EndOfRoom(*node_)) return Fail("truncate", ENOSPC);
      state_->disk.Truncate(node_.get(), size);
      return Ok{};
    });
  }

  Result<std::uint64_t> Size() override {
    const std::lock_guard lock(state_->mutex);
    return node_->current.size();
  }

  Result<base::FileId> Id() override { return IdOfNode(node_.get()); }

 private:
  [[nodiscard]] Error Fail(std::string_view operation, int reason) const {
    return Failed(operation, PathOf(name_), reason);
  }

  std::shared_ptr<State> state_;
  std::shared_ptr<SimulatedDisk::Node> node_;
  std::string name_;
  bool writable_;
};

class SimulatedFolder::HeldLock : public base::FolderLock {
 public:
  explicit HeldLock(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~HeldLock() override {
    const std::lock_guard lock(state_->mutex);
    state_->locked = false;
  }
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

 private:
  std::shared_ptr<State> state_;
};

std::string_view CallKindName(CallKind kind) {
  switch (kind) {
    case CallKind::kOpen:
      return "open";
    case CallKind::kRead:
      return "read";
    case CallKind::kWrite:
      return "write";
    case CallKind::kSync:
      return "sync";
    case CallKind::kTruncate:
      return "truncate";
    case CallKind::kRename:
      return "rename";
    case CallKind::kRemove:
      return "remove";
    case CallKind::kList:
      return "list";
    case CallKind::kFolderSync:
      return "folder sync";
    case CallKind::kLock:
      return "lock";
  }
  return "?";
}

std::string Call::ToString() const {
  std::string text = std::to_string(number) + ": " + std::string(CallKindName(kind));
  if (!name.empty()) text += " " + name;
  if (kind == CallKind::kRead || kind == CallKind::kWrite) text += " " + std::to_string(offset);
  if (kind == CallKind::kRead || kind == CallKind::kWrite || kind == CallKind::kTruncate) {
    text += (kind == CallKind::kTruncate ? " " : "+") + std::to_string(bytes);
  }
  return text;
}

SimulatedFolder::SimulatedFolder() : SimulatedFolder(std::make_shared<State>()) {}

SimulatedFolder::SimulatedFolder(std::shared_ptr<State> state)
    : state_(std::move(state)), before_call(state_->before_call), after_call(state_->after_call) {}

SimulatedFolder::~SimulatedFolder() = default;

std::string SimulatedFolder::path(std::string_view name) const { return PathOf(name); }

Result<std::unique_ptr<base::File>> SimulatedFolder::Open(std::string_view name, Mode mode) {
  using Opened = Result<std::unique_ptr<base::File>>;
  CheckName(name);
  const Call call{CallKind::kOpen, std::string(name)};
  return state_->Run(call, [&](std::optional<Fault> fault) -> Opened {
    const bool create = mode == Mode::kCreate;
    std::shared_ptr<SimulatedDisk::Node> node = state_->disk.Find(name);
    int reason = ReasonOf(fault, create);
    if (reason == 0 && create && node != nullptr) reason = EEXIST;
    if (reason == 0 && !create && node == nullptr) reason = ENOENT;
    if (reason != 0) return Failed(create ? "create" : "open", PathOf(name), reason);
    if (create) node = state_->disk.Create(name);
    return std::unique_ptr<base::File>(
        std::make_unique<OpenFile>(state_, std::move(node), name, mode != Mode::kRead));
  });
}

Result<std::vector<std::string>> SimulatedFolder::List() {
  using Listed = Result<std::vector<std::string>>;
  return state_->Run({CallKind::kList, {}}, [&](std::optional<Fault> fault) -> Listed {
    if (const int reason = ReasonOf(fault, false)) return Failed("list", PathOf({}), reason);
    std::vector<std::string> names;
    for (const auto& [name, node] : state_->disk.names()) names.push_back(name);
    return names;
  });
}

Status SimulatedFolder::Remove(std::string_view name) {
  CheckName(name);
  const Call call{CallKind::kRemove, std::string(name)};
  return state_->Run(call, [&](std::optional<Fault> fault) -> Status {
    int reason = ReasonOf(fault, false);
    if (reason == 0 && state_->disk.Find(name) == nullptr) reason = ENOENT;
    if (reason != 0) return Failed("remove", PathOf(name), reason);
    state_->disk.Remove(name);
    return Ok{};
  });
}

Status SimulatedFolder::Rename(std::string_view from, std::string_view to) {
  CheckName(from);
  CheckName(to);
  const Call call{CallKind::kRename, std::string(from)};
  return state_->Run(call, [&](std::optional<Fault> fault) -> Status {
    int reason = ReasonOf(fault, true);
    if (reason == 0 && state_->disk.Find(from) == nullptr) reason = ENOENT;
    if (reason != 0) return Failed("rename", PathOf(from) + " to " + PathOf(to), reason);
    state_->disk.Rename(from, to);
    return Ok{};
  });
}

Status SimulatedFolder::Sync() {
  return state_->Run({CallKind::kFolderSync, {}}, [&](std::optional<Fault> fault) -> Status {
    if (const int reason = ReasonOf(fault, true)) {
      state_->disk.FailSyncNames();
      return Failed("sync", PathOf({}), reason);
    }
    state_->disk.SyncNames();
    return Ok{};
  });
}

Result<std::unique_ptr<base::FolderLock>> SimulatedFolder::Lock() {
  using Locked = Result<std::unique_ptr<base::FolderLock>>;
  return state_->Run({CallKind::kLock, {}}, [&](std::optional<Fault> fault) -> Locked {
    if (const int reason = ReasonOf(fault, false)) return Failed("lock", PathOf("lock"), reason);
    if (state_->locked) return Error{ErrorCode::kErr, PathOf({}) + " is in use by this process"};
    state_->locked = true;
    return std::unique_ptr<base::FolderLock>(std::make_unique<HeldLock>(state_));
  });
}

Status SimulatedFolder::CheckPlace() {
  const std::lock_guard lock(state_->mutex);
  if (state_->misplaced.empty()) return Ok{};
  return Error{ErrorCode::kErr, state_->misplaced};
}

Result<std::optional<base::FileId>> SimulatedFolder::IdOf(std::string_view name) {
  const std::lock_guard lock(state_->mutex);
  const auto node = state_->disk.Find(name);
  return node == nullptr ? std::optional<base::FileId>() : std::optional(IdOfNode(node.get()));
}

std::optional<base::DiskSpace> SimulatedFolder::Space() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->capacity) return std::nullopt;
  const std::uint64_t used = state_->disk.used_bytes();
  return base::DiskSpace{*state_->capacity - std::min(*state_->capacity, used), *state_->capacity};
}

std::unique_ptr<SimulatedFolder> SimulatedFolder::Crash(base::Random* random,
                                                        const CrashOptions& options) {
  auto state = std::make_shared<State>();
  const std::lock_guard lock(state_->mutex);
  state->disk = state_->disk.Crash(random, options);
  state->capacity = state_->capacity;
  return std::unique_ptr<SimulatedFolder>(new SimulatedFolder(std::move(state)));
}

std::unique_ptr<SimulatedFolder> SimulatedFolder::Copy() {
  auto state = std::make_shared<State>();
  const std::lock_guard lock(state_->mutex);
  state->disk = state_->disk.Copy();
  state->capacity = state_->capacity;
  return std::unique_ptr<SimulatedFolder>(new SimulatedFolder(std::move(state)));
}

std::uint64_t SimulatedFolder::calls() const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls;
}

void SimulatedFolder::FailCall(std::uint64_t number, Fault fault) {
  const std::lock_guard lock(state_->mutex);
  state_->faults[number] = fault;
}

void SimulatedFolder::FailFrom(std::uint64_t number, Fault fault) {
  const std::lock_guard lock(state_->mutex);
  state_->lasting_fault = {number, fault};
}

void SimulatedFolder::Heal() {
  const std::lock_guard lock(state_->mutex);
  state_->faults.clear();
  state_->lasting_fault.reset();
}

void SimulatedFolder::set_capacity(std::optional<std::uint64_t> bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->capacity = bytes;
}

void SimulatedFolder::set_misplaced(const std::string& error) {
  const std::lock_guard lock(state_->mutex);
  state_->misplaced = error;
}

void SimulatedFolder::Steal(std::string_view name, std::optional<std::string_view> bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->disk.Remove(name);
  if (bytes) state_->disk.SetBytes(name, *bytes);
}

bool SimulatedFolder::Exists(std::string_view name) const {
  const std::lock_guard lock(state_->mutex);
  return state_->disk.Find(name) != nullptr;
}

std::string SimulatedFolder::Bytes(std::string_view name) const {
  const std::lock_guard lock(state_->mutex);
  const auto node = state_->disk.Find(name);
  LAUREL_ASSERT(node != nullptr);
  return node->current.ToString();
}

void SimulatedFolder::SetBytes(std::string_view name, std::string_view bytes) {
  CheckName(name);
  const std::lock_guard lock(state_->mutex);
  state_->disk.SetBytes(name, bytes);
}

}  // namespace laurel::testing
