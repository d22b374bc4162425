#include "engine/disk/parked_pipelines.h"

#include <string>

#include <gtest/gtest.h>

#include "base/clock.h"

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

TEST(ParkedPipelines, AreDoneWhenTheirRecordIsDurable) {
  ParkedPipelines parked(10);
  CountingPipeline first;
  CountingPipeline second;
  parked.Park(&first, 11, base::MonotonicMicros());
  parked.Park(&second, 12, base::MonotonicMicros());
  EXPECT_EQ(parked.size(), 2U);
  parked.Release(11);
  EXPECT_EQ(first.done, 1);
  EXPECT_EQ(second.done, 0);
  parked.Release(12);
  EXPECT_EQ(first.done, 1);
  EXPECT_EQ(second.done, 1);
  EXPECT_EQ(parked.size(), 0U);
}

TEST(ParkedPipelines, AreDoneAtOnceIfTheirRecordIsDurableAlready) {
  ParkedPipelines parked(10);
  CountingPipeline pipeline;
  parked.Park(&pipeline, 10, base::MonotonicMicros());
  EXPECT_EQ(pipeline.done, 1);
}

TEST(ParkedPipelines, TellHowLongTheyHaveWaited) {
  constexpr std::int64_t kLong = 1'000'000'000;  // beyond the last bucket
  ParkedPipelines parked(10);
  CountingPipeline pipeline;
  const std::int64_t now_us = base::MonotonicMicros();
  parked.Park(&pipeline, 10, now_us);  // does not wait
  EXPECT_EQ(parked.waits().counts().front(), 1U);
  parked.Park(&pipeline, 11, now_us - kLong);
  parked.Park(&pipeline, 12, now_us - kLong);
  EXPECT_EQ(parked.waits().count(), 1U);
  parked.Release(11);
  EXPECT_EQ(parked.waits().counts().back(), 1U);
  EXPECT_GE(parked.waits().total_us(), kLong);
  parked.Fail("no disk");
  EXPECT_EQ(parked.waits().counts().back(), 2U);
  EXPECT_EQ(parked.waits().count(), 3U);
}

TEST(ParkedPipelines, HaveAnUnknownOutcomeWhenTheDiskFails) {
  ParkedPipelines parked(0);
  CountingPipeline pipeline;
  parked.Park(&pipeline, 1, base::MonotonicMicros());
  parked.Fail("no disk");
  EXPECT_EQ(pipeline.done, 1);
  EXPECT_EQ(pipeline.unknown, "the write is applied, but it is not known to be on disk: no disk");
  CountingPipeline late;
  parked.Park(&late, 2, base::MonotonicMicros());
  EXPECT_EQ(late.done, 1);
  EXPECT_EQ(late.unknown, pipeline.unknown);
}

TEST(ParkedPipelines, DoNotShowTheReasonToAClientWithAccessToSomeBoards) {
  ParkedPipelines parked(0);
  CountingPipeline pipeline;
  pipeline.client()->access = Access("guest", "guest:*");
  parked.Park(&pipeline, 1, base::MonotonicMicros());
  parked.Fail("/var/lib/laurel: no disk");
  EXPECT_EQ(pipeline.unknown.find("/var"), std::string::npos) << pipeline.unknown;
}

TEST(ParkedPipelines, WaitForTheDiskAgainAfterMend) {
  ParkedPipelines parked(0);
  parked.Fail("no disk");
  parked.Mend(5);
  CountingPipeline pipeline;
  parked.Park(&pipeline, 6, base::MonotonicMicros());
  EXPECT_EQ(pipeline.done, 0);
  parked.Release(6);
  EXPECT_EQ(pipeline.done, 1);
  EXPECT_TRUE(pipeline.unknown.empty());
}

// The log may write and release more records before Mend is called.
TEST(ParkedPipelines, KeepTheDurableRecordIfMendNamesAnEarlierOne) {
  ParkedPipelines parked(0);
  parked.Fail("no disk");
  parked.Release(6);
  parked.Mend(5);
  CountingPipeline pipeline;
  parked.Park(&pipeline, 6, base::MonotonicMicros());
  EXPECT_EQ(pipeline.done, 1);
}

}  // namespace
}  // namespace laurel::engine
