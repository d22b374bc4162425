#include <string>

#include <gtest/gtest.h>

#include "engine/awaited_pipeline.h"
#include "engine/engine.h"

namespace laurel::engine {
namespace {

// Fills the pipeline as if it had executed a read and two writes.
void Fill(Pipeline* pipeline) {
  pipeline->requests.resize(3);
  pipeline->replies = "$1\r\nx\r\n";
  pipeline->executed = 1;
  pipeline->NoteWrite();
  pipeline->replies += ":1\r\n";
  pipeline->executed = 2;
  pipeline->NoteWrite();
  pipeline->replies += ":2\r\n";
  pipeline->executed = 3;
  pipeline->unconfirmed.count = 2;
}

TEST(UnknownReplies, AreReplacedFromTheFirstWriteOn) {
  Client client;
  AwaitedPipeline pipeline(&client);
  Fill(&pipeline);
  EXPECT_EQ(pipeline.unconfirmed.first, 1U);
  pipeline.unknown = "no disk";
  ReplaceUnknownReplies(&pipeline);
  EXPECT_EQ(pipeline.replies, "$1\r\nx\r\n-UNKNOWN no disk\r\n-UNKNOWN no disk\r\n");
  EXPECT_TRUE(pipeline.unknown.empty());
}

TEST(UnknownReplies, AreLeftAloneWhenTheOutcomeIsKnown) {
  Client client;
  AwaitedPipeline pipeline(&client);
  Fill(&pipeline);
  const std::string replies = pipeline.replies;
  ReplaceUnknownReplies(&pipeline);
  EXPECT_EQ(pipeline.replies, replies);
}

TEST(UnknownReplies, AreReplacedBeforeAnAwaitedPipelineIsDone) {
  Client client;
  AwaitedPipeline pipeline(&client);
  Fill(&pipeline);
  pipeline.unknown = "no disk";
  pipeline.Done();
  pipeline.Await();
  EXPECT_TRUE(pipeline.replies.ends_with("-UNKNOWN no disk\r\n")) << pipeline.replies;
}

}  // namespace
}  // namespace laurel::engine
