// Kills the server with SIGKILL at any moment, many times on one folder: no acknowledged write is
// lost or changed, and nothing is invented. The oracle of what the server must hold is a second
// server, in memory, that gets the same commands (crash/writer.h). Each start may set the clock
// further ahead, so that the periods of a board turn between the rounds and within them
// (crash/season.h).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "server/crash/contents.h"
#include "server/crash/season.h"
#include "server/crash/stream.h"
#include "server/crash/writer.h"
#include "server/durable_server.h"
#include "server/process.h"
#include "server/robustness_support.h"
#include "tests/support/seed.h"

namespace laurel::black_box {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kUsualRounds = 10;
constexpr int kFullRounds = 50;
constexpr int kRoundsOfAFolder = 5;
constexpr int kWriters = 3;
constexpr std::int64_t kHourMicros = 3'600'000'000;

int RoundsWanted() {
  const char* text = std::getenv("LAUREL_TEST_ROUNDS");
  return text != nullptr ? std::max(1, std::atoi(text)) : kUsualRounds;
}

// Totals of all rounds. They show that kills interrupted work: otherwise the test would prove
// nothing.
struct Tally {
  int rounds = 0;
  std::size_t acknowledged = 0;
  std::size_t beyond = 0;
  std::size_t lost = 0;
  int in_snapshot = 0;    // kills while a snapshot was being written
  int while_loading = 0;  // kills before the ready line
  int torn = 0;           // starts that found a partly written record
  std::size_t segments = 0;
  std::size_t snapshots = 0;
  std::size_t retried = 0;  // acknowledged writes with an id, sent again
  std::size_t found = 0;    // writes with an id that might have been lost, but were applied
  std::size_t closed = 0;   // instances

  void Print() const {
    std::printf(
        "crash: %d rounds, %zu steps acknowledged, %zu applied beyond them, %zu lost within the "
        "allowance of everysec; killed in a snapshot %d, while loading %d, torn tails %d; %zu "
        "segments, %zu snapshots; %zu retries, %zu of what was not told but applied, %zu periods "
        "closed\n",
        rounds, acknowledged, beyond, lost, in_snapshot, while_loading, torn, segments, snapshots,
        retried, found, closed);
    std::fflush(stdout);
  }
};

// Several rounds on one data folder.
class Episode {
 public:
  Episode(std::uint64_t seed, bool every_second, Tally* tally)
      : random_(seed),
        every_second_(every_second),
        tally_(tally),
        oracle_(ServerProcess::Laurel({"--in-memory"})),
        oracle_client_(oracle_.port()) {
    for (int i = 0; i < kWriters; ++i) {
      writers_.push_back(std::make_unique<Writer>(i, random_.Next()));
    }
    arguments_ = {"--fsync",        every_second ? "everysec" : "always",
                  "--log-segment",  random_.OneIn(2) ? "64kb" : "256kb",
                  "--snapshot-log", "1mb"};
    const bool keeps_log = random_.OneIn(2);  // the default keeps it
    if (!keeps_log) {
      arguments_.insert(arguments_.end(), {"--keep-log", random_.OneIn(2) ? "0" : "1mb"});
    }
    season_ = std::make_unique<Season>(random_.Next(), keeps_log);
  }

  // Returns the first problem, or empty.
  std::string Run(int rounds) {
    if (random_.OneIn(2)) KillWhileLoading();  // while the folder is being created
    StartServer();
    if (const std::string problem = DeclareShared(); !problem.empty()) return problem;
    for (int round = 0; round < rounds; ++round) {
      if (const std::string problem = Load(); !problem.empty()) return problem + Kept();
      SetClockAhead();
      if (random_.OneIn(3)) KillWhileLoading();
      StartServer();
      std::string problem = Verify();
      if (problem.empty() && random_.OneIn(4)) problem = VerifyAgain();
      ++tally_->rounds;
      if (!problem.empty()) return problem + Kept();
    }
    tally_->retried += season_->retried();
    tally_->found += season_->found();
    tally_->closed += season_->closed();
    return "";
  }

 private:
  std::vector<std::string> ServerArguments() const {
    std::vector<std::string> arguments = arguments_;
    arguments.insert(arguments.end(), {"--clock-offset", std::to_string(ahead_s_) + "s"});
    return arguments;
  }

  std::int64_t ServerMicros() const {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count() +
           ahead_s_ * 1'000'000;
  }
  std::int64_t MicrosToTurn() const { return kHourMicros - ServerMicros() % kHourMicros; }

  // Sets the clock of the next start ahead, never back. By up to some hours, so that closed
  // instances are kept for a while and then dropped.
  void SetClockAhead() {
    turns_soon_ = random_.OneIn(8);
    if (turns_soon_) {  // the hour turns within a second
      ahead_s_ += MicrosToTurn() / 1'000'000;
    } else if (random_.OneIn(2)) {
      constexpr std::int64_t kSteps[] = {20 * 60, 3600, 3600, 5 * 3600};
      ahead_s_ += kSteps[random_.Below(4)];
    }
  }

  void StartServer() {
    server_.Start(ServerArguments());
    if (server_.Output().find("was being written when the server ended") != std::string::npos) {
      ++tally_->torn;
    }
  }

  std::string DeclareShared() {
    RespClient client = server_.Connect();
    if (std::string problem = season_->Declare(&client); !problem.empty()) return problem;
    for (RespClient* one : {&client, &oracle_client_}) {
      const std::string reply =
          one->Ask({"LB.CREATE", kSharedBoard, "POLICY", "sum", "TIE", "member"});
      if (reply != "+OK") return "LB.CREATE " + reply;
    }
    return "";
  }

  // All writers write and snapshots are requested, until the server is killed or stopped. Returns a
  // problem of the follower, or empty.
  std::string Load() {
    std::vector<std::thread> threads;
    for (const auto& writer : writers_) {
      threads.emplace_back([&writer, port = server_.port()] { writer->SendUntilTheEnd(port); });
    }
    threads.emplace_back([&] { season_->SendUntilTheEnd(server_.port()); });
    auto end = Clock::now() + std::chrono::milliseconds(5 + random_.Below(150));
    if (turns_soon_ && MicrosToTurn() < 1'000'000) {
      end = Clock::now() + std::chrono::microseconds(MicrosToTurn() + 10'000);
    }
    std::string problem;
    written_.clear();
    synced_until_ = Clock::time_point::min();
    {
      RespClient control = server_.Connect();
      while (Clock::now() < end) {
        control.Command({"BGSAVE"});
        if (every_second_) NoteSynced(&control);
        if (problem.empty() && random_.OneIn(2)) problem = season_->Follow(&control);
        SleepMs(static_cast<int>(random_.Below(40)));
        NoteFiles();
      }
      if (problem.empty() && every_second_ && random_.OneIn(3)) problem = AwaitSync(&control);
      if (random_.OneIn(3)) {
        control.Command({"BGSAVE"});
        AwaitUnfinishedSnapshot();
      }
    }
    stopped_gently_ = random_.OneIn(10);
    if (stopped_gently_) {
      EXPECT_EQ(server_.Stop(), 0) << server_.Output();
    } else {
      server_.Kill();
    }
    for (std::thread& thread : threads) thread.join();
    NoteFiles();
    if (!server_.Files("snapshot.tmp").empty()) ++tally_->in_snapshot;
    return problem;
  }

  // Asks the server how much of its log is on disk. Everything that was acknowledged before an
  // earlier question is, if the log reaches as far now as it was written then.
  void NoteSynced(RespClient* control) {
    const auto asked_at = Clock::now();
    written_.push_back({asked_at, std::stoull(InfoField(control, "laurel_records"))});
    const std::uint64_t durable = std::stoull(InfoField(control, "laurel_durable_records"));
    for (; !written_.empty() && written_.front().records <= durable; written_.pop_front()) {
      synced_until_ = written_.front().asked_at;
    }
  }

  // Waits until everything that was acknowledged before this call is on disk. Returns a problem, or
  // empty.
  std::string AwaitSync(RespClient* control) {
    const auto called_at = Clock::now();
    const bool is_synced = Eventually([&] {
      NoteSynced(control);
      return synced_until_ >= called_at;
    });
    return is_synced ? "" : "the log is not synced";
  }

  // Waits until a snapshot is being written, at most 20 ms, and sometimes a little longer.
  void AwaitUnfinishedSnapshot() {
    const auto end = Clock::now() + std::chrono::milliseconds(20);
    while (Clock::now() < end && server_.Files("snapshot.tmp").empty()) {
    }
    if (random_.OneIn(2))
      std::this_thread::sleep_for(std::chrono::microseconds(random_.Below(500)));
  }

  void KillWhileLoading() {
    for (std::uint64_t times = 1 + random_.Below(3); times > 0; --times) {
      server_.Launch(ServerArguments());
      std::this_thread::sleep_for(std::chrono::microseconds(random_.Below(25'000)));
      if (server_.Output().find(" ready: ") == std::string::npos) ++tally_->while_loading;
      server_.Kill();
    }
  }

  std::string Verify() {
    RespClient client = server_.Connect();
    const auto promised =
        every_second_ && !stopped_gently_ ? synced_until_ : Clock::time_point::max();
    for (const auto& writer : writers_) {
      const Writer::Outcome outcome = writer->Verify(&client, &oracle_client_, promised);
      tally_->acknowledged += outcome.acknowledged;
      tally_->beyond += outcome.beyond;
      tally_->lost += outcome.lost;
      if (!outcome.problem.empty()) return outcome.problem;
      // The brief board is created with its expiry in one EXEC, so it must not stay.
      const std::string brief = writer->stream().brief();
      if (!Eventually([&] { return client.Ask({"EXISTS", brief}) == "0"; })) {
        return brief + " does not expire: " + client.Ask({"PTTL", brief});
      }
    }
    if (std::string problem = season_->Verify(&client, promised, ServerMicros());
        !problem.empty()) {
      return problem;
    }
    const std::vector<std::string> shared = {kSharedSet, kSharedBoard};
    const std::string difference =
        Difference(Contents(&oracle_client_, shared, "", Detail::kTimeless),
                   Contents(&client, shared, "", Detail::kTimeless));
    if (!difference.empty()) return "shared boards\n" + difference;
    return VerifyNames(&client);
  }

  // The server must have the same boards as the oracle.
  std::string VerifyNames(RespClient* client) {
    const auto names = [](RespClient* from) {
      std::set<std::string> all;
      for (const Value& name : from->Command({"KEYS", "*"}).elements) {
        if (!name.text.ends_with(":brief") && name.text != Season::kBoard) all.insert(name.text);
      }
      return std::vector<std::string>(all.begin(), all.end());
    };
    const std::string difference = Difference(names(&oracle_client_), names(client));
    return difference.empty() ? "" : "names\n" + difference;
  }

  // Restarts without writes in between: everything must be as before, stamps included.
  std::string VerifyAgain() {
    const std::vector<std::string> before = Everything();
    if (every_second_) {
      EXPECT_EQ(server_.Stop(), 0) << server_.Output();
    } else {
      server_.Kill();
    }
    StartServer();
    const std::string difference = Difference(before, Everything());
    return difference.empty() ? "" : "after another restart\n" + difference;
  }

  std::vector<std::string> Everything() {
    RespClient client = server_.Connect();
    std::vector<std::string> lines;
    for (const auto& writer : writers_) {
      const Stream& stream = writer->stream();
      const auto own = Contents(&client, stream.boards(), stream.prefix(), Detail::kEverything);
      lines.insert(lines.end(), own.begin(), own.end());
      lines.push_back(client.Ask({"ZSCORE", stream.marker(), "at"}));
    }
    const auto shared = Contents(&client, {kSharedSet, kSharedBoard}, "", Detail::kEverything);
    lines.insert(lines.end(), shared.begin(), shared.end());
    return lines;
  }

  void NoteFiles() {
    const auto note = [&](const char* prefix, std::set<std::string>* seen, std::size_t* count) {
      for (const auto& path : server_.Files(prefix)) {
        if (seen->insert(path.filename()).second) ++*count;
      }
    };
    note("log-", &segments_, &tally_->segments);
    note("snapshot-", &snapshots_, &tally_->snapshots);
  }

  // Kills the server and copies its data folder, so that the failure can be examined. Returns the
  // place of the copy and the server's output.
  std::string Kept() {
    server_.Kill();
    const auto copy = std::filesystem::temp_directory_path() /
                      ("laurel-crash-failed-" + std::to_string(random_.Next()));
    std::filesystem::copy(server_.data(), copy, std::filesystem::copy_options::recursive);
    return "\nthe data after the failed start: " + copy.string() + "\n" + server_.Output();
  }

  base::Random random_;
  bool every_second_;
  Tally* tally_;
  ServerProcess oracle_;
  RespClient oracle_client_;
  DurableServer server_;
  std::vector<std::string> arguments_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::unique_ptr<Season> season_;
  std::int64_t ahead_s_ = 0;  // how far the server's clock is set ahead
  bool turns_soon_ = false;
  // What the server has said about its log since the last start, under --fsync everysec.
  struct Written {
    Clock::time_point asked_at;
    std::uint64_t records;
  };
  std::deque<Written> written_;  // not known to be on disk, oldest first
  // Everything acknowledged until then must be on disk.
  Clock::time_point synced_until_ = Clock::time_point::min();
  bool stopped_gently_ = false;
  std::set<std::string> segments_;
  std::set<std::string> snapshots_;
};

TEST(Crash, NothingAcknowledgedIsLostAndNothingIsInvented) {
  const int rounds = RoundsWanted();
  base::Random random(TestSeed());
  Tally tally;
  for (int episode = 0; tally.rounds < rounds; ++episode) {
    const bool every_second = episode % 5 == 1;
    const int count = std::min(kRoundsOfAFolder, rounds - tally.rounds);
    const std::string problem = Episode(random.Next(), every_second, &tally).Run(count);
    tally.Print();
    ASSERT_TRUE(problem.empty()) << "in round " << tally.rounds << ", fsync "
                                 << (every_second ? "everysec" : "always") << ": " << problem;
  }
  EXPECT_GT(tally.acknowledged, 0U);
  if (rounds < kFullRounds) return;
  EXPECT_GT(tally.beyond, 0U) << "no write was ever under way";
  EXPECT_GT(tally.retried, 0U);
  EXPECT_GT(tally.found, 0U) << "no write with an id was ever under way";
  EXPECT_GT(tally.closed, 0U);
  EXPECT_GT(tally.while_loading, 0);
  EXPECT_GT(tally.in_snapshot, 0);
  EXPECT_GT(tally.snapshots, 0U);
}

}  // namespace
}  // namespace laurel::black_box
