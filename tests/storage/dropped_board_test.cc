// A board that goes while a snapshot is being written, in one record with changes of another.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "storage/format.h"
#include "tests/storage/one_client.h"
#include "tests/storage/simulated_files.h"

namespace laurel::testing {
namespace {

// Replay meets the drop of a board that the snapshot does not have. What follows in that record is
// still for the board that was selected before.
TEST(DroppedBoard, ThatASnapshotDoesNotHaveChangesNothingAboutOthers) {
  SimulatedFolder folder;
  SetClock clock;
  clock.Set(1'700'000'000'000'000);
  {
    OneClient client(&folder, &clock);
    ASSERT_EQ(client.Give({"ZADD gone 1 x", "ZADD kept 1 first"}), ":1\r\n:1\r\n");
    std::string during;
    folder.before_call = [&](const Call& call) {
      // The snapshot has begun, and has seen no board yet.
      if (call.kind != CallKind::kOpen || call.name != storage::kUnfinishedSnapshot) return;
      if (!during.empty()) return;
      during = client.Give({"ZADD kept 2 second", "DEL gone", "ZREM kept second"});
    };
    ASSERT_EQ(client.Give({"SAVE"}), "+OK\r\n");
    ASSERT_EQ(during, ":1\r\n:1\r\n:1\r\n");
    folder.before_call = nullptr;
  }
  const auto killed = folder.CrashKillOnly();
  OneClient client(killed.get(), &clock);
  EXPECT_EQ(client.Give({"ZRANGE kept 0 -1"}), "*1\r\n$5\r\nfirst\r\n");
  EXPECT_EQ(client.Give({"EXISTS gone"}), ":0\r\n");
}

}  // namespace
}  // namespace laurel::testing
