// Data folders that are in use, damaged, moved, of another version, or slow to load.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "server/durable_server.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/files.h"

namespace laurel::black_box {
namespace {

namespace fs = std::filesystem;

// Flips a bit of the byte at `offset`.
void Damage(const fs::path& path, std::size_t offset) {
  std::string bytes = ReadFile(path);
  ASSERT_LT(offset, bytes.size());
  bytes[offset] = static_cast<char>(bytes[offset] ^ 0x40);
  WriteFile(path, bytes);
}

// Zeroes the file from `offset` on, as if a write had not reached the disk. The file keeps its
// length.
void Clear(const fs::path& path, std::size_t offset) {
  std::string bytes = ReadFile(path);
  ASSERT_LT(offset, bytes.size());
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(offset), bytes.end(), '\0');
  WriteFile(path, bytes);
}

// The offset of `text` in a file.
std::size_t Find(const fs::path& path, const std::string& text) {
  const std::size_t at = ReadFile(path).find(text);
  EXPECT_NE(at, std::string::npos) << text << " in " << path;
  return at;
}

constexpr std::size_t kVersionAt = 8;  // in the header of each file
constexpr int kWrites = 40;

class DataFolder : public testing::Test {
 protected:
  // Sends single writes that are acknowledged one by one, so that each is a record; then kills the
  // server.
  void WriteAndKill(const std::vector<std::string>& arguments = {}) {
    server_.Start(arguments);
    RespClient client = server_.Connect();
    for (int i = 0; i < kWrites; ++i) {
      const std::string number = std::to_string(i);
      ASSERT_EQ(client.Ask({"ZADD", "set", number, "member-" + number + "-"}), "1");
    }
    server_.Kill();
  }
  std::string Size() { return server_.Connect().Ask({"ZCARD", "set"}); }
  // The newest segment.
  fs::path Segment() { return server_.Files("log-").back(); }

  DurableServer server_;
};

// A change to the folder of a running server, and what the server prints about it.
struct Mishap {
  const char* name;
  void (*happens)(const fs::path& data);
  const char* said;
};

class DataFolderMishap : public DataFolder, public testing::WithParamInterface<Mishap> {};

TEST_P(DataFolderMishap, IsDetectedAndWritesAreRefused) {
  server_.Start();
  RespClient client = server_.Connect();
  ASSERT_EQ(client.Ask({"ZADD", "set", "1", "early"}), "1");
  GetParam().happens(server_.data());
  int written = 0;
  ASSERT_TRUE(Eventually([&] {
    const Value reply = client.Command({"ZADD", "set", "1", "m" + std::to_string(++written)});
    return reply.IsError() && reply.text.starts_with("MISCONF");
  }));
  // The log file may get the line after the client gets its reply.
  EXPECT_TRUE(Eventually([&] {
    return server_.Output().find(GetParam().said) != std::string::npos;
  })) << server_.Output();
  EXPECT_EQ(client.Ask({"ZRANK", "set", "early"}), "0");
}

INSTANTIATE_TEST_SUITE_P(
    The, DataFolderMishap,
    testing::Values(Mishap{"FolderIsMoved",
                           [](const fs::path& data) { fs::rename(data, data.string() + "-away"); },
                           "was moved or removed"},
                    Mishap{"FolderIsRemoved", [](const fs::path& data) { fs::remove_all(data); },
                           "was moved or removed"},
                    Mishap{"FolderIsReplaced",
                           [](const fs::path& data) {
                             fs::rename(data, data.string() + "-away");
                             fs::copy(data.string() + "-away", data);
                           },
                           "another folder has taken the place of"},
                    Mishap{"LockIsRemoved", [](const fs::path& data) { fs::remove(data / "lock"); },
                           "lock was removed"},
                    Mishap{"LockIsReplaced",
                           [](const fs::path& data) {
                             fs::remove(data / "lock");
                             WriteFile(data / "lock", "1\n");
                           },
                           "lock was replaced by another file"}),
    [](const auto& mishap) { return mishap.param.name; });

TEST_F(DataFolder, WritesAreTakenAgainWhenTheFolderIsMovedBack) {
  server_.Start();
  RespClient client = server_.Connect();
  const fs::path away = server_.data().string() + "-away";
  fs::rename(server_.data(), away);
  int written = 0;
  const auto write = [&] {
    return client.Command({"ZADD", "set", "1", "m" + std::to_string(++written)});
  };
  ASSERT_TRUE(Eventually([&] { return write().IsError(); }));
  // The server leaves another folder in its place as it is.
  fs::create_directory(server_.data());
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_TRUE(fs::is_empty(server_.data()));
  fs::remove(server_.data());
  fs::rename(away, server_.data());
  ASSERT_TRUE(Eventually([&] { return !write().IsError(); })) << server_.Output();
  const std::string size = client.Ask({"ZCARD", "set"});
  server_.Kill();
  server_.Start();
  EXPECT_EQ(Size(), size);
}

TEST_F(DataFolder, AStartThatLacksATemplateOfTheLastStartWarnsOnce) {
  const std::string warning = "the last start had --template 'rank:*', this one has not";
  const auto has_warning = [&] { return server_.Output().find(warning) != std::string::npos; };
  server_.Start({"--template", "rank:*", "--template", "b*"});
  EXPECT_FALSE(has_warning());
  EXPECT_EQ(server_.Stop(), 0);
  server_.Start({"--template", "b*"});
  EXPECT_TRUE(has_warning()) << server_.Output();
  EXPECT_EQ(server_.Stop(), 0);
  server_.Start({"--template", "b*"});
  EXPECT_FALSE(has_warning());
}

TEST_F(DataFolder, TheReadyLineNamesStoredTemplates) {
  server_.Start();
  EXPECT_NE(server_.Output().find("new keys are sorted sets"), std::string::npos);
  EXPECT_EQ(server_.Connect().Ask({"LB.TEMPLATE", "SET", "x:*"}), "+OK");
  EXPECT_EQ(server_.Stop(), 0);
  server_.Start();
  EXPECT_NE(server_.Output().find("new keys are leaderboards under 'x:*', sorted sets otherwise"),
            std::string::npos)
      << server_.Output();
}

TEST_F(DataFolder, AnUnlinkedSegmentLosesNothing) {
  server_.Start();
  RespClient client = server_.Connect();
  ASSERT_EQ(client.Ask({"ZADD", "set", "1", "early"}), "1");
  fs::remove(Segment());
  ASSERT_TRUE(Eventually([&] {
    return server_.Output().find("everything in memory is saved") != std::string::npos;
  })) << server_.Output();
  ASSERT_EQ(client.Ask({"ZADD", "set", "1", "late"}), "1");
  server_.Kill();
  server_.Start();
  EXPECT_EQ(Size(), "2");
}

TEST_F(DataFolder, ASecondServerOnTheSameFolderIsRefused) {
  server_.Start();
  ASSERT_EQ(server_.Connect().Ask({"ZADD", "set", "1", "x"}), "1");
  DurableServer second(server_.data());
  const std::string refusal = second.StartRefused();
  EXPECT_NE(refusal.find(server_.data().string() + " is in use by process " +
                         std::to_string(server_.pid())),
            std::string::npos)
      << refusal;
  EXPECT_EQ(Size(), "1") << "the first one does not mind";
  server_.Kill();
  second.Start();
  EXPECT_EQ(second.Connect().Ask({"ZCARD", "set"}), "1");
}

TEST_F(DataFolder, AFileInPlaceOfTheFolderIsRefused) {
  WriteFile(server_.data(), "not a folder");
  const std::string refusal = server_.StartRefused();
  EXPECT_NE(refusal.find(server_.data().string()), std::string::npos) << refusal;
  EXPECT_EQ(ReadFile(server_.data()), "not a folder");
}

TEST_F(DataFolder, AnUnwritableFolderIsRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write to every folder";
  fs::create_directory(server_.data());
  fs::permissions(server_.data(), fs::perms::owner_read | fs::perms::owner_exec);
  const std::string refusal = server_.StartRefused();
  EXPECT_NE(refusal.find(server_.data().string()), std::string::npos) << refusal;
  fs::permissions(server_.data(), fs::perms::owner_all);
}

TEST_F(DataFolder, ATornTailIsClearedWithAWarning) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  const fs::path segment = Segment();
  // In the middle of the last record, as if the power had failed while it was written.
  ASSERT_NO_FATAL_FAILURE(Clear(segment, Find(segment, "member-39-") + 3));
  server_.Start();
  EXPECT_EQ(Size(), "39");
  const std::string output = server_.Output();
  EXPECT_NE(output.find(segment.filename().string()), std::string::npos) << output;
  EXPECT_NE(output.find("at offset "), std::string::npos) << output;
  ASSERT_EQ(server_.Connect().Ask({"ZADD", "set", "1", "new"}), "1");
  server_.Kill();
  server_.Start();
  EXPECT_EQ(Size(), "40");
  EXPECT_EQ(server_.Output().find("at offset "), std::string::npos) << "it was cleared for good";
}

// A change of more than a mebibyte takes several records, and is still atomic.
TEST_F(DataFolder, AChangeOfManyRecordsIsRecoveredWholeOrNotAtAll) {
  constexpr int kMembers = 80'000;
  server_.Start();
  {
    RespClient client = server_.Connect();
    FillBoard(&client, "set", kMembers);
    ASSERT_EQ(client.Ask({"ZUNIONSTORE", "copy", "1", "set"}), std::to_string(kMembers));
    ASSERT_GT(std::stoull(InfoField(&client, "laurel_records")), kMembers / 1000U + 1);
  }
  server_.Kill();
  const fs::path segment = Segment();
  const std::string whole = ReadFile(segment);
  server_.Start();
  EXPECT_EQ(server_.Connect().Ask({"ZCARD", "copy"}), std::to_string(kMembers));
  server_.Kill();
  // Removes the segments of that start, and the end of the last record.
  for (const fs::path& later : server_.Files("log-")) {
    if (later > segment) fs::remove(later);
  }
  WriteFile(segment, whole);
  ASSERT_NO_FATAL_FAILURE(Clear(segment, whole.find_last_not_of('\0') - 1000));
  server_.Start();
  EXPECT_EQ(server_.Connect().Ask({"EXISTS", "copy"}), "0");
  EXPECT_EQ(Size(), std::to_string(kMembers));
  EXPECT_NE(server_.Output().find("at offset "), std::string::npos) << server_.Output();
}

TEST_F(DataFolder, ADamagedRecordInTheMiddleIsRefusedWithFileAndOffset) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  const fs::path segment = Segment();
  ASSERT_NO_FATAL_FAILURE(Damage(segment, Find(segment, "member-20-")));
  const std::string damaged = ReadFile(segment);
  for (int i = 0; i < 2; ++i) {
    const std::string refusal = server_.StartRefused();
    EXPECT_NE(refusal.find(segment.string() + " is damaged at offset "), std::string::npos)
        << refusal;
    EXPECT_NE(refusal.find("laurel check"), std::string::npos) << refusal;
    EXPECT_EQ(ReadFile(segment), damaged) << "a refused folder is left as it is";
  }
  // With the byte restored, the folder loads.
  ASSERT_NO_FATAL_FAILURE(Damage(segment, damaged.find("ember-20-") - 1));
  server_.Start();
  EXPECT_EQ(Size(), "40");
}

TEST_F(DataFolder, ADamagedRecordCoveredByASnapshotLosesNothing) {
  constexpr int kMembers = 105;
  server_.Start();
  {
    RespClient client = server_.Connect();
    ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
    for (int i = 0; i < kMembers; ++i) {
      const std::string number = std::to_string(i);
      ASSERT_FALSE(client.Command({"LB.SET", "lb", "member-" + number + "-", number}).IsError());
      if (i == 4) {
        ASSERT_EQ(client.Ask({"SAVE"}), "+OK");
      }
    }
  }
  server_.Kill();
  const fs::path segment = Segment();
  ASSERT_NO_FATAL_FAILURE(Damage(segment, Find(segment, "member-1-")));
  for (int i = 0; i < 2; ++i) {
    server_.Start();
    EXPECT_EQ(server_.Connect().Ask({"LB.SIZE", "lb"}), std::to_string(kMembers));
    EXPECT_NE(server_.Output().find(segment.string() + " is damaged at offset "), std::string::npos)
        << server_.Output();
    ASSERT_EQ(server_.Connect().Ask({"ZADD", "set", "1", "new"}), i == 0 ? "1" : "0");
    server_.Kill();
  }
}

// When the server is idle it writes a sync mark, which proves that the last record was on disk.
TEST_F(DataFolder, DamageInTheLastRecordIsRefusedAfterASyncMark) {
  server_.Start();
  {
    RespClient client = server_.Connect();
    ASSERT_EQ(client.Ask({"ZADD", "set", "1", "only-"}), "1");
    const std::size_t end = ReadFile(Segment()).find_last_not_of('\0');
    ASSERT_TRUE(Eventually([&] { return ReadFile(Segment()).find_last_not_of('\0') > end; }));
    EXPECT_EQ(InfoField(&client, "laurel_records"), "1") << "a mark is no record";
  }
  server_.Kill();
  ASSERT_NO_FATAL_FAILURE(Damage(Segment(), Find(Segment(), "only-")));
  const std::string refusal = server_.StartRefused();
  EXPECT_NE(refusal.find("record 1 is not whole"), std::string::npos) << refusal;
}

TEST_F(DataFolder, ATruncatedEmptyOrMissingNewestSegmentIsRefused) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  server_.Start();
  ASSERT_EQ(server_.Connect().Ask({"ZADD", "set", "1", "new"}), "1");
  server_.Kill();
  const auto refused = [&](const std::string& what) {
    const fs::path segment = server_.data() / "log-00000000000000000041";
    const std::string refusal = server_.StartRefused();
    EXPECT_NE(refusal.find(segment.filename().string()), std::string::npos) << what << refusal;
  };
  const fs::path newest = Segment();
  const std::string whole = ReadFile(newest);
  for (const std::size_t size : {0, 64, 120, 4096}) {
    WriteFile(newest, whole.substr(0, size));
    refused("cut at " + std::to_string(size));
  }
  fs::remove(newest);
  refused("gone");
  WriteFile(newest, whole);
  server_.Start();
  EXPECT_EQ(Size(), "41");
  EXPECT_EQ(server_.Stop(), 0);
}

TEST_F(DataFolder, ADamagedRecordInAnOlderSegmentIsRefused) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  const fs::path segment = Segment();
  server_.Start();
  ASSERT_EQ(server_.Connect().Ask({"ZADD", "set", "1", "new"}), "1");
  server_.Kill();
  ASSERT_NE(Segment(), segment) << "each start begins a segment";
  ASSERT_NO_FATAL_FAILURE(Damage(segment, Find(segment, "member-39-")));
  const std::string refusal = server_.StartRefused();
  EXPECT_NE(refusal.find(segment.string() + " is damaged at offset "), std::string::npos)
      << refusal;
}

// The header of a segment is on disk before its first record is acknowledged.
TEST_F(DataFolder, ADamagedHeaderOfASegmentWithRecordsIsRefused) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  const fs::path segment = Segment();
  ASSERT_EQ(server_.Files("log-").size(), 1U);
  const std::string whole = ReadFile(segment);
  for (const std::size_t offset : {0, 8, 16, 24, 32, 40}) {
    WriteFile(segment, whole);
    ASSERT_NO_FATAL_FAILURE(Damage(segment, offset));
    const std::string damaged = ReadFile(segment);
    std::string refusal;
    ASSERT_NO_THROW(refusal = server_.StartRefused()) << "byte " << offset;
    EXPECT_NE(refusal.find(segment.string()), std::string::npos) << refusal;
    EXPECT_EQ(ReadFile(segment), damaged) << "a refused folder is left as it is";
  }
}

TEST_F(DataFolder, ADamagedHeaderOfTheLastOfManySegmentsIsRefused) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  server_.Start();
  ASSERT_EQ(server_.Connect().Ask({"ZADD", "set", "1", "new"}), "1");
  server_.Kill();
  ASSERT_NO_FATAL_FAILURE(Damage(Segment(), 16));
  const std::string refusal = server_.StartRefused();
  EXPECT_NE(refusal.find(Segment().string() + " is damaged at offset 0"), std::string::npos)
      << refusal;
}

TEST_F(DataFolder, AFolderOfAnotherVersionIsRefusedAndLeftUnchanged) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  std::string bytes = ReadFile(Segment());
  for (const char version : {2, 5}) {
    bytes[kVersionAt] = version;
    WriteFile(Segment(), bytes);
    std::string refusal;
    ASSERT_NO_THROW(refusal = server_.StartRefused());
    EXPECT_NE(refusal.find(Segment().string()), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("format version " + std::to_string(version)), std::string::npos)
        << refusal;
    EXPECT_EQ(ReadFile(Segment()), bytes);
  }
}

// Laurel 0.1 wrote the folder: a snapshot and, after it, a log.
TEST_F(DataFolder, AFolderOfVersion3IsReadAndWrittenAsTheNewVersion) {
  fs::copy(fs::path(LAUREL_SOURCE_DIR) / "tests/server/format3", server_.data());
  for (const bool again : {false, true}) {
    server_.Start();
    RespClient client = server_.Connect();
    const auto members = [&](const std::string& board) {
      std::string found;
      for (const Value& entry : client.Command({"LB.RANGE", board, "1", "-1"}).elements) {
        found += entry.Find("member")->text + " ";
      }
      return found;
    };
    EXPECT_EQ(members("days@all"), "cid dan ann bob ");
    EXPECT_EQ(members("plain"), again ? "ann new " : "ann ");
    EXPECT_EQ(members("rank:1"), "eve ");
    EXPECT_EQ(client.Command({"LB.TEMPLATE", "LIST"}).elements.size(), 1U);
    EXPECT_EQ(client.Ask({"ZRANGE", "set", "0", "-1", "WITHSCORES"}),
              R"(["one", "1.5", "two", "2", "three", "3"])");
    EXPECT_EQ(client.Ask({"ZRANGE", "kept", "0", "-1"}), R"(["x"])");
    EXPECT_EQ(client.Ask({"PEXPIRETIME", "set"}), "4102444800000");
    const Value entry = client.Command({"LB.GET", "days@all", "ann", "WITHMETA"});
    EXPECT_EQ(entry.Find("meta")->text, "gold");
    EXPECT_EQ(entry.Find("stamp")->ToString(), "1795127706624659");
    if (!again) {
      EXPECT_FALSE(client.Command({"LB.SUBMIT", "plain", "new", "1"}).IsError());
    }
    EXPECT_EQ(ReadFile(Segment())[kVersionAt], 4);
    server_.Kill();
  }
}

TEST_F(DataFolder, ASnapshotOfAFutureVersionIsRefusedAndLeftUnchanged) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  server_.Start();
  EXPECT_EQ(server_.Stop(), 0);
  const fs::path snapshot = server_.Files("snapshot-").back();
  std::string bytes = ReadFile(snapshot);
  bytes[kVersionAt] = 5;
  WriteFile(snapshot, bytes);
  std::string refusal;
  ASSERT_NO_THROW(refusal = server_.StartRefused());
  EXPECT_NE(refusal.find(snapshot.string()), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("format version 5"), std::string::npos) << refusal;
  EXPECT_EQ(ReadFile(snapshot), bytes);
}

TEST_F(DataFolder, ADamagedSnapshotFallsBackToTheLogWithAWarning) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  server_.Start();
  EXPECT_EQ(server_.Stop(), 0);
  const fs::path snapshot = server_.Files("snapshot-").back();
  ASSERT_NO_FATAL_FAILURE(Damage(snapshot, Find(snapshot, "member-20-")));
  server_.Start();
  EXPECT_EQ(Size(), "40") << "the log is there from its beginning";
  EXPECT_NE(server_.Output().find(snapshot.string()), std::string::npos) << server_.Output();
}

TEST_F(DataFolder, AMissingSegmentIsRefusedWithTheMissingRecord) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  for (const char* member : {"second", "third"}) {
    server_.Start();
    RespClient client = server_.Connect();
    ASSERT_EQ(client.Ask({"ZADD", "set", "1", member}), "1");
    server_.Kill();
  }
  const auto segments = server_.Files("log-");
  ASSERT_EQ(segments.size(), 3U) << "each start begins a segment";
  const std::string second = ReadFile(segments[1]);
  fs::remove(segments[1]);
  const std::string refusal = server_.StartRefused();
  EXPECT_NE(refusal.find(server_.data().string()), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("record 41"), std::string::npos) << refusal;
  WriteFile(segments[1], second);
  server_.Start();
  EXPECT_EQ(Size(), "42");
}

TEST_F(DataFolder, SegmentsFromBeforeTheSnapshotMayBeMissing) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  server_.Start();
  EXPECT_EQ(server_.Connect().Ask({"SAVE"}), "+OK");
  ASSERT_EQ(server_.Connect().Ask({"ZADD", "set", "1", "new"}), "1");
  server_.Kill();
  fs::remove(server_.Files("log-").front());
  server_.Start();
  EXPECT_EQ(Size(), "41");
}

TEST_F(DataFolder, MissingSnapshotsAreRefusedIfTheLogDoesNotReachBack) {
  server_.Start({"--log-segment", "64kb", "--keep-log", "0"});
  {
    RespClient client = server_.Connect();
    for (int i = 0; i < 3; ++i) {
      FillBoard(&client, "set" + std::to_string(i), 5000);
      ASSERT_EQ(client.Ask({"SAVE"}), "+OK");
    }
  }
  server_.Kill();
  ASSERT_FALSE(server_.Files("snapshot-").empty());
  for (const fs::path& snapshot : server_.Files("snapshot-")) fs::remove(snapshot);
  const std::string refusal = server_.StartRefused();
  EXPECT_NE(refusal.find(server_.data().string()), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("missing"), std::string::npos) << refusal;
}

TEST_F(DataFolder, AfterACleanStopTheSnapshotAloneIsEnough) {
  server_.Start();
  {
    RespClient client = server_.Connect();
    FillBoard(&client, "set", 100);
  }
  EXPECT_EQ(server_.Stop(), 0);
  for (const fs::path& segment : server_.Files("log-")) fs::remove(segment);
  server_.Start();
  EXPECT_EQ(Size(), "100");
  ASSERT_EQ(server_.Connect().Ask({"ZADD", "set", "1", "new"}), "1");
  server_.Kill();
  server_.Start();
  EXPECT_EQ(Size(), "101");
}

TEST_F(DataFolder, ASegmentOfAnotherFolderIsRefused) {
  ASSERT_NO_FATAL_FAILURE(WriteAndKill());
  DurableServer other;
  for (int i = 0; i < 2; ++i) {  // its second segment has a name that this folder does not have
    other.Start();
    ASSERT_EQ(other.Connect().Ask({"ZADD", "set", "1", "stranger" + std::to_string(i)}), "1");
    other.Kill();
  }
  const fs::path stranger = server_.data() / other.Files("log-").back().filename();
  fs::copy_file(other.Files("log-").back(), stranger);
  const std::string refusal = server_.StartRefused();
  EXPECT_NE(refusal.find(stranger.string()), std::string::npos) << refusal;
  fs::remove(stranger);
  server_.Start();
  EXPECT_EQ(Size(), std::to_string(kWrites));
}

// Loading ----------------------------------------------------------------------------------------

// The replies of a loading server to four commands; empty if it does not listen yet.
std::vector<std::string> AskLoading(int port) {
  try {
    RespClient client(port);
    return {client.Ask({"ZADD", "set", "1", "early"}), client.Ask({"ZCARD", "set"}),
            client.Ask({"PING"}), client.Command({"INFO", "persistence"}).text};
  } catch (const std::runtime_error&) {
    return {};
  }
}

TEST(Loading, PingAndInfoAreAnsweredAndOtherCommandsRefused) {
  constexpr int kMembers = 600'000;
  DurableServer server;
  server.Start({"--fsync", "off"});
  RespClient writer = server.Connect();
  FillBoard(&writer, "set", kMembers);
  writer.Send({"SHUTDOWN", "NOSAVE"});
  ASSERT_EQ(server.AwaitEnd(), 0);

  int seen = 0;
  // A busy machine may not let the test ask before the server is ready.
  for (int start = 0; start < 20 && seen == 0; ++start) {
    server.Kill();
    const int port = FreePort();
    server.Launch({"--port", std::to_string(port)});
    while (server.Running() && server.Output().find(" ready: ") == std::string::npos) {
      const std::vector<std::string> replies = AskLoading(port);
      // The server may have become ready in between.
      if (replies.empty() || replies[3].find("\nloading:1\r") == std::string::npos) continue;
      ++seen;
      EXPECT_TRUE(replies[0].starts_with("-LOADING ")) << replies[0];
      EXPECT_TRUE(replies[1].starts_with("-LOADING ")) << replies[1];
      EXPECT_EQ(replies[2], "+PONG");
      EXPECT_NE(replies[3].find("\nloading_total_bytes:"), std::string::npos) << replies[3];
      SleepMs(1);
    }
    server.AwaitReady();
  }
  EXPECT_GT(seen, 0) << "loading was too quick to be seen";
  RespClient client = server.Connect();
  EXPECT_EQ(InfoField(&client, "loading"), "0");
  client.Command({"ZREM", "set", "early"});
  EXPECT_EQ(client.Ask({"ZCARD", "set"}), std::to_string(kMembers));
}

TEST(Loading, SigtermStopsALoadingServer) {
  DurableServer server;
  server.Start({"--fsync", "off"});
  {
    RespClient client = server.Connect();
    FillBoard(&client, "set", 200'000);
  }
  server.Kill();
  const int port = FreePort();
  server.Launch({"--port", std::to_string(port)});
  ASSERT_TRUE(Eventually([&] { return !AskLoading(port).empty(); })) << server.Output();
  EXPECT_EQ(server.Stop(), 0) << server.Output();
  server.Start();
  EXPECT_NE(server.Connect().Ask({"ZCARD", "set"}), "0");
}

}  // namespace
}  // namespace laurel::black_box
