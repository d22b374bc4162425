#include "core/board_walk.h"

#include <algorithm>

#include "base/assert.h"

namespace laurel::core {

BoardWalk::BoardWalk(Catalog* catalog)
    : catalog_(catalog), end_id_(catalog->next_id()), boards_left_(catalog->boards()) {
  LAUREL_ASSERT(catalog->walk_ == nullptr && !catalog->restoring());
  catalog->walk_ = this;
  Begin(catalog->FirstById());
}

BoardWalk::~BoardWalk() { catalog_->walk_ = nullptr; }

// Takes the board, which is the next in order, as the one to visit.
void BoardWalk::Begin(NamedBoard* board) {
  board_ = board != nullptr && board->id < end_id_ ? board : nullptr;
  if (board_ != nullptr) --boards_left_;
  phase_ = Phase::kBoard;
}

void BoardWalk::BoardLeaves(const NamedBoard* board) {
  if (board_ == nullptr) return;
  if (board == board_) {
    Begin(Catalog::NextById(board));
  } else if (board->id > board_->id && board->id < end_id_) {
    --boards_left_;
  }
}

void BoardWalk::BoardIsReplaced(const NamedBoard* board, NamedBoard* fresh) {
  if (board != board_) return;
  board_ = fresh;
  phase_ = Phase::kBoard;
}

bool BoardWalk::Next(std::size_t budget, Visitor* visitor) {
  LAUREL_ASSERT(budget > 0);
  while (board_ != nullptr && budget > 0) {
    std::size_t visited = 0;
    switch (phase_) {
      case Phase::kBoard:
        visited = VisitBoard(visitor);
        break;
      case Phase::kEntries:
        visited = VisitEntries(budget, visitor);
        break;
      case Phase::kHidden:
        visited = VisitHidden(budget, visitor);
        break;
      case Phase::kRequests:
        visited = VisitRequests(budget, visitor);
        break;
    }
    budget -= std::min(budget, visited);
  }
  return board_ != nullptr;
}

std::size_t BoardWalk::VisitBoard(Visitor* visitor) {
  visitor->OnBoard(*board_);
  cursor_ = {};
  hidden_after_.reset();
  next_request_ = 0;
  visited_of_board_ = 0;
  phase_ = Phase::kEntries;
  return 1;
}

std::size_t BoardWalk::VisitEntries(std::size_t budget, Visitor* visitor) {
  std::size_t visited = 0;
  const EntryStore::WalkState state =
      board_->board.entries().Walk(&cursor_, budget, [&](const EntryView& view) {
        visitor->OnEntry(view);
        ++visited;
      });
  visited_of_board_ += visited;
  entries_visited_ += visited;
  switch (state) {
    case EntryStore::WalkState::kMore:
      return budget;
    case EntryStore::WalkState::kDone:
      phase_ = Phase::kHidden;
      return visited;
    case EntryStore::WalkState::kVoid:
      phase_ = Phase::kBoard;
      return 0;
  }
  return 0;
}

std::size_t BoardWalk::VisitHidden(std::size_t budget, Visitor* visitor) {
  std::size_t visited = 0;
  std::string_view last;
  const bool more =
      board_->board.ForHiddenAfter(hidden_after_ ? &*hidden_after_ : nullptr, budget,
                                   [&](std::string_view member, const Board::HiddenEntry* entry) {
                                     visitor->OnHidden(member, entry);
                                     last = member;
                                     ++visited;
                                   });
  entries_visited_ += visited;
  if (more) {
    hidden_after_.emplace(last);
  } else {
    phase_ = Phase::kRequests;
  }
  return visited;
}

std::size_t BoardWalk::VisitRequests(std::size_t budget, Visitor* visitor) {
  std::size_t visited = 0;
  const RequestIds* requests = board_->requests.get();
  if (requests != nullptr && next_request_ < requests->next_sequence()) {
    next_request_ = requests->ForSome(next_request_, budget, [&](const RememberedRequest& request) {
      visitor->OnRequest(request);
      ++visited;
    });
    if (next_request_ < requests->next_sequence()) return visited;
  }
  ++boards_visited_;
  Begin(Catalog::NextById(board_));
  return visited;
}

std::uint64_t BoardWalk::EstimateEntries() const {
  if (board_ == nullptr) return entries_visited_;
  const std::uint64_t visible = board_->board.entries().size();
  std::uint64_t here = board_->board.hidden_members();
  if (phase_ == Phase::kBoard) here += visible;
  if (phase_ == Phase::kEntries) here += visible - std::min(visible, visited_of_board_);
  const std::uint64_t so_far = entries_visited_ + here;
  return so_far + boards_left_ * (so_far / (boards_visited_ + 1));
}

}  // namespace laurel::core
