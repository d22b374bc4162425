// Somebody who keeps a copy of a board by following its feed, as an application would.
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
  // `members`: all that the board may ever hold, for reading it without the feed.
  Consumer(std::string board, std::vector<std::string> members)
      : board_(std::move(board)), members_(std::move(members)) {}

  // Reads one page and applies it. After a gap, or when the board was not there, the board is read
  // instead: the cursor first, so that nothing falls in between. False if there was nothing new.
  bool Step(FeedEngine* engine, std::size_t count);
  // Begins by reading the board, as after a gap.
  void ForgetPlace() { cursor_.clear(); }

  // A member that was hidden has been told of.
  [[nodiscard]] bool Knows(const std::string& hidden) const { return hidden_.contains(hidden); }
  // Fails the test unless the copy is what the board holds now.
  void ExpectEqual(FeedEngine* engine) const;

  [[nodiscard]] const std::string& board() const { return board_; }
  [[nodiscard]] std::uint64_t gaps() const { return gaps_; }
  // How often it has read the board instead of the feed.
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
  // The names under which the board's entries are read: its own, or those of its instances.
  static std::vector<std::string> Instances(FeedEngine* engine, const std::string& board);

  const std::string board_;
  const std::vector<std::string> members_;
  std::string cursor_ = "0";
  std::map<std::string, Entries> entries_;  // by instance; "" for a board without periods
  std::set<std::string> hidden_;
  // After the board was read: whether one is hidden who has no entry is not known.
  std::set<std::string> unclear_;
  // Events that the board was read behind of may be told again until then.
  bool exact_ = true;
  std::uint64_t gaps_ = 0;
  std::uint64_t began_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t closes_ = 0;
};

}  // namespace laurel::testing
