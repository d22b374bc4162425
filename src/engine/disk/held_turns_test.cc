#include "engine/disk/held_turns.h"

#include <string>

#include <gtest/gtest.h>

namespace laurel::engine {
namespace {

class CountingTurn : public Turn {
 public:
  CountingTurn() : Turn(&client_) {}
  void Done() override { ++done; }
  void Blocked(std::int64_t /*deadline_ms*/) override {}

  int done = 0;

 private:
  Client client_;
};

TEST(HeldTurns, AreDoneWhenTheirRecordIsDurable) {
  HeldTurns held(10);
  CountingTurn first;
  CountingTurn second;
  held.Hold(&first, 11);
  held.Hold(&second, 12);
  EXPECT_EQ(held.size(), 2U);
  held.Release(11);
  EXPECT_EQ(first.done, 1);
  EXPECT_EQ(second.done, 0);
  held.Release(12);
  EXPECT_EQ(first.done, 1);
  EXPECT_EQ(second.done, 1);
  EXPECT_EQ(held.size(), 0U);
}

TEST(HeldTurns, AreDoneAtOnceIfTheirRecordIsDurableAlready) {
  HeldTurns held(10);
  CountingTurn turn;
  held.Hold(&turn, 10);
  EXPECT_EQ(turn.done, 1);
}

TEST(HeldTurns, AreAnsweredUnknownFromTheirFirstWriteOnWhenTheDiskFails) {
  HeldTurns held(0);
  CountingTurn turn;
  turn.replies = "$1\r\nx\r\n";  // of a read
  turn.NoteWrite();
  turn.replies += ":1\r\n:2\r\n";
  turn.unsettled.replies = 2;
  held.Hold(&turn, 1);
  held.Fail("no disk");
  EXPECT_EQ(turn.done, 1);
  const std::string unknown =
      "-UNKNOWN the write is applied, but it is not known to be on disk: no disk\r\n";
  EXPECT_EQ(turn.replies, "$1\r\nx\r\n" + unknown + unknown);

  CountingTurn late;
  late.NoteWrite();
  late.replies = ":1\r\n";
  late.unsettled.replies = 1;
  held.Hold(&late, 2);
  EXPECT_EQ(late.done, 1);
  EXPECT_EQ(late.replies, unknown);
}

TEST(HeldTurns, WaitAgainWhenTheDiskIsMended) {
  HeldTurns held(0);
  held.Fail("no disk");
  held.Mend(5);
  CountingTurn turn;
  turn.replies = ":1\r\n";
  held.Hold(&turn, 6);
  EXPECT_EQ(turn.done, 0);
  held.Release(6);
  EXPECT_EQ(turn.done, 1);
  EXPECT_EQ(turn.replies, ":1\r\n");
}

// The log is good before the turns hear of it, and may have written more by then.
TEST(HeldTurns, DoNotForgetWhatBecameDurableBeforeTheyHeardOfTheMending) {
  HeldTurns held(0);
  held.Fail("no disk");
  held.Release(6);
  held.Mend(5);
  CountingTurn turn;
  held.Hold(&turn, 6);
  EXPECT_EQ(turn.done, 1);
}

}  // namespace
}  // namespace laurel::engine
