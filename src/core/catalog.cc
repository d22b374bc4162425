#include "core/catalog.h"

#include <utility>

#include "base/text.h"
#include "laurel/limits.h"

namespace laurel::core {
namespace {

constexpr std::size_t kLargeBoardBytes = std::size_t{1} << 19;
constexpr std::size_t kEntriesPerSlice = 1024;  // about a page of records

Status CheckName(std::string_view name, const Spec& spec) {
  if (name.empty()) return Error{ErrorCode::kErr, "a board needs a name"};
  if (name.size() > kMaxBoardNameBytes) {
    return Error{ErrorCode::kLimit, "board name " + base::Quote(name) + " exceeds 512 bytes"};
  }
  // `board@day` names a period of a leaderboard.
  if (spec.kind == BoardKind::kLeaderboard && name.find('@') != std::string_view::npos) {
    return Error{ErrorCode::kErr, "a leaderboard's name has no '@': " + base::Quote(name)};
  }
  return Ok{};
}

// What the string holds outside itself.
std::size_t HeapBytes(const std::pmr::string& text) {
  const std::size_t inline_capacity = std::pmr::string().capacity();
  return text.capacity() > inline_capacity ? text.capacity() + 1 : 0;
}

}  // namespace

Catalog::Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Shape& shape)
    : environment_(memory, hash_seed, shape), boards_(memory) {}

Catalog::~Catalog() = default;

Result<Board*> Catalog::Create(std::string_view name, const Spec& spec) {
  if (const Status status = CheckName(name, spec); !status.ok()) return status.error();
  if (const Status status = CheckSpec(spec); !status.ok()) return status.error();
  if (Board* board = Find(name)) {
    if (board->spec() == spec) return board;
    return Error{ErrorCode::kExists,
                 base::Quote(name) + " exists with another spec: " + DescribeSpec(board->spec())};
  }
  const auto made =
      boards_.try_emplace(std::pmr::string(name, environment_.memory()), spec, &environment_);
  return &made.first->second;
}

Board* Catalog::Find(std::string_view name) const {
  const auto found = boards_.find(name);
  return found == boards_.end() ? nullptr : const_cast<Board*>(&found->second);
}

std::vector<std::string> Catalog::List(std::string_view after, std::size_t limit) const {
  std::vector<std::string> names;
  for (auto at = boards_.upper_bound(after); at != boards_.end() && names.size() < limit; ++at) {
    names.emplace_back(at->first);
  }
  return names;
}

Status Catalog::Rename(std::string_view from, std::string_view to) {
  const auto found = boards_.find(from);
  if (found == boards_.end()) {
    return Error{ErrorCode::kNoBoard, "no board " + base::Quote(from)};
  }
  const Status named = CheckName(to, found->second.spec());
  if (!named.ok()) return named.error();
  if (from == to) return Ok{};
  std::pmr::string name(to, environment_.memory());  // `from` may be a view of the node's own key
  auto node = boards_.extract(found);
  if (const auto replaced = boards_.find(to); replaced != boards_.end()) Retire(replaced);
  node.key() = std::move(name);
  boards_.insert(std::move(node));
  return Ok{};
}

bool Catalog::Drop(std::string_view name) {
  const auto found = boards_.find(name);
  if (found == boards_.end()) return false;
  Retire(found);
  return true;
}

void Catalog::Retire(Boards::iterator board) {
  auto node = boards_.extract(board);
  if (node.mapped().entries().MemoryUsage() >= kLargeBoardBytes)
    retired_.push_back(std::move(node));
}

bool Catalog::Reclaim(std::size_t entries) {
  for (std::size_t freed = 0; !retired_.empty() && freed < entries; freed += kEntriesPerSlice) {
    if (!retired_.front().mapped().FreeSlice()) retired_.pop_front();
  }
  return !retired_.empty();
}

std::size_t Catalog::MemoryUsage() const {
  constexpr std::size_t kNodeBytes = 32;  // of the map's tree
  std::size_t bytes = 0;
  for (const auto& [name, board] : boards_) {
    bytes += kNodeBytes + sizeof(std::pmr::string) + HeapBytes(name) + board.MemoryUsage();
  }
  for (const auto& node : retired_) bytes += node.mapped().MemoryUsage();
  return bytes;
}

}  // namespace laurel::core
