#include "laurel/boards.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "core/catalog.h"

namespace laurel {

Boards::Boards() : Boards(base::SystemMemory()) {}

Boards::Boards(std::pmr::memory_resource* memory)
    : catalog_(std::make_unique<core::Catalog>(memory, base::SystemEntropy())) {}

Boards::~Boards() = default;
Boards::Boards(Boards&&) noexcept = default;
Boards& Boards::operator=(Boards&&) noexcept = default;

Result<Board> Boards::Create(std::string_view name, const Spec& spec) {
  if (!spec.periods.empty()) {
    return Error{ErrorCode::kErr, "periods need a calendar: only a server has them"};
  }
  const Result<core::NamedBoard*> board = catalog_->Create(name, spec);
  if (!board.ok()) return board.error();
  return Board(&(*board)->board);
}

std::optional<Board> Boards::Find(std::string_view name) const {
  core::NamedBoard* found = catalog_->Find(name);
  return found == nullptr ? std::nullopt : std::optional(Board(&found->board));
}

std::size_t Boards::size() const { return catalog_->size(); }

std::vector<std::string> Boards::List(std::string_view after, std::size_t limit) const {
  return catalog_->List(after, limit);
}

Result<BoardInfo> Boards::Describe(std::string_view name) const {
  const core::NamedBoard* found = catalog_->Find(name);
  if (found == nullptr) return Error{ErrorCode::kNoBoard, "no board " + base::Quote(name)};
  const core::Board& board = found->board;
  BoardInfo info;
  info.name = name;
  info.spec = board.spec();
  info.size = board.entries().size();
  info.hidden = board.hidden_members();
  info.bytes = board.MemoryUsage();
  return info;
}

Status Boards::Rename(std::string_view from, std::string_view to) {
  return catalog_->Rename(from, to);
}

bool Boards::Drop(std::string_view name) { return catalog_->Drop(name); }

bool Boards::Reclaim(std::size_t entries) { return catalog_->Reclaim(entries); }

std::size_t Boards::MemoryUsage() const { return catalog_->MemoryUsage(); }

}  // namespace laurel
