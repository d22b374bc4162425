// Fixture of the feed tests: a simulated disk, a clock, and an engine that can be restarted.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/feed/feed_engine.h"
#include "tests/storage/simulated_files.h"

namespace laurel::testing {

using Lines = std::vector<std::string>;

class FeedFixture : public ::testing::Test {
 protected:
  FeedFixture() { engine_ = std::make_unique<FeedEngine>(&folder_, &clock_); }

  // Executes the command `at` µs after kNoon.
  Value Try(Stamp at, const std::string& line) {
    clock_.Set(kNoon + at);
    return engine_->Ask(line);
  }
  void Do(Stamp at, const std::string& line) {
    const Value reply = Try(at, line);
    EXPECT_FALSE(reply.IsError()) << line << ": " << reply.ToString();
  }
  void Exec(Stamp at, const Lines& lines) {
    clock_.Set(kNoon + at);
    std::vector<Words> commands;
    for (const std::string& line : lines) commands.push_back(Split(line));
    const Value reply = engine_->Ask(commands);
    EXPECT_FALSE(reply.IsError()) << reply.ToString();
  }
  void TickAt(Stamp at) {
    clock_.Set(kNoon + at);
    engine_->Tick();
  }
  // Moves the board's cursor to the end of its feed, so that News leaves out earlier events.
  void Skip(const std::string& board) { cursors_[board] = engine_->End(board); }
  // The events since the last call of News or Skip for the board, or since its beginning.
  Lines News(const std::string& board) {
    std::string& cursor = cursors_.try_emplace(board, "0").first->second;
    const FeedPage page = engine_->Changes(board, cursor, 10'000);
    EXPECT_EQ(page.error, "") << board;
    EXPECT_FALSE(page.gap) << board;
    if (page.error.empty()) cursor = page.next;
    return Texts(page.events);
  }
  void Restart(const EngineRig::Options& options = FeedEngine::Keeping()) {
    engine_.reset();
    engine_ = std::make_unique<FeedEngine>(&folder_, &clock_, options);
  }

  SimulatedFolder folder_;
  TestClock clock_{kNoon};
  std::unique_ptr<FeedEngine> engine_;
  std::map<std::string, std::string> cursors_;
};

}  // namespace laurel::testing
