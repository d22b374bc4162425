#include "laurel/boards.h"

#include <algorithm>
#include <utility>

#include "api/collection.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "leaderboard/effect_codec.h"

namespace laurel {
namespace {

using api::BoardSlot;
using leaderboard::Leaderboard;

Error NoBoard(std::string_view name) {
  return {ErrorCode::kNoBoard, "no board " + base::Quote(name)};
}

// Returns the bytes that the string has allocated outside of itself.
std::size_t HeapBytes(const std::pmr::string& text) {
  const std::size_t inline_capacity = std::pmr::string().capacity();
  return text.capacity() > inline_capacity ? text.capacity() + 1 : 0;
}

// Reads from the effects of an Advance which instances were closed and how much work was done.
class Closings final : public leaderboard::EffectReader {
 public:
  // Must be constructed before the Advance, which may drop the instances that it closes.
  Closings(const BoardSlot& held, const Leaderboard& board, Advanced* advanced)
      : slot_(held), layout_(board.standings().layout()), advanced_(*advanced) {
    for (const auto& stored : board.instances()) {
      if (!stored->closed) open_.emplace_back(stored->number, stored->span);
    }
  }

  [[nodiscard]] std::size_t done() const { return done_; }

 private:
  Status OnSelect(const leaderboard::InstanceRef& instance) override {
    selected_ = instance.number;
    return Ok{};
  }
  Status OnDropInstance(std::uint32_t /*number*/) override {
    ++done_;
    return Ok{};
  }
  Status OnClose(const leaderboard::Closing& closing) override {
    ++done_;
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const auto& stored) { return stored.first == selected_; });
    ClosedPeriod& closed = advanced_.closed.emplace_back();
    closed.board = *slot_.name;
    closed.instance = found->second;
    closed.size = closing.size;
    for (const leaderboard::TopEntry& best : closing.top) {
      Entry& entry = closed.top.emplace_back();
      entry.rank = closed.top.size();
      entry.member = best.member;
      entry.score = layout_.ScoreOf(best.words);
      entry.stamp = layout_.StampOf(best.words);
    }
    return Ok{};
  }

  const BoardSlot& slot_;
  const core::KeyLayout& layout_;
  Advanced& advanced_;
  std::vector<std::pair<std::uint32_t, Instance>> open_;
  std::uint32_t selected_ = 0;
  std::size_t done_ = 0;
};

// Advances one board, or drops it if its EXPIRE has passed. Returns the number of instances closed
// or dropped and of ids forgotten, at least 1.
std::size_t AdvanceOne(BoardSlot* held, Stamp now, std::size_t budget, Advanced* advanced) {
  Leaderboard& board = held->board;
  const auto ids = [&] { return board.requests() != nullptr ? board.requests()->size() : 0; };
  const std::size_t ids_before = ids();
  Closings closings(*held, board, advanced);
  std::string bytes;
  leaderboard::EffectWriter effects(&bytes);
  const leaderboard::Summary summary = board.Advance(now, budget, /*close_note=*/{}, &effects);
  api::Collection* owner = held->owner;
  if (summary.ended) {
    advanced->ended.emplace_back(*held->name);
    owner->Drop(owner->boards.find(*held->name));
    return 1;
  }
  base::ByteCursor cursor(bytes);
  (void)closings.Read(&cursor).ok();  // cannot fail: the bytes were written just now
  const Stamp due = summary.more ? now : std::max(board.Due(now), now + 1);
  owner->Schedule(held, due, /*exact=*/true);
  return std::max<std::size_t>(closings.done() + ids_before - ids(), 1);
}

}  // namespace

Boards::Boards() : Boards(base::SystemMemory()) {}

Boards::Boards(std::shared_ptr<const Calendars> calendars)
    : Boards(base::SystemMemory(), std::move(calendars)) {}

Boards::Boards(std::pmr::memory_resource* memory, std::shared_ptr<const Calendars> calendars)
    : Boards(
          std::make_unique<api::Collection>(memory, base::SystemEntropy(), std::move(calendars))) {}

Boards::Boards(std::unique_ptr<api::Collection> collection) : collection_(std::move(collection)) {}

Boards::~Boards() = default;
Boards::Boards(Boards&&) noexcept = default;
Boards& Boards::operator=(Boards&&) noexcept = default;

Result<Board> Boards::Create(std::string_view name, const Spec& spec, Stamp now) {
  if (const Status status = CheckBoardName(name, spec); !status.ok()) return status.error();
  if (const Status status = CheckDeclaration(spec); !status.ok()) return status.error();
  if (const auto there = collection_->boards.find(name); there != collection_->boards.end()) {
    BoardSlot& held = there->second;
    if (!held.board.HasExpired(now)) {
      const Spec& present = held.board.spec();
      if (present == spec) return Board(&held);
      return Error{ErrorCode::kExists,
                   base::Quote(name) + " exists with another spec: " + DescribeSpec(present)};
    }
    const std::string kept(name);  // `name` may be a view of the name that Drop frees
    collection_->Drop(there);
    return Create(kept, spec, now);
  }
  const Result<BoardSlot*> held = collection_->Add(name, spec);
  if (!held.ok()) return held.error();
  collection_->Schedule(*held, (*held)->board.Due(now), /*exact=*/true);
  return Board(*held);
}

std::optional<Board> Boards::Find(std::string_view name, Stamp now) const {
  BoardSlot* held = collection_->Find(name, now);
  return held == nullptr ? std::nullopt : std::optional(Board(held));
}

std::size_t Boards::size() const { return collection_->boards.size(); }

std::vector<std::string> Boards::List(std::string_view after, std::size_t limit, Stamp now) const {
  const auto& boards = collection_->boards;
  std::vector<std::string> names;
  auto at = after.empty() ? boards.begin() : boards.upper_bound(after);
  for (; at != boards.end() && names.size() < limit; ++at) {
    if (!at->second.board.HasExpired(now)) names.emplace_back(at->first);
  }
  return names;
}

Status Boards::Rename(std::string_view from, std::string_view to) {
  auto& boards = collection_->boards;
  const auto board = boards.find(from);
  if (board == boards.end()) return NoBoard(from);
  Status named = CheckBoardName(to, board->second.board.spec());
  if (!named.ok() || from == to) return named;
  std::pmr::string name(to, boards.get_allocator());  // `to` may be a view of a name to be freed
  Drop(name);
  auto node = boards.extract(board);
  node.key() = std::move(name);
  boards.insert(std::move(node));
  return Ok{};
}

bool Boards::Drop(std::string_view name) {
  const auto board = collection_->boards.find(name);
  if (board == collection_->boards.end()) return false;
  collection_->Drop(board);
  return true;
}

Result<Board> Boards::Restore(std::string_view name, std::string_view saved, Stamp now) {
  const Result<BoardSlot*> held = api::Restore(collection_.get(), name, saved, now);
  if (!held.ok()) return held.error();
  return Board(*held);
}

// Time and memory ---------------------------------------------------------------------------------

Stamp Boards::Due() const {
  return collection_->schedule.empty() ? INT64_MAX : collection_->schedule.begin()->first;
}

Advanced Boards::Advance(Stamp now, std::size_t budget) {
  Advanced advanced;
  while (Due() <= now && budget > 0) {
    BoardSlot* held = collection_->schedule.begin()->second;
    budget -= std::min(budget, AdvanceOne(held, now, budget, &advanced));
  }
  advanced.more = Due() <= now;
  return advanced;
}

bool Boards::Reclaim(std::size_t entries) { return collection_->environment.Reclaim(entries); }

std::size_t Boards::MemoryUsage() const {
  constexpr std::size_t kNodeBytes = 32;  // of the map's tree
  std::size_t bytes = 0;
  for (const auto& [name, held] : collection_->boards) {
    bytes += kNodeBytes + sizeof(api::Collection::Names::value_type) - sizeof(held.board) +
             HeapBytes(name) + held.board.MemoryUsage();
  }
  return bytes + collection_->environment.LeftoverBytes();
}

}  // namespace laurel
