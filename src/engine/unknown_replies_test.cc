#include "engine/unknown_replies.h"

#include <string>

#include <gtest/gtest.h>

#include "engine/awaited_turn.h"

namespace laurel::engine {
namespace {

// A read, then two writes.
void Fill(Turn* turn) {
  turn->requests.resize(3);
  turn->replies = "$1\r\nx\r\n";
  turn->executed = 1;
  turn->NoteWrite();
  turn->replies += ":1\r\n";
  turn->executed = 2;
  turn->NoteWrite();
  turn->replies += ":2\r\n";
  turn->executed = 3;
  turn->unsettled.count = 2;
}

TEST(UnknownReplies, AreReplacedFromTheFirstWriteOn) {
  Client client;
  AwaitedTurn turn(&client);
  Fill(&turn);
  EXPECT_EQ(turn.unsettled.first, 1U);
  turn.unknown = "no disk";
  ReplaceUnknownReplies(&turn);
  EXPECT_EQ(turn.replies, "$1\r\nx\r\n-UNKNOWN no disk\r\n-UNKNOWN no disk\r\n");
  EXPECT_TRUE(turn.unknown.empty());
}

TEST(UnknownReplies, AreLeftAloneWhenTheOutcomeIsKnown) {
  Client client;
  AwaitedTurn turn(&client);
  Fill(&turn);
  const std::string replies = turn.replies;
  ReplaceUnknownReplies(&turn);
  EXPECT_EQ(turn.replies, replies);
}

TEST(UnknownReplies, AreReplacedBeforeAnAwaitedTurnIsDone) {
  Client client;
  AwaitedTurn turn(&client);
  Fill(&turn);
  turn.unknown = "no disk";
  turn.Done();
  turn.Await();
  EXPECT_TRUE(turn.replies.ends_with("-UNKNOWN no disk\r\n")) << turn.replies;
}

}  // namespace
}  // namespace laurel::engine
