// A board that is dropped while a snapshot is written, in one record with changes of another board.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "storage/format.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {
namespace {

// Replay finds the drop of a board that the snapshot does not hold. The effects after it in the
// record are still for the board that was selected before.
TEST(DroppedBoard, MissingInTheSnapshotDoesNotAffectOtherBoards) {
  SimulatedFolder folder;
  const TestClock clock;
  {
    EngineRig rig(&folder, &clock, {});
    rig.StartOrThrow();
    TestClient other;  // sends its requests on the thread of the snapshot
    ASSERT_EQ(rig.BeginLines(&other, {"ZADD gone 1 x", "ZADD kept 1 first"})->Bytes(),
              ":1\r\n:1\r\n");
    std::string during;
    folder.before_call = [&](const Call& call) {
      // The snapshot has begun, but has not reached any board yet.
      if (call.kind != CallKind::kOpen || call.name != storage::kUnfinishedSnapshot) return;
      if (!during.empty()) return;
      during =
          rig.BeginLines(&other, {"ZADD kept 2 second", "DEL gone", "ZREM kept second"})->Bytes();
    };
    ASSERT_EQ(rig.AskBytes("SAVE"), "+OK\r\n");
    ASSERT_EQ(during, ":1\r\n:1\r\n:1\r\n");
    folder.before_call = nullptr;
  }
  const auto killed = folder.CrashKillOnly();
  EngineRig rig(killed.get(), &clock, {});
  rig.StartOrThrow();
  EXPECT_EQ(rig.AskBytes("ZRANGE kept 0 -1"), "*1\r\n$5\r\nfirst\r\n");
  EXPECT_EQ(rig.AskBytes("EXISTS gone"), ":0\r\n");
}

}  // namespace
}  // namespace laurel::testing
