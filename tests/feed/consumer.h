// A follower that keeps a copy of a board by reading its change feed, as an application would.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/feed/feed_engine.h"

namespace laurel::testing {

class Consumer {
 public:
  // `members`: all members that the board may ever hold, to read the board without the feed.
  Consumer(std::string board, std::vector<std::string> members)
      : board_(std::move(board)), members_(std::move(members)) {}

  // Reads one page and applies it. After a gap, or if the board was absent, reads the board itself;
  // it takes the cursor first, so that no event is missed. Returns false if nothing was new.
  bool Step(FeedEngine* engine, std::size_t count);
  // Makes the next Step read the board itself, as after a gap.
  void ForgetPlace() { cursor_.clear(); }

  // Whether the copy has the member as hidden.
  [[nodiscard]] bool Knows(const std::string& hidden) const { return hidden_.contains(hidden); }
  // Fails the test unless the copy equals the board.
  void ExpectEqual(FeedEngine* engine) const;

  [[nodiscard]] const std::string& board() const { return board_; }
  [[nodiscard]] std::uint64_t gaps() const { return gaps_; }
  // How often the consumer has read the board itself.
  [[nodiscard]] std::uint64_t began() const { return began_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t closes() const { return closes_; }

 private:
  struct Entry {
    std::string score;
    Stamp stamp = 0;
    bool operator==(const Entry&) const = default;
  };
  using Entries = std::map<std::string, Entry>;

  void Apply(const FeedEvent& event);
  void CheckClose(const FeedEvent& event) const;
  void Clear();
  bool ReadBoard(FeedEngine* engine);
  // The names to read the entries under: the board's own, or those of its instances.
  static std::vector<std::string> Instances(FeedEngine* engine, const std::string& board);

  const std::string board_;
  const std::vector<std::string> members_;
  std::string cursor_ = "0";
  std::map<std::string, Entries> entries_;  // by instance; "" for a board without periods
  std::set<std::string> hidden_;
  // Members whose hidden mark is unknown: the board itself was read and they have no entry.
  std::set<std::string> unclear_;
  // False once the board itself was read: it was read after the cursor was taken, so events after
  // the cursor may already be in the copy.
  bool exact_ = true;
  std::uint64_t gaps_ = 0;
  std::uint64_t began_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t closes_ = 0;
};

}  // namespace laurel::testing
