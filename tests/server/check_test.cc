// `laurel check` on folders that are whole, torn and damaged, and the results of --repair. Each
// write of these tests is one record, so the record number identifies the state.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/durable_server.h"
#include "server/laurel_program.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "storage/format.h"
#include "tests/support/files.h"

namespace laurel::black_box {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 10;

std::string Segment(int first) {
  const std::string digits = std::to_string(first);
  return "log-" + std::string(20 - digits.size(), '0') + digits;
}
std::string Snapshot(int record) {
  const std::string digits = std::to_string(record);
  return "snapshot-" + std::string(20 - digits.size(), '0') + digits;
}

class Check : public testing::Test {
 protected:
  // Writes records `from` to `to`. Record n gives member "m" of the sorted set "z" the score n.
  static void Write(RespClient* client, int from, int to) {
    for (int n = from; n <= to; ++n) {
      ASSERT_FALSE(client->Command({"ZADD", "z", std::to_string(n), "m"}).IsError());
    }
  }

  // Runs a server on data_, passes a client of it to `work`, and kills it.
  template <typename Work>
  void Serve(const Work& work) {
    DurableServer server(data_);
    server.Start();
    RespClient client(server.port());
    work(&client);
    server.Kill();
  }

  // Writes `count` segments of ten records each: every start begins a new segment.
  void MakeSegments(int count) {
    for (int i = 0; i < count; ++i) {
      Serve([&](RespClient* client) { Write(client, i * kSteps + 1, (i + 1) * kSteps); });
    }
  }

  // The digest of the state at `record`, taken from a folder that was never damaged.
  static const std::string& DigestAt(int record) {
    static std::map<int, std::string> digests;
    std::string& digest = digests[record];
    if (!digest.empty()) return digest;
    const TemporaryFolder folder;
    {
      DurableServer server(folder / "data");
      server.Start();
      RespClient client(server.port());
      Write(&client, 1, record);
      server.Kill();
    }
    digest = DigestIn(RunLaurel({"check", (folder / "data").string()}).output);
    EXPECT_NE(digest, "");
    return digest;
  }

  ProgramResult Run(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"check", data_.string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunLaurel(arguments);
  }

  void ExpectWhole(int record) const { ExpectWhole(record, record); }
  // The folder ends at `record` and has the contents that record `contents` left.
  void ExpectWhole(int record, int contents) const {
    const ProgramResult result = Run();
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(RecordIn(result.output), record) << result.output;
    EXPECT_EQ(DigestIn(result.output), DigestAt(contents)) << result.output;
  }

  // Expects a damaged folder. The check must change nothing and announce the loss; the repair must
  // do what the check announced, and leave a folder that a server can write to.
  void ExpectRepairedTo(int record, const std::string& loss) {
    ExpectRepairedTo(record, record, loss, {"--repair", "--yes"});
  }
  void ExpectRepairedTo(int record, int contents, const std::string& loss,
                        const std::vector<std::string>& options) {
    const std::string before = Listing();
    const ProgramResult check = Run();
    EXPECT_EQ(check.exit_code, 1) << check.output;
    EXPECT_TRUE(check.Says("laurel check --repair would")) << check.output;
    EXPECT_TRUE(check.Says(loss)) << check.output;
    const ProgramResult unasked = Run({"--repair"});
    EXPECT_EQ(unasked.exit_code, 2) << unasked.output;
    EXPECT_EQ(Listing(), before);
    const ProgramResult repair = Run(options);
    EXPECT_EQ(repair.exit_code, 0) << repair.output;
    EXPECT_TRUE(repair.Says(loss)) << repair.output;
    EXPECT_TRUE(repair.Says("state at record " + std::to_string(record) + ":")) << repair.output;
    ExpectWhole(record, contents);
    Serve([&](RespClient* client) {
      EXPECT_EQ(client->Ask({"ZSCORE", "z", "m"}), "\"" + std::to_string(contents) + "\"");
      Write(client, record + 1, record + 3);
    });
    ExpectWhole(record + 3);
  }

  // All files with their bytes, except the lock.
  std::string Listing() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(data_)) {
      if (entry.is_regular_file() && entry.path().filename() != "lock") {
        files[entry.path().string()] = ReadFile(entry.path());
      }
    }
    std::string listing;
    for (const auto& [name, bytes] : files) listing += name + "\n" + bytes + "\n";
    return listing;
  }

  // The number of files that repairs have set aside.
  int KeptFiles() const {
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(data_)) {
      const std::string parent = entry.path().parent_path().filename().string();
      count += parent.starts_with("damaged-") ? 1 : 0;
    }
    return count;
  }

  void Flip(const std::string& name, std::size_t offset) const {
    std::string bytes = ReadFile(data_ / name);
    ASSERT_LT(offset, bytes.size());
    bytes[offset] = static_cast<char>(bytes[offset] ^ 0x10);
    WriteFile(data_ / name, bytes);
  }

  // The offset of record n of a segment, counted from 0. Sync marks are not counted.
  std::size_t OffsetOf(const std::string& name, int n) const {
    const std::string bytes = ReadFile(data_ / name);
    std::size_t at = bytes.find("LRec", 64);
    for (;; at = bytes.find("LRec", at + 4)) {
      const bool is_sync_mark = (bytes[at + 12] & 4) != 0;
      if (!is_sync_mark && n-- == 0) return at;
    }
  }

  TemporaryFolder folder_;
  fs::path data_ = folder_ / "data";
};

// Whole ------------------------------------------------------------------------------------------

TEST_F(Check, AWholeFolderIsDescribed) {
  Serve([&](RespClient* client) {
    for (const Arguments& command : std::vector<Arguments>{
             {"LB.CREATE", "run", "POLICY", "best"},
             {"LB.SUBMIT", "run", "ann", "5", "META", "x"},
             {"LB.HIDE", "run", "bob"},
             {"ZADD", "z", "1", "a", "2", "b"},
             {"SAVE"},
             {"LB.TEMPLATE", "SET", "t:*", "POLICY", "sum"},
         }) {
      ASSERT_FALSE(client->Command(command).IsError()) << Quoted(command);
    }
  });
  const ProgramResult result = Run();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(result.Says(Segment(1) + "  5 records, 1 to 5")) << result.output;
  EXPECT_TRUE(result.Says(Snapshot(4) + "  written from record 4 to 4, 2 boards, "))
      << result.output;
  EXPECT_TRUE(
      result.Says("'run'  leaderboard FIELDS 1 score:int:desc POLICY best TIE first  "
                  "1 entry, 1 hidden"))
      << result.output;
  EXPECT_TRUE(result.Says("'z'  sorted set  2 entries")) << result.output;
  EXPECT_TRUE(result.Says("state at record 5: 2 boards, 3 entries, 1 hidden")) << result.output;
}

TEST_F(Check, PeriodsAndRequestsAreCounted) {
  Serve([&](RespClient* client) {
    for (const Arguments& command : std::vector<Arguments>{
             {"LB.CREATE", "lb", "PERIODS", "2", "hour", "all"},
             {"LB.MSUBMIT", "lb", "2", "ann", "1", "bob", "2", "ID", "one"},
             {"LB.HIDE", "lb", "bob"},
         }) {
      ASSERT_FALSE(client->Command(command).IsError()) << Quoted(command);
    }
  });
  ProgramResult result = Run();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(result.Says("  2 entries in 2 instances, 1 hidden, 1 request remembered\n"))
      << result.output;
  EXPECT_TRUE(result.Says(": 1 board, 2 instances, 2 entries, 1 hidden, 1 request remembered, "))
      << result.output;

  // One hour later the instance of the first hour is closed.
  {
    DurableServer server(data_);
    server.Start({"--clock-offset", "1h"});
    RespClient client(server.port());
    ASSERT_FALSE(client.Command({"LB.SUBMIT", "lb", "cid", "3", "ID", "two"}).IsError());
    ASSERT_TRUE(Eventually([&] {
      const Value lines = client.Command({"LB.PERIODS", "lb"});
      return lines.elements.size() == 3 && !lines.elements[1].Find("closed")->IsNull();
    }));
    server.Kill();
  }
  result = Run();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(
      result.Says("  4 entries in 3 instances, 1 of them closed, 1 hidden, 2 requests "
                  "remembered\n"))
      << result.output;
}

TEST_F(Check, ManyBoardsAreSummarised) {
  Serve([&](RespClient* client) {
    for (int i = 0; i < 25; ++i) {
      ASSERT_EQ(client->Ask({"ZADD", "b" + std::to_string(100 + i), "1", "a", "2", "b"}), "2");
    }
  });
  const ProgramResult result = Run();
  EXPECT_TRUE(result.Says("'b119'")) << result.output;
  EXPECT_FALSE(result.Says("'b120'")) << result.output;
  EXPECT_TRUE(result.Says("and 5 more with 10 entries")) << result.output;
}

TEST_F(Check, TheDigestDependsOnEveryPartOfTheState) {
  const std::vector<std::vector<Arguments>> histories = {
      {{"ZADD", "z", "1", "a"}},
      {{"ZADD", "z", "2", "a"}},
      {{"ZADD", "z", "1", "b"}},
      {{"ZADD", "y", "1", "a"}},
      {{"ZADD", "z", "1", "a"}, {"PEXPIREAT", "z", "4000000000000"}},
      {{"ZADD", "z", "1", "a"}, {"LB.TEMPLATE", "SET", "t:*", "POLICY", "sum"}},
      {{"LB.CREATE", "z"}},
      {{"LB.CREATE", "z", "CAP", "5"}},
      {{"LB.CREATE", "z"}, {"LB.HIDE", "z", "a"}},
      {{"LB.CREATE", "z"}, {"LB.SUBMIT", "z", "a", "1", "AT", "1700000000"}},
      {{"LB.CREATE", "z"}, {"LB.SUBMIT", "z", "a", "1", "AT", "1700000001"}},
      {{"LB.CREATE", "z"}, {"LB.SUBMIT", "z", "a", "1", "META", "m", "AT", "1700000000"}},
  };
  std::map<std::string, std::size_t> digests;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    fs::remove_all(data_);
    Serve([&](RespClient* client) {
      for (const Arguments& command : histories[i]) {
        ASSERT_FALSE(client->Command(command).IsError()) << Quoted(command);
      }
    });
    const std::string digest = DigestIn(Run().output);
    ASSERT_NE(digest, "");
    const auto [known, is_new] = digests.emplace(digest, i);
    EXPECT_TRUE(is_new) << "histories " << known->second << " and " << i;
  }
}

TEST_F(Check, TheDigestIsTheSameFromTheLogAndFromASnapshot) {
  MakeSegments(2);
  const std::string from_log = DigestIn(Run().output);
  Serve([&](RespClient* client) { ASSERT_EQ(client->Ask({"SAVE"}), "+OK"); });
  for (int first : {1, 11, 21}) fs::remove(data_ / Segment(first));
  const ProgramResult result = Run();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(DigestIn(result.output), from_log) << result.output;
}

TEST_F(Check, FoldersInUseAndFoldersWithoutDataAreRefused) {
  DurableServer server(data_);
  server.Start();
  const ProgramResult in_use = Run();
  EXPECT_EQ(in_use.exit_code, 1);
  EXPECT_TRUE(in_use.Says("is in use by process " + std::to_string(server.pid()))) << in_use.output;
  server.Kill();
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(RunLaurel({"check", (folder_ / "empty").string()}).exit_code, 1);
  EXPECT_TRUE(fs::is_empty(folder_ / "empty"));
  EXPECT_EQ(RunLaurel({"check", (folder_ / "absent").string()}).exit_code, 1);
  EXPECT_EQ(RunLaurel({"check"}).exit_code, 2);
  EXPECT_EQ(RunLaurel({"check", data_.string(), "--force"}).exit_code, 2);
  EXPECT_EQ(RunLaurel({"check", "--help"}).exit_code, 0);
}

// Torn -------------------------------------------------------------------------------------------

TEST_F(Check, ATornTailIsReportedButIsNoDamage) {
  MakeSegments(1);
  const std::string name = Segment(1);
  const std::string bytes = ReadFile(data_ / name);
  const std::size_t tenth = OffsetOf(name, 9);
  const std::string torn =
      bytes.substr(0, tenth + 40) + std::string(bytes.size() - tenth - 40, '\0');
  WriteFile(data_ / name, torn);
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{}, {"--repair", "--yes"}}) {
    const ProgramResult check = Run(options);
    EXPECT_EQ(check.exit_code, 0) << check.output;
    EXPECT_TRUE(check.Says("torn tail: " + name + " at offset " + std::to_string(tenth)))
        << check.output;
    EXPECT_EQ(RecordIn(check.output), 9) << check.output;
    EXPECT_EQ(ReadFile(data_ / name), torn) << "a start clears it";
  }
  Serve([](RespClient*) {});
  EXPECT_FALSE(Run().Says("torn"));
  ExpectWhole(9);
}

// As after a crash under an fsync mode that does not wait for the disk: the snapshot is on disk,
// but the end of the log that the snapshot covers is not.
TEST_F(Check, LosingTheEndOfTheLogCoveredByASnapshotIsNoDamage) {
  Serve([&](RespClient* client) {
    Write(client, 1, 10);
    ASSERT_EQ(client->Ask({"SAVE"}), "+OK");
  });
  Serve([&](RespClient* client) { Write(client, 11, 13); });
  const std::string name = Segment(1);
  const std::string bytes = ReadFile(data_ / name);
  const std::size_t eighth = OffsetOf(name, 7);
  WriteFile(data_ / name, bytes.substr(0, eighth));
  const ProgramResult check = Run();
  EXPECT_EQ(check.exit_code, 0) << check.output;
  ExpectWhole(13);
  // Bytes that are not a record are damage.
  WriteFile(data_ / name, bytes.substr(0, eighth + 40));
  EXPECT_EQ(Run().exit_code, 1);
}

// Damaged ----------------------------------------------------------------------------------------

TEST_F(Check, DamageInTheMiddleOfTheLogLosesThatRecordOnly) {
  MakeSegments(3);
  Flip(Segment(11), OffsetOf(Segment(11), 4) + 40);
  ExpectRepairedTo(30, "LOST: record 15\n");
  EXPECT_EQ(KeptFiles(), 1);  // the damaged segment
}

TEST_F(Check, AnExactRepairGoesBackToTheStateBeforeTheDamage) {
  MakeSegments(3);
  Flip(Segment(11), OffsetOf(Segment(11), 4) + 40);
  // Records 16 to 30 set the same member again, so that a repair without --exact ends in another
  // state.
  EXPECT_TRUE(Run().Says("LOST: record 15\n"));
  EXPECT_TRUE(Run().Says("laurel check --repair --exact would"));
  EXPECT_EQ(Run({"--exact"}).exit_code, 2);
  ExpectRepairedTo(14, 14, "LOST: records 15 to 30", {"--repair", "--exact", "--yes"});
  EXPECT_EQ(KeptFiles(), 2);  // the damaged segment, and the one after it
}

TEST_F(Check, DamageInTheLastSegmentIsProvedByTheRecordsAfterIt) {
  MakeSegments(1);
  Flip(Segment(1), OffsetOf(Segment(1), 3) + 40);
  ExpectRepairedTo(10, "LOST: record 4\n");
  EXPECT_EQ(KeptFiles(), 1);
}

TEST_F(Check, DamageInARecordCoveredByASnapshotLosesNothing) {
  Serve([&](RespClient* client) {
    Write(client, 1, 5);
    ASSERT_EQ(client->Ask({"SAVE"}), "+OK");
    Write(client, 6, 12);
  });
  Flip(Segment(1), OffsetOf(Segment(1), 2) + 40);
  ExpectRepairedTo(12, "no record is lost");
  EXPECT_EQ(KeptFiles(), 1);
  EXPECT_TRUE(fs::exists(data_ / Snapshot(5)));
}

TEST_F(Check, AMissingSegmentLosesItsRecordsOnly) {
  MakeSegments(3);
  fs::remove(data_ / Segment(11));
  ExpectRepairedTo(30, "LOST: records 11 to 20\n");
  EXPECT_EQ(KeptFiles(), 0);
}

TEST_F(Check, ATruncatedEmptyOrMissingNewestSegmentIsDamage) {
  MakeSegments(2);
  const std::string bytes = ReadFile(data_ / Segment(11));
  const std::size_t sixth = OffsetOf(Segment(11), 5);
  WriteFile(data_ / Segment(11), bytes.substr(0, sixth + 40));
  EXPECT_TRUE(Run().Says("it had ")) << Run().output;
  ExpectRepairedTo(15, "LOST: whatever was behind record 15");

  WriteFile(data_ / Segment(16), "");
  ExpectRepairedTo(15, "LOST: whatever was behind record 15");
  fs::remove(data_ / Segment(16));
  ExpectRepairedTo(15, "LOST: whatever was behind record 15");
}

// A segment whose header is damaged still holds its records.
TEST_F(Check, ADamagedHeaderLosesNoRecord) {
  MakeSegments(3);
  Flip(Segment(11), 20);
  ExpectRepairedTo(30, "no record is lost");
  EXPECT_EQ(KeptFiles(), 1);
}

TEST_F(Check, ADamagedSnapshotIsSetAsideAndTheOneBeforeIsUsed) {
  Serve([&](RespClient* client) {
    Write(client, 1, 5);
    ASSERT_EQ(client->Ask({"SAVE"}), "+OK");
    Write(client, 6, 9);
    ASSERT_EQ(client->Ask({"SAVE"}), "+OK");
    Write(client, 10, 12);
  });
  Flip(Snapshot(9), 100);
  ExpectRepairedTo(12, "no record is lost");
  EXPECT_EQ(KeptFiles(), 1);
  EXPECT_TRUE(fs::exists(data_ / Snapshot(5)));
}

TEST_F(Check, ADamagedOldSnapshotIsFoundAlthoughItIsNotNeeded) {
  Serve([&](RespClient* client) {
    Write(client, 1, 5);
    ASSERT_EQ(client->Ask({"SAVE"}), "+OK");
    Write(client, 6, 9);
    ASSERT_EQ(client->Ask({"SAVE"}), "+OK");
  });
  Flip(Snapshot(5), 100);
  ExpectRepairedTo(9, "set " + Snapshot(5) + " aside");
}

TEST_F(Check, NothingIsRepairedWithoutLogAndValidSnapshot) {
  Serve([&](RespClient* client) {
    Write(client, 1, 5);
    ASSERT_EQ(client->Ask({"SAVE"}), "+OK");
  });
  Flip(Snapshot(5), 100);
  fs::remove(data_ / Segment(1));
  const std::string before = Listing();
  const ProgramResult repair = Run({"--repair", "--yes"});
  EXPECT_EQ(repair.exit_code, 1) << repair.output;
  EXPECT_TRUE(repair.Says("it cannot be repaired")) << repair.output;
  EXPECT_EQ(Listing(), before);
}

// A snapshot that is written while the server takes writes needs the log up to the record at which
// it ended.
class CheckOfASnapshotDuringWrites : public Check {
 protected:
  static constexpr int kMembers = 30'000;

  // Fills the board `many`, then increments `count` while a snapshot is written. On a busy machine
  // the snapshot may be done between two increments: then it begins anew.
  void SaveDuringWrites(bool with_earlier_snapshot) {
    constexpr int kTries = 50;
    for (int i = 0; i < kTries && began_ == ended_; ++i) {
      fs::remove_all(data_);
      ASSERT_NO_FATAL_FAILURE(TryToSaveDuringWrites(with_earlier_snapshot));
    }
    ASSERT_LT(began_, ended_) << "no write came while a snapshot was taken";
  }

  void TryToSaveDuringWrites(bool with_earlier_snapshot) {
    DurableServer server(data_);
    server.Start();
    RespClient client(server.port());
    FillBoard(&client, "many", kMembers);
    ASSERT_EQ(client.Ask({"ZADD", "count", "0", "m"}), "1");
    if (with_earlier_snapshot) {
      ASSERT_EQ(client.Ask({"SAVE"}), "+OK");
    }
    before_ = std::stol(InfoField(&client, "laurel_records"));
    std::atomic<bool> writes{false};
    std::atomic<bool> stop{false};
    std::thread writer([&] {
      RespClient own(server.port());
      while (!stop) {
        own.Command({"ZINCRBY", "count", "1", "m"});
        writes = true;
        writes.notify_one();
      }
    });
    writes.wait(false);
    EXPECT_EQ(client.Ask({"SAVE"}), "+OK");
    stop = true;
    writer.join();
    last_ = std::stol(InfoField(&client, "laurel_records"));
    server.Kill();
    const std::string shown = Run().output;
    std::smatch match;
    ASSERT_TRUE(std::regex_search(shown, match, std::regex("from record ([0-9]+) to ([0-9]+)")))
        << shown;
    began_ = std::stol(match[1]);
    ended_ = std::stol(match[2]);
  }

  long before_ = 0;
  long began_ = 0;
  long ended_ = 0;
  long last_ = 0;
};

TEST_F(CheckOfASnapshotDuringWrites, ALogThatEndsInsideTheSnapshotSpanLosesTheMissingRecords) {
  ASSERT_NO_FATAL_FAILURE(SaveDuringWrites(true));
  const std::size_t end = OffsetOf(Segment(1), static_cast<int>(ended_) - 1);
  std::string bytes = ReadFile(data_ / Segment(1));
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(end), bytes.end(), '\0');
  WriteFile(data_ / Segment(1), bytes);
  const ProgramResult check = Run();
  EXPECT_EQ(check.exit_code, 1) << check.output;
  EXPECT_TRUE(check.Says(" needs the log through record " + std::to_string(ended_)))
      << check.output;
  const ProgramResult repair = Run({"--repair", "--yes"});
  EXPECT_EQ(repair.exit_code, 0) << repair.output;
  EXPECT_TRUE(repair.Says("LOST: record " + std::to_string(ended_) + "\n")) << repair.output;
  EXPECT_TRUE(fs::exists(data_ / Snapshot(static_cast<int>(before_)))) << "it is whole";
  Serve([&](RespClient* client) {
    EXPECT_EQ(InfoField(client, "laurel_records"), std::to_string(ended_));
    const std::string score = client->Ask({"ZSCORE", "count", "m"});
    // The snapshot may already include the last increment.
    EXPECT_TRUE(score == "\"" + std::to_string(ended_ - 1 - before_) + "\"" ||
                score == "\"" + std::to_string(ended_ - before_) + "\"")
        << score;
    EXPECT_EQ(client->Ask({"ZCARD", "many"}), std::to_string(kMembers));
  });
}

// One damaged record costs neither the snapshot nor the records after it.
TEST_F(CheckOfASnapshotDuringWrites, ADamagedRecordInsideTheSnapshotSpanLosesThatRecordOnly) {
  ASSERT_NO_FATAL_FAILURE(SaveDuringWrites(false));
  Flip(Segment(1), OffsetOf(Segment(1), static_cast<int>(began_)) + 40);
  const std::string lost = std::to_string(began_ + 1);
  const ProgramResult check = Run();
  EXPECT_EQ(check.exit_code, 1) << check.output;
  EXPECT_TRUE(check.Says("record " + lost + " is not whole")) << check.output;
  EXPECT_TRUE(check.Says("LOST: record " + lost + "\n")) << check.output;
  EXPECT_TRUE(check.Says("LOST: records " + lost + " to " + std::to_string(last_) + "\n"))
      << check.output;
  EXPECT_TRUE(check.Says("30,001 entries")) << check.output;
  const ProgramResult repair = Run({"--repair", "--yes"});
  EXPECT_EQ(repair.exit_code, 0) << repair.output;
  Serve([&](RespClient* client) {
    EXPECT_EQ(InfoField(client, "laurel_records"), std::to_string(last_));
    EXPECT_EQ(client->Ask({"ZSCORE", "count", "m"}), "\"" + std::to_string(last_ - before_) + "\"");
    EXPECT_EQ(client->Ask({"ZCARD", "many"}), std::to_string(kMembers));
  });
}

// A record with a valid frame and a payload that cannot be decoded.
TEST_F(Check, ARecordThatCannotBeAppliedIsDamage) {
  MakeSegments(1);
  std::string bytes = ReadFile(data_ / Segment(1));
  const Result<storage::FileHeader> header =
      storage::ParseFileHeader(bytes, storage::FileKind::kLog);
  ASSERT_TRUE(header.ok());
  const storage::FrameFormat format(storage::FileKind::kLog, header->history);
  const std::size_t size = bytes.size();
  const std::string tenth = bytes.substr(OffsetOf(Segment(1), 9));
  const std::optional<storage::Frame> good = format.Parse(tenth);
  ASSERT_TRUE(good);
  bytes.resize(OffsetOf(Segment(1), 9) + good->bytes());
  format.Append({.number = 11, .synced = 10, .flags = 0, .payload = "\xff nonsense"}, &bytes);
  format.Append({.number = 12, .synced = 11, .flags = 0, .payload = good->payload}, &bytes);
  bytes.resize(size, '\0');
  WriteFile(data_ / Segment(1), bytes);
  ExpectRepairedTo(12, 10, "LOST: record 11\n", {"--repair", "--yes"});
}

TEST_F(Check, ASegmentOfAnotherFolderIsSetAside) {
  MakeSegments(2);
  {
    DurableServer other(folder_ / "other");
    other.Start();
    RespClient client(other.port());
    Write(&client, 1, 3);
    other.Kill();
  }
  // Its name continues the log of this folder, but its header shows that it is from another one.
  fs::rename(data_ / Segment(11), folder_ / "second");
  fs::copy_file(folder_ / "other" / Segment(1), data_ / Segment(11));
  fs::rename(folder_ / "second", data_ / Segment(21));
  const ProgramResult misnamed = Run();
  EXPECT_EQ(misnamed.exit_code, 1) << misnamed.output;
  EXPECT_TRUE(misnamed.Says("its header is of another segment")) << misnamed.output;
  ExpectRepairedTo(20, 10, "LOST: records 11 to 20\n", {"--repair", "--yes"});
}

TEST_F(Check, ASnapshotOfAnotherFolderIsSetAside) {
  MakeSegments(2);
  {
    DurableServer other(folder_ / "other");
    other.Start();
    RespClient client(other.port());
    Write(&client, 1, 3);
    ASSERT_EQ(client.Ask({"SAVE"}), "+OK");
    other.Kill();
  }
  fs::copy_file(folder_ / "other" / Snapshot(3), data_ / Snapshot(3));
  ExpectRepairedTo(20, "set " + Snapshot(3) + " aside: it is of another data folder");
}

TEST_F(Check, AFolderOfAFutureVersionIsNotChanged) {
  MakeSegments(2);
  std::string bytes = ReadFile(data_ / Segment(11));
  bytes[8] = 5;
  WriteFile(data_ / Segment(11), bytes);
  const std::string before = Listing();
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{}, {"--repair", "--yes"}}) {
    const ProgramResult result = Run(options);
    EXPECT_EQ(result.exit_code, 1) << result.output;
    EXPECT_TRUE(result.Says("it has format version 5")) << result.output;
    EXPECT_TRUE(result.Says("was written by another version of Laurel")) << result.output;
  }
  EXPECT_EQ(Listing(), before);
}

}  // namespace
}  // namespace laurel::black_box
