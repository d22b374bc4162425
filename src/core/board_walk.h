// A walk over all boards and entries, in slices between which anything may change: what a snapshot
// is written from.
//
// Boards come in order of their ids. Of each first the visible entries, in order of memory (slab
// slots; the packed form whole), then the hidden members, then the remembered requests. Neither
// order has to do with scores, so an entry that is not written to stays where it is and is met. A
// board whose entries are all stored anew (packed form to records or back, Catalog::Clear) is begun
// again.
//
// What is visited is no state that ever was. But put together with the effects it becomes one:
//  1. A board that is there from the beginning to the end is visited, one created meanwhile is not.
//  2. A visible entry that gets no put, delete or hide between beginning and end, on a board that
//     gets no clear or drop, is visited, with its words and meta.
//  3. So is a hidden member that gets no show, with its entry if that gets no put, delete or clear.
//  4. An entry that is hidden meanwhile is visited as visible or as hidden, or both.
// Whatever else is visited, once, twice, or long gone, is overwritten by effects: the visited
// entries, and all effects from the beginning to the end applied to them, are the state at the end.
// (A hidden entry that is shown may be missed in both places; hence DecideShow puts it anew.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/catalog.h"

namespace laurel::core {

class BoardWalk {
 public:
  class Visitor {
   public:
    virtual ~Visitor() = default;
    // Before the board's entries; once more whenever it is begun again.
    virtual void OnBoard(const NamedBoard& board) = 0;
    // Of the board last named.
    virtual void OnEntry(const EntryView& view) = 0;
    // `entry` is null where there is none.
    virtual void OnHidden(std::string_view member, const Board::HiddenEntry* entry) = 0;
    // In the order of their sequence numbers.
    virtual void OnRequest(const RememberedRequest& request) = 0;
  };

  // The catalog outlives the walk. REQUIRES: it is not being restored and has no other walk.
  explicit BoardWalk(Catalog* catalog);
  ~BoardWalk();
  BoardWalk(const BoardWalk&) = delete;
  BoardWalk& operator=(const BoardWalk&) = delete;

  // Visits about `budget` entries, hidden members and boards; false when there is nothing left. The
  // visitor must not change any board. REQUIRES: budget > 0.
  bool Next(std::size_t budget, Visitor* visitor);

  // Visible and hidden, those visited twice counted twice.
  [[nodiscard]] std::uint64_t entries_visited() const { return entries_visited_; }
  [[nodiscard]] std::uint64_t boards_visited() const { return boards_visited_; }
  // About how many entries there will have been visited in the end, for showing progress: takes the
  // boards to come to be like those before, since counting their entries would be a pause.
  [[nodiscard]] std::uint64_t EstimateEntries() const;

 private:
  friend class Catalog;
  enum class Phase : std::uint8_t { kBoard, kEntries, kHidden, kRequests };

  // What the catalog tells: before it takes the board off its list, after `fresh` took its place.
  void BoardLeaves(const NamedBoard* board);
  void BoardIsReplaced(const NamedBoard* board, NamedBoard* fresh);

  void Begin(NamedBoard* board);
  // Each visits something and returns how much.
  std::size_t VisitBoard(Visitor* visitor);
  std::size_t VisitEntries(std::size_t budget, Visitor* visitor);
  std::size_t VisitHidden(std::size_t budget, Visitor* visitor);
  std::size_t VisitRequests(std::size_t budget, Visitor* visitor);

  Catalog* catalog_;
  std::uint64_t end_id_;         // boards from here on are not visited
  std::uint64_t boards_left_;    // behind board_
  NamedBoard* board_ = nullptr;  // null at the end
  Phase phase_ = Phase::kBoard;
  EntryStore::WalkCursor cursor_;
  std::optional<std::string> hidden_after_;  // the hidden member last visited
  std::uint64_t next_request_ = 0;           // sequence
  std::uint64_t visited_of_board_ = 0;
  std::uint64_t entries_visited_ = 0;
  std::uint64_t boards_visited_ = 0;
};

}  // namespace laurel::core
