#include "core/catalog.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/text.h"
#include "laurel/limits.h"

namespace laurel::core {
namespace {

constexpr std::size_t kLargeBoardBytes = std::size_t{1} << 19;
constexpr std::size_t kEntriesPerSlice = 1024;  // about a page of records

// What the string holds outside itself.
std::size_t HeapBytes(const std::pmr::string& text) {
  const std::size_t inline_capacity = std::pmr::string().capacity();
  return text.capacity() > inline_capacity ? text.capacity() + 1 : 0;
}

}  // namespace

Status CheckName(std::string_view name, const Spec& spec) {
  if (name.size() > kMaxBoardNameBytes) {
    return Error{ErrorCode::kLimit, "board name " + base::Quote(name) + " exceeds 512 bytes"};
  }
  if (spec.kind == BoardKind::kSortedSet) return Ok{};
  if (name.empty()) return Error{ErrorCode::kErr, "a board needs a name"};
  // `board@day` names a period of a leaderboard.
  if (name.find('@') != std::string_view::npos) {
    return Error{ErrorCode::kErr, "a leaderboard's name has no '@': " + base::Quote(name)};
  }
  return Ok{};
}

Catalog::Catalog(std::pmr::memory_resource* memory, std::uint64_t hash_seed, const Shape& shape)
    : environment_(memory, hash_seed, shape), names_(memory, hash_seed) {}

Catalog::~Catalog() {
  for (NamedBoard* board : retired_) Free(board);
  names_.Scan(0, SIZE_MAX, [&](NamedBoard& board) { Free(&board); });
}

Result<NamedBoard*> Catalog::Create(std::string_view name, const Spec& spec) {
  if (const Status status = CheckName(name, spec); !status.ok()) return status.error();
  if (const Status status = CheckSpec(spec); !status.ok()) return status.error();
  if (NamedBoard* board = Find(name)) {
    if (board->board.spec() == spec) return board;
    return Error{ErrorCode::kExists, base::Quote(name) + " exists with another spec: " +
                                         DescribeSpec(board->board.spec())};
  }
  NamedBoard* board = Make(name, next_id_++, spec);
  names_.Insert(board);
  return board;
}

std::vector<std::string> Catalog::List(std::string_view after, std::size_t limit) const {
  std::vector<std::string> names;
  names_.Scan(0, SIZE_MAX, [&](const NamedBoard& board) {
    if (std::string_view(board.name) > after) names.emplace_back(board.name);
  });
  const std::size_t listed = std::min(limit, names.size());
  std::partial_sort(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(listed),
                    names.end());
  names.resize(listed);
  return names;
}

Status Catalog::Rename(std::string_view from, std::string_view to) {
  NamedBoard* board = Find(from);
  if (board == nullptr) return Error{ErrorCode::kNoBoard, "no board " + base::Quote(from)};
  const Status named = CheckName(to, board->board.spec());
  if (!named.ok()) return named.error();
  if (from == to) return Ok{};
  std::pmr::string name(to, environment_.memory());  // `to` may be a view of a name that goes
  if (NamedBoard* replaced = Find(to)) Retire(replaced);
  names_.Erase(board);
  board->name = std::move(name);
  names_.Insert(board);
  return Ok{};
}

bool Catalog::Drop(std::string_view name) {
  NamedBoard* board = Find(name);
  if (board == nullptr) return false;
  Retire(board);
  return true;
}

NamedBoard* Catalog::Make(std::string_view name, std::uint64_t id, const Spec& spec) {
  void* memory = environment_.memory()->allocate(sizeof(NamedBoard), alignof(NamedBoard));
  return new (memory) NamedBoard(name, id, spec, &environment_);
}

NamedBoard* Catalog::Clear(NamedBoard* board) {
  NamedBoard* fresh = Make(board->name, board->id, board->board.spec());
  fresh->board.TakeMarks(&board->board);
  Retire(board);
  names_.Insert(fresh);
  return fresh;
}

void Catalog::Free(NamedBoard* board) {
  board->~NamedBoard();
  environment_.memory()->deallocate(board, sizeof(NamedBoard), alignof(NamedBoard));
}

void Catalog::Retire(NamedBoard* board) {
  names_.Erase(board);
  if (board->board.entries().MemoryUsage() >= kLargeBoardBytes) {
    retired_.push_back(board);
  } else {
    Free(board);
  }
}

bool Catalog::Reclaim(std::size_t entries) {
  for (std::size_t freed = 0; !retired_.empty() && freed < entries; freed += kEntriesPerSlice) {
    if (retired_.front()->board.FreeSlice()) continue;
    Free(retired_.front());
    retired_.pop_front();
  }
  return !retired_.empty();
}

std::size_t Catalog::MemoryUsage() const {
  std::size_t bytes = names_.MemoryUsage();
  const auto add = [&](const NamedBoard& board) {
    bytes += sizeof(NamedBoard) - sizeof(Board) + HeapBytes(board.name) + board.board.MemoryUsage();
  };
  names_.Scan(0, SIZE_MAX, add);
  for (const NamedBoard* board : retired_) add(*board);
  return bytes;
}

}  // namespace laurel::core
