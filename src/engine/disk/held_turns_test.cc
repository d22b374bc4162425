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

TEST(HeldTurns, AreToldThatTheirOutcomeIsUnknownWhenTheDiskFails) {
  HeldTurns held(0);
  CountingTurn turn;
  held.Hold(&turn, 1);
  held.Fail("no disk");
  EXPECT_EQ(turn.done, 1);
  EXPECT_EQ(turn.unknown, "the write is applied, but it is not known to be on disk: no disk");
  CountingTurn late;
  held.Hold(&late, 2);
  EXPECT_EQ(late.done, 1);
  EXPECT_EQ(late.unknown, turn.unknown);
}

TEST(HeldTurns, DoNotShowTheReasonToAClientWithAccessToSomeBoards) {
  HeldTurns held(0);
  CountingTurn turn;
  turn.client()->access = Access("guest", "guest:*");
  held.Hold(&turn, 1);
  held.Fail("/var/lib/laurel: no disk");
  EXPECT_EQ(turn.unknown.find("/var"), std::string::npos) << turn.unknown;
}

TEST(HeldTurns, WaitAgainWhenTheDiskIsMended) {
  HeldTurns held(0);
  held.Fail("no disk");
  held.Mend(5);
  CountingTurn turn;
  held.Hold(&turn, 6);
  EXPECT_EQ(turn.done, 0);
  held.Release(6);
  EXPECT_EQ(turn.done, 1);
  EXPECT_TRUE(turn.unknown.empty());
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
