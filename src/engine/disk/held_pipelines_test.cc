#include "engine/disk/held_pipelines.h"

#include <string>

#include <gtest/gtest.h>

namespace laurel::engine {
namespace {

class CountingPipeline : public Pipeline {
 public:
  CountingPipeline() : Pipeline(&client_) {}
  void Done() override { ++done; }
  void Blocked(std::int64_t /*deadline_ms*/) override {}

  int done = 0;

 private:
  Client client_;
};

TEST(HeldPipelines, AreDoneWhenTheirRecordIsDurable) {
  HeldPipelines held(10);
  CountingPipeline first;
  CountingPipeline second;
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

TEST(HeldPipelines, AreDoneAtOnceIfTheirRecordIsDurableAlready) {
  HeldPipelines held(10);
  CountingPipeline pipeline;
  held.Hold(&pipeline, 10);
  EXPECT_EQ(pipeline.done, 1);
}

TEST(HeldPipelines, HaveAnUnknownOutcomeWhenTheDiskFails) {
  HeldPipelines held(0);
  CountingPipeline pipeline;
  held.Hold(&pipeline, 1);
  held.Fail("no disk");
  EXPECT_EQ(pipeline.done, 1);
  EXPECT_EQ(pipeline.unknown, "the write is applied, but it is not known to be on disk: no disk");
  CountingPipeline late;
  held.Hold(&late, 2);
  EXPECT_EQ(late.done, 1);
  EXPECT_EQ(late.unknown, pipeline.unknown);
}

TEST(HeldPipelines, DoNotShowTheReasonToAClientWithAccessToSomeBoards) {
  HeldPipelines held(0);
  CountingPipeline pipeline;
  pipeline.client()->access = Access("guest", "guest:*");
  held.Hold(&pipeline, 1);
  held.Fail("/var/lib/laurel: no disk");
  EXPECT_EQ(pipeline.unknown.find("/var"), std::string::npos) << pipeline.unknown;
}

TEST(HeldPipelines, WaitForTheDiskAgainAfterMend) {
  HeldPipelines held(0);
  held.Fail("no disk");
  held.Mend(5);
  CountingPipeline pipeline;
  held.Hold(&pipeline, 6);
  EXPECT_EQ(pipeline.done, 0);
  held.Release(6);
  EXPECT_EQ(pipeline.done, 1);
  EXPECT_TRUE(pipeline.unknown.empty());
}

// The log may write and release more records before Mend is called.
TEST(HeldPipelines, KeepTheDurableRecordIfMendNamesAnEarlierOne) {
  HeldPipelines held(0);
  held.Fail("no disk");
  held.Release(6);
  held.Mend(5);
  CountingPipeline pipeline;
  held.Hold(&pipeline, 6);
  EXPECT_EQ(pipeline.done, 1);
}

}  // namespace
}  // namespace laurel::engine
