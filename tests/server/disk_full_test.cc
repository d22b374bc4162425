// A disk that is really full: a small tmpfs. Mounting needs root; without it the tests are skipped.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include "server/durable_server.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/files.h"

namespace laurel::black_box {
namespace {

namespace fs = std::filesystem;

// A file system of a few megabytes, unmounted with this object.
class SmallDisk {
 public:
  explicit SmallDisk(const char* size = "size=16m") {
    if (mount("laurel-test", root().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, size) != 0) {
      refusal_ = std::strerror(errno);
    }
  }
  ~SmallDisk() {
    if (mounted()) umount2(root().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return refusal_.empty(); }
  const std::string& refusal() const { return refusal_; }
  const fs::path& root() const { return folder_.path(); }

  // Adds a file that leaves `free_bytes` bytes free.
  void AddBallast(std::size_t free_bytes) {
    struct statvfs space {};
    ASSERT_EQ(statvfs(root().c_str(), &space), 0);
    const std::size_t free = space.f_bavail * space.f_bsize;
    ASSERT_GE(free, free_bytes);
    std::ofstream(root() / "ballast") << std::string(free - free_bytes, 'b');
  }
  void DropBallast() { fs::remove(root() / "ballast"); }

 private:
  TemporaryFolder folder_;
  std::string refusal_;
};

class DiskFull : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!disk_.mounted()) GTEST_SKIP() << "mounting a tmpfs is not permitted: " << disk_.refusal();
    server_.emplace(disk_.root() / "data");
    arguments_ = {"--fsync",        GetParam(), "--log-segment", "1mb",
                  "--snapshot-log", "1mb",      "--keep-log",    "0"};
  }
  void TearDown() override { server_.reset(); }

  // Adds members until a write is refused, and returns the refusal. Counts the acknowledged members
  // in `acknowledged_`.
  std::string WriteUntilRefused(RespClient* client) {
    const std::string meta(3000, 'x');
    for (int i = 0; i < 20'000; ++i) {
      const std::string member = "m" + std::to_string(acknowledged_);
      const Value reply = client->Command(
          {"LB.SUBMIT", "board", member, std::to_string(acknowledged_), "META", meta});
      if (reply.IsError()) return reply.text;
      ++acknowledged_;
      // Clears the meta of every second member, so that the log fills the disk rather than the
      // board.
      if (acknowledged_ % 2 == 0) {
        const Value cut = client->Command({"LB.META", "board", member, ""});
        if (cut.IsError()) return cut.text;
      }
    }
    return "";
  }

  // All acknowledged entries are there, in order, and at most one more, whose write was answered
  // UNKNOWN.
  void CheckContents(RespClient* client) {
    const std::int64_t size = client->Command({"LB.SIZE", "board"}).Integer();
    EXPECT_GE(size, acknowledged_);
    EXPECT_LE(size, acknowledged_ + unknown_);
    const Value all = client->Command({"LB.RANGE", "board", "1", "-1"});
    ASSERT_EQ(all.elements.size(), static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      const Value& entry = all.elements[static_cast<std::size_t>(size - 1 - i)];
      ASSERT_EQ(entry.Find("member")->text, "m" + std::to_string(i));
    }
  }

  // Writes until the server can free no more space and refuses writes. A write that does not fit
  // may have been applied in memory, and is then answered UNKNOWN; it counts as acknowledged once
  // it is known to be on disk.
  void FillTheDisk(RespClient* client) {
    while (server_->Output().find("writes that add are refused") == std::string::npos) {
      const std::string refusal = WriteUntilRefused(client);
      ASSERT_TRUE(refusal.starts_with("MISCONF") || refusal.starts_with("UNKNOWN")) << refusal;
      if (refusal.starts_with("UNKNOWN")) unknown_ = 1;
      if (InfoField(client, "laurel_read_only") == "0") Recount(client);
    }
  }

  // A write that was answered UNKNOWN is durable by now, or was undone.
  void Recount(RespClient* client) {
    acknowledged_ = client->Command({"LB.SIZE", "board"}).Integer();
    unknown_ = 0;
  }

  SmallDisk disk_;
  std::optional<DurableServer> server_;
  std::vector<std::string> arguments_;
  std::int64_t acknowledged_ = 0;
  std::int64_t unknown_ = 0;  // neither acknowledged nor known to be undone
};

TEST_P(DiskFull, RefusesWritesServesReadsAndResumesWhenThereIsRoom) {
  server_->Start(arguments_);
  RespClient client = server_->Connect();
  ASSERT_EQ(client.Ask({"LB.CREATE", "board"}), "+OK");
  ASSERT_NO_FATAL_FAILURE(disk_.AddBallast(5 * kMiB));
  FillTheDisk(&client);

  ASSERT_TRUE(Eventually([&] { return InfoField(&client, "laurel_read_only") == "1"; }));
  EXPECT_NE(InfoField(&client, "laurel_disk_trouble"), "");
  EXPECT_EQ(InfoField(&client, "aof_last_write_status"), "err");
  for (const Arguments& write :
       {Arguments{"LB.SUBMIT", "board", "late", "1"}, Arguments{"ZADD", "set", "1", "late"},
        Arguments{"LB.CREATE", "other"}}) {
    const Value reply = client.Command(write);
    EXPECT_TRUE(reply.IsError() && reply.text.starts_with("MISCONF")) << reply.ToString();
  }
  EXPECT_EQ(client.Ask({"MULTI"}), "+OK");
  client.Command({"ZADD", "set", "1", "late"});
  const std::string executed = client.Ask({"EXEC"});
  EXPECT_NE(executed.find("MISCONF"), std::string::npos) << executed;
  EXPECT_EQ(client.Ask({"EXISTS", "set"}), "0");
  EXPECT_EQ(client.Ask({"PING"}), "+PONG");
  ASSERT_NO_FATAL_FAILURE(CheckContents(&client));

  disk_.DropBallast();
  ASSERT_TRUE(Eventually([&] { return InfoField(&client, "laurel_read_only") == "0"; }))
      << server_->Output();
  EXPECT_EQ(InfoField(&client, "aof_last_write_status"), "ok");
  Recount(&client);
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(acknowledged_);
    const Value reply = client.Command({"LB.SUBMIT", "board", "m" + number, number});
    ASSERT_FALSE(reply.IsError()) << reply.ToString();
    ++acknowledged_;
  }
  ASSERT_TRUE(Eventually([&] {  // under everysec they may not be durable yet
    return InfoField(&client, "laurel_durable_records") == InfoField(&client, "laurel_records");
  }));
  server_->Kill();
  server_->Start(arguments_);
  RespClient again = server_->Connect();
  ASSERT_NO_FATAL_FAILURE(CheckContents(&again));
  EXPECT_EQ(server_->Stop(), 0) << server_->Output();
}

TEST_P(DiskFull, KillNineOnAFullDiskLosesNothingAcknowledged) {
  server_->Start(arguments_);
  {
    RespClient client = server_->Connect();
    ASSERT_EQ(client.Ask({"LB.CREATE", "board"}), "+OK");
    ASSERT_NO_FATAL_FAILURE(disk_.AddBallast(5 * kMiB));
    FillTheDisk(&client);
    ASSERT_TRUE(Eventually([&] { return InfoField(&client, "laurel_read_only") == "1"; }));
    // Nothing in memory is waiting to be written to the disk.
    ASSERT_TRUE(Eventually([&] { return InfoField(&client, "laurel_log_pending_bytes") == "0"; }));
  }
  server_->Kill();
  disk_.DropBallast();
  server_->Start(arguments_);
  RespClient client = server_->Connect();
  ASSERT_NO_FATAL_FAILURE(CheckContents(&client));
  FillTheDisk(&client);  // without the ballast, the disk fills up again
}

TEST_P(DiskFull, RemovalsAndASaveMakeRoom) {
  server_->Start(arguments_);
  RespClient client = server_->Connect();
  ASSERT_EQ(client.Ask({"LB.CREATE", "board"}), "+OK");
  ASSERT_NO_FATAL_FAILURE(FillTheDisk(&client));
  ASSERT_TRUE(Eventually([&] {
    const Value reply = client.Command({"LB.TRIM", "board", "100"});
    return !reply.IsError();
  })) << server_->Output();
  EXPECT_EQ(client.Ask({"SAVE"}), "+OK") << server_->Output();
  ASSERT_TRUE(Eventually([&] { return InfoField(&client, "laurel_read_only") == "0"; }))
      << server_->Output();
  EXPECT_EQ(client.Ask({"ZADD", "set", "1", "late"}), "1");
  EXPECT_TRUE(Eventually(
      [&] { return server_->Output().find("room on the disk again") != std::string::npos; }));
  server_->Stop();
  server_->Start(arguments_);
  RespClient again = server_->Connect();
  EXPECT_EQ(again.Ask({"LB.SIZE", "board"}), "100");
  EXPECT_EQ(again.Ask({"ZCARD", "set"}), "1");
}

TEST_P(DiskFull, AStartWithoutRoomServesReadsAndRecovers) {
  server_->Start(arguments_);
  {
    RespClient client = server_->Connect();
    ASSERT_EQ(client.Ask({"LB.CREATE", "board"}), "+OK");
    ASSERT_NO_FATAL_FAILURE(FillTheDisk(&client));
  }
  server_->Stop();
  ASSERT_NO_FATAL_FAILURE(disk_.AddBallast(0));
  server_->Start(arguments_);
  RespClient client = server_->Connect();
  ASSERT_NO_FATAL_FAILURE(CheckContents(&client));
  disk_.DropBallast();
  ASSERT_TRUE(Eventually([&] {
    (void)client.Command({"LB.TRIM", "board", "100"});
    return !client.Command({"ZADD", "set", "1", "late"}).IsError();
  })) << server_->Output();
}

TEST_P(DiskFull, AStopOnAFullDiskEndsAndKeepsEverything) {
  server_->Start(arguments_);
  {
    RespClient client = server_->Connect();
    ASSERT_EQ(client.Ask({"LB.CREATE", "board"}), "+OK");
    ASSERT_NO_FATAL_FAILURE(disk_.AddBallast(5 * kMiB));
    FillTheDisk(&client);
  }
  server_->Stop();
  disk_.DropBallast();
  server_->Start(arguments_);
  RespClient client = server_->Connect();
  ASSERT_NO_FATAL_FAILURE(CheckContents(&client));
}

// Many writes to few members fill the disk with log, all of which keep-log would keep.
TEST(SmallDiskTest, UnneededLogIsRemovedBeforeTheDiskIsFull) {
  const SmallDisk disk("size=32m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs is not permitted: " << disk.refusal();
  constexpr int kMembers = 500;
  constexpr int kWrites = 40'000;
  constexpr int kPipeline = 100;
  DurableServer server(disk.root() / "data");
  const std::vector<std::string> arguments = {"--log-segment", "4mb", "--snapshot-log", "4mb"};
  server.Start(arguments);
  RespClient client = server.Connect();
  ASSERT_EQ(client.Ask({"LB.CREATE", "board", "POLICY", "set"}), "+OK");
  const std::string meta(1000, 'x');
  const auto submit = [&](int i) -> Arguments {
    return {"LB.SUBMIT",       "board", "m" + std::to_string(i % kMembers),
            std::to_string(i), "META",  meta};
  };
  for (int done = 0; done < kWrites; done += kPipeline) {
    for (int i = 0; i < kPipeline; ++i) client.Send(submit(done + i));
    std::vector<int> refused;
    for (int i = 0; i < kPipeline; ++i) {
      if (client.ReadReply().IsError()) refused.push_back(done + i);
    }
    // A snapshot that makes room may still be in progress.
    for (const int i : refused) {
      ASSERT_TRUE(Eventually([&] { return !client.Command(submit(i)).IsError(); }))
          << server.Output();
    }
  }
  // 40 MB of log were acknowledged on a disk of 32 MB. The server reports this once a minute: the
  // first report is about the log or an older snapshot, whichever was given up first.
  EXPECT_TRUE(Eventually([&] {
    return server.Output().find("were given up") != std::string::npos;
  })) << server.Output();
  server.Kill();
  server.Start(arguments);
  RespClient again = server.Connect();
  EXPECT_EQ(again.Ask({"LB.SIZE", "board"}), std::to_string(kMembers));
  const Value top = again.Command({"LB.TOP", "board", "1"});
  EXPECT_NE(top.ToString().find(std::to_string(kWrites - 1)), std::string::npos) << top.ToString();
}

INSTANTIATE_TEST_SUITE_P(Fsync, DiskFull, testing::Values("always", "everysec"),
                         [](const auto& mode) { return std::string(mode.param); });

}  // namespace
}  // namespace laurel::black_box
