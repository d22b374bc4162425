// Request ids: which writes are remembered, for how long, and across which restarts.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/seasons/season_rig.h"

namespace laurel::testing {
namespace {

class ExactlyOnce : public ::testing::Test {
 protected:
  void Create(const std::string& options) {
    ASSERT_EQ(season_.Ask("LB.CREATE lb " + options), "OK");
  }

  // Expects the retry `line` to get `first` again, each verdict marked `duplicate`, and to change
  // nothing.
  void ExpectDuplicate(const std::string& line, const Value& first) {
    const std::string before = State();
    const Value again = season_.Get(line);
    int marks = 0;
    EXPECT_EQ(WithoutDuplicateMark(again, &marks).Plain(), first.Plain()) << line;
    EXPECT_GE(marks, 1) << line << " " << again.Plain();
    const std::vector<Value> verdicts = again.type == '*' ? again.elements : std::vector{again};
    for (const Value& verdict : verdicts) {
      EXPECT_NE(verdict.Find("duplicate"), nullptr) << again.Plain();
    }
    EXPECT_EQ(State(), before) << line;
  }

  std::string State() {
    return season_.Ask("LB.PERIODS lb") + season_.Ask("LB.RANGE lb 1 -1 WITHMETA") +
           season_.Ask("LB.RANGE lb@all 1 -1") + season_.Ask("LB.RANGE lb@day:-1 1 -1") +
           season_.Ask("ZMSCORE lb ann bob cid");
  }

  Season season_{"2026-11-12T12:00:00Z"};
};

const std::vector<std::string> kWrites = {
    "LB.SUBMIT lb ann 5 ID one",
    "LB.SET lb ann 5 ID one",
    "LB.INCR lb ann 5 ID one",
    "LB.MSUBMIT lb 2 ann 5 bob 6 ID one",
    "LB.SUBMIT lb ann 5 NX AT 2026-11-12T11:59:00Z ID one META bytes",
    "LB.MSUBMIT lb 3 ann 1 bob 2 ann 3 AT 2026-11-12T11:59:00Z ID one",
};

TEST_F(ExactlyOnce, RetryGetsTheFirstVerdict) {
  for (const char* options : {"POLICY sum", "POLICY sum PERIODS 3 day week all"}) {
    for (const std::string& write : kWrites) {
      SCOPED_TRACE(std::string(options) + ": " + write);
      season_.Ask("LB.DROP lb");
      ASSERT_NO_FATAL_FAILURE(Create(options));
      season_.Ask("LB.SUBMIT lb zoe 1");
      const Value first = season_.Get(write);
      ASSERT_NE(first.type, '-') << first.Plain();
      int marks = 0;
      EXPECT_EQ(WithoutDuplicateMark(first, &marks).Plain(), first.Plain());
      EXPECT_EQ(marks, 0);
      ExpectDuplicate(write, first);
      ExpectDuplicate(write, first);
      season_.Ask("LB.SUBMIT lb ann 7");
      season_.Ask("LB.SUBMIT lb cid 99");
      season_.Ask("LB.REMOVE lb zoe");
      ExpectDuplicate(write, first);
      season_.Ask("LB.HIDE lb ann");
      ExpectDuplicate(write, first);
      season_.Ask("LB.SHOW lb ann");
      season_.Ask("LB.REMOVE lb ann bob");
      ExpectDuplicate(write, first);
    }
  }
}

class ExactlyOnceOverRestarts : public ExactlyOnce, public ::testing::WithParamInterface<Ending> {};

TEST_P(ExactlyOnceOverRestarts, RetryGetsTheFirstVerdict) {
  for (const char* options : {"POLICY sum", "POLICY sum PERIODS 3 day week all"}) {
    for (const std::string& write : kWrites) {
      SCOPED_TRACE(std::string(options) + ": " + write);
      season_.Ask("LB.DROP lb");
      ASSERT_NO_FATAL_FAILURE(Create(options));
      season_.Ask("LB.HIDE lb bob");
      const Value first = season_.Get(write);
      season_.Restart(GetParam());
      ExpectDuplicate(write, first);
      season_.Ask("SAVE");
      season_.Ask("LB.SUBMIT lb ann 7");
      season_.Restart(GetParam());
      ExpectDuplicate(write, first);
      EXPECT_EQ(season_.Code("LB.SUBMIT lb other 1 ID one"), "REUSED");
    }
  }
}

// Several fields, decimals, and the optional fields of verdicts.
TEST_P(ExactlyOnceOverRestarts, RetryGetsEveryFieldOfTheVerdict) {
  ASSERT_NO_FATAL_FAILURE(
      Create("FIELDS 3 a:int b:decimal2:asc c:decimal9 POLICY best CAP 2 PERIODS 2 day all"));
  const std::vector<std::string> writes = {
      "LB.SUBMIT lb ann 1 -2.50 0.000000001 ID accepted",
      "LB.SUBMIT lb ann 1 -2.5 0.000000001 ID unchanged",
      "LB.SUBMIT lb ann -9223372036854775808 1 1 ID not-best",
      "LB.SUBMIT lb bob 7 1 1 ID second",
      "LB.SUBMIT lb cid 0 1 1 ID not-ranked",
      "LB.SUBMIT lb ann 9 1 1 NX ID skipped",
      "LB.SUBMIT lb dan 9 1 1 XX ID skipped-too",
  };
  std::vector<Value> verdicts;
  for (const std::string& write : writes) verdicts.push_back(season_.Get(write));
  season_.Ask("LB.HIDE lb eve");
  const std::string hidden = "LB.SUBMIT lb eve 5 5 5 ID hidden";
  const Value verdict = season_.Get(hidden);
  EXPECT_NE(verdict.Find("hidden"), nullptr);
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const std::string status = writes[i].substr(writes[i].rfind(' ') + 1);
    if (!status.starts_with("s")) {
      EXPECT_EQ(verdicts[i].Find("status")->text, status);
    }
  }
  for (int round = 0; round < 3; ++round) {
    season_.Restart(GetParam());
    for (std::size_t i = 0; i < writes.size(); ++i) ExpectDuplicate(writes[i], verdicts[i]);
    ExpectDuplicate(hidden, verdict);
    season_.Move(kHour);
  }
}

TEST_P(ExactlyOnceOverRestarts, ForgottenIdsStayForgotten) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum DEDUP 2"));
  for (const char* id : {"a", "b", "c"}) season_.Ask("LB.SUBMIT lb ann 1 ID " + std::string(id));
  season_.Restart(GetParam());
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID b"), "accepted 1->1 1->2 duplicate");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID c"), "accepted 1->1 2->3 duplicate");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted 1->1 3->4");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID b"), "accepted 1->1 4->5");
}

TEST_P(ExactlyOnceOverRestarts, IdsAreRememberedForADay) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
  season_.Ask("LB.SUBMIT lb ann 1 ID a");
  season_.Move(kDay - kMinute);
  season_.Restart(GetParam());
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted nil->1 nil->1 duplicate");
  season_.Ask("LB.SUBMIT lb ann 1 ID b");
  season_.Move(2 * kMinute);
  season_.Restart(GetParam());
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted 1->1 2->3");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID b"), "accepted 1->1 1->2 duplicate");
}

INSTANTIATE_TEST_SUITE_P(Endings, ExactlyOnceOverRestarts, ::testing::ValuesIn(kEndings),
                         [](const auto& ending) { return std::string(EndingName(ending.param)); });

TEST_F(ExactlyOnce, SameIdWithOtherArgumentsIsRefusedAsReused) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
  season_.Ask("LB.SUBMIT lb ann 5 ID one");
  season_.Ask("LB.MSUBMIT lb 2 ann 1 bob 1 ID many");
  const std::string before = State();
  for (const char* line :
       {"LB.SUBMIT lb ann 6 ID one", "LB.SUBMIT lb bob 5 ID one", "LB.SUBMIT lb ann 5 NX ID one",
        "LB.SUBMIT lb ann 5 XX ID one", "LB.SUBMIT lb ann 5 META x ID one",
        "LB.SUBMIT lb ann 5 AT 2026-11-12T11:59:00Z ID one", "LB.SET lb ann 5 ID one",
        "LB.INCR lb ann 5 ID one", "LB.MSUBMIT lb 1 ann 5 ID one", "LB.SUBMIT lb ann 1 ID many",
        "LB.MSUBMIT lb 2 bob 1 ann 1 ID many", "LB.MSUBMIT lb 1 ann 1 ID many",
        "LB.MSUBMIT lb 2 ann 1 bob 1 AT 2026-11-12T11:59:00Z ID many"}) {
    EXPECT_EQ(season_.Code(line), "REUSED") << line;
    EXPECT_EQ(State(), before) << line;
  }
  // A refused reuse does not forget the id.
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 5 ID one"), "accepted nil->1 nil->5 duplicate");
}

TEST_F(ExactlyOnce, ErrorsAreNotRemembered) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum END 2026-11-12T13:00:00Z"));
  season_.Ask("LB.SUBMIT lb big 9223372036854775807");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann x ID a"), "BADSCORE");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb big 1 ID a"), "OVERFLOW");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 1 AT 2030-01-01T00:00:00Z ID a"), "BADTIME");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 1 2 ID a"), "ERR");
  EXPECT_EQ(season_.Code("LB.MSUBMIT lb 2 ann 1 big 1 ID a"), "OVERFLOW");
  EXPECT_EQ(season_.Code("LB.MSUBMIT lb 2 ann 1 bob x ID a"), "BADSCORE");
  EXPECT_EQ(season_.Code("LB.SUBMIT nothing ann 1 ID a"), "NOBOARD");
  season_.SetTime("2026-11-12T13:00:00Z");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 1 ID a"), "CLOSED");
  season_.SetTime("2026-11-12T12:30:00Z");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 2 ID a"), "accepted nil->2 nil->2");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 2 ID a"), "accepted nil->2 nil->2 duplicate");
}

TEST_F(ExactlyOnce, WritesThatChangeNothingAreRemembered) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY best CAP 2"));
  season_.Ask("LB.MSUBMIT lb 2 ann 10 bob 9");
  const std::vector<std::string> writes = {
      "LB.SUBMIT lb ann 10 ID unchanged", "LB.SUBMIT lb ann 5 ID not-best",
      "LB.SUBMIT lb cid 5 ID not-ranked", "LB.SUBMIT lb ann 20 NX ID skipped",
      "LB.MSUBMIT lb 2 ann 1 cid 1 ID many"};
  std::vector<Value> verdicts;
  for (const std::string& write : writes) verdicts.push_back(season_.Get(write));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(verdicts[i].Find("status")->text, writes[i].substr(writes[i].rfind(' ') + 1));
  }
  // Each of them would now be accepted.
  season_.Ask("LB.REMOVE lb ann bob");
  for (std::size_t i = 0; i < writes.size(); ++i) ExpectDuplicate(writes[i], verdicts[i]);
  season_.Restart(Ending::kPowerCut);
  for (std::size_t i = 0; i < writes.size(); ++i) ExpectDuplicate(writes[i], verdicts[i]);
  EXPECT_EQ(season_.Top("lb"), "");
}

TEST_F(ExactlyOnce, RetryAfterTheEndOrTheTurnGetsTheFirstVerdict) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum END 2026-11-12T13:00:00Z"));
  const std::string write = "LB.SUBMIT lb ann 1 ID a";
  const Value first = season_.Get(write);
  const std::string timed = "LB.SUBMIT lb ann 1 AT 2026-11-12T12:00:00Z ID b";
  const Value second = season_.Get(timed);
  season_.SetTime("2026-11-12T13:00:00Z");
  ExpectDuplicate(write, first);
  ExpectDuplicate(timed, second);

  ASSERT_EQ(season_.Ask("LB.DROP lb"), "OK");
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum PERIODS 2 day all"));
  const std::string at = "LB.SUBMIT lb ann 1 AT 2026-11-12T13:00:00Z ID b";
  const Value today = season_.Get(write);
  const Value today_timed = season_.Get(at);
  season_.Move(12 * kHour);
  ExpectDuplicate(write, today);
  ExpectDuplicate(at, today_timed);
  season_.Restart(Ending::kSaved);
  ExpectDuplicate(write, today);
  EXPECT_EQ(season_.Top("lb@day"), "");
  EXPECT_EQ(season_.Top("lb@all"), "1:ann=2");
}

TEST_F(ExactlyOnce, IdsArePerBoard) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
  ASSERT_EQ(season_.Ask("LB.CREATE other POLICY sum"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted nil->1 nil->1");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT other bob 2 ID a"), "accepted nil->1 nil->2");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted nil->1 nil->1 duplicate");
}

TEST_F(ExactlyOnce, DedupLimitsTheNumberOfIds) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum DEDUP 3"));
  for (const char* id : {"a", "b", "c"}) season_.Ask("LB.SUBMIT lb ann 1 ID " + std::string(id));
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted nil->1 nil->1 duplicate");
  season_.Ask("LB.MSUBMIT lb 3 x 1 y 1 z 1 ID d");  // one id
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID b"), "accepted 1->1 1->2 duplicate");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID c"), "accepted 1->1 2->3 duplicate");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted 1->1 3->4");

  ASSERT_EQ(season_.Ask("LB.ALTER lb DEDUP 1"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted 1->1 3->4 duplicate");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID c"), "accepted 1->1 4->5");
  ASSERT_EQ(season_.Ask("LB.ALTER lb DEDUP 2"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted 1->1 5->6");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID c"), "accepted 1->1 4->5 duplicate");
}

TEST_F(ExactlyOnce, IdIsRefusedWithDedupZero) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum DEDUP 0"));
  for (const char* line : {"LB.SUBMIT lb ann 1 ID a", "LB.SET lb ann 1 ID a",
                           "LB.INCR lb ann 1 ID a", "LB.MSUBMIT lb 1 ann 1 ID a"}) {
    EXPECT_EQ(season_.Code(line), "ERR") << line;
  }
  EXPECT_EQ(season_.Ask("LB.SIZE lb"), "0");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1"), "accepted nil->1 nil->1");
  ASSERT_EQ(season_.Ask("LB.ALTER lb DEDUP 5"), "OK");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted 1->1 1->2");
  ASSERT_EQ(season_.Ask("LB.ALTER lb DEDUP 0"), "OK");
  EXPECT_EQ(season_.Code("LB.SUBMIT lb ann 1 ID a"), "ERR");
}

TEST_F(ExactlyOnce, IdIsForgottenAfterADay) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
  season_.Ask("LB.SUBMIT lb ann 1 ID a");
  season_.Move(kDay - kMicros);
  season_.Tick();
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted nil->1 nil->1 duplicate");
  season_.Move(2 * kMicros);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted 1->1 1->2");
  // A forgotten id may be used with other arguments.
  season_.Move(kDay + kMicros);
  EXPECT_EQ(season_.Verdict("LB.SUBMIT lb bob 1 ID a"), "accepted nil->2 nil->1");
}

TEST_F(ExactlyOnce, TickForgetsOldIdsOfIdleBoards) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
  season_.Ask("LB.CREATE other");
  const auto count = [&](const std::string& board) {
    return season_.Get("LB.DESCRIBE " + board).Find("ids")->Plain();
  };
  for (const char* id : {"a", "b", "c"}) {
    season_.Ask("LB.SUBMIT lb ann 1 ID " + std::string(id));
    season_.Ask("LB.SUBMIT other ann 1 ID " + std::string(id));
    season_.Move(kHour);
  }
  season_.Move(kDay - 2 * kHour);
  season_.Tick();
  EXPECT_EQ(count("lb"), "1");
  EXPECT_EQ(count("other"), "1");
  season_.Ask("LB.SUBMIT other bob 1");  // waits until all earlier effects are durable
  season_.Restart(Ending::kKilled);
  EXPECT_EQ(count("lb"), "1");
  ASSERT_EQ(season_.Ask("LB.ALTER lb DEDUP 0"), "OK");
  season_.Move(kHour);
  season_.Tick();
  EXPECT_EQ(count("lb"), "0");
  EXPECT_EQ(count("other"), "0");
}

// The remembered verdicts are larger than one frame of the log or of a snapshot.
TEST_F(ExactlyOnce, VerdictsOfTheLargestListSurviveASnapshot) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
  std::string list = "LB.MSUBMIT lb 100000";
  for (int i = 0; i < 100'000; ++i) list += " m" + std::to_string(i) + " " + std::to_string(i);
  list += " ID a";
  const Value first = season_.Get(list);
  ASSERT_EQ(first.elements.size(), 100'000U);
  season_.Restart(Ending::kSaved);
  int marks = 0;
  EXPECT_EQ(WithoutDuplicateMark(season_.Get(list), &marks).Plain(), first.Plain());
  EXPECT_EQ(marks, 100'000);
}

TEST_F(ExactlyOnce, RenameAndCopyDoNotCarryIds) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
  season_.Ask("LB.SUBMIT lb ann 1 ID a");
  ASSERT_EQ(season_.Ask("COPY lb copied"), "1");
  ASSERT_EQ(season_.Ask("RENAME lb renamed"), "OK");
  for (const char* name : {"copied", "renamed"}) {
    EXPECT_EQ(season_.Verdict("LB.SUBMIT " + std::string(name) + " ann 1 ID a"),
              "accepted 1->1 1->2")
        << name;
  }
  season_.Restart(Ending::kSaved);
  for (const char* name : {"copied", "renamed"}) {
    EXPECT_EQ(season_.Verdict("LB.SUBMIT " + std::string(name) + " ann 1 ID a"),
              "accepted 1->1 1->2 duplicate")
        << name;
  }
}

// The ids belong to the board, not to its entries.
TEST_F(ExactlyOnce, IdsOutliveTheEntries) {
  for (const char* options : {"POLICY sum", "POLICY sum PERIODS 2 day all"}) {
    for (const char* removal : {"LB.CLEAR lb", "DEL lb", "LB.REMOVE lb ann", "EXPIRE lb -1"}) {
      SCOPED_TRACE(std::string(options) + ": " + removal);
      season_.Ask("LB.DROP lb");
      ASSERT_NO_FATAL_FAILURE(Create(options));
      const Value first = season_.Get("LB.SUBMIT lb ann 1 ID a");
      season_.Ask(removal);
      ExpectDuplicate("LB.SUBMIT lb ann 1 ID a", first);
      season_.Restart(Ending::kPowerCut);
      ExpectDuplicate("LB.SUBMIT lb ann 1 ID a", first);
      EXPECT_EQ(season_.Ask("LB.SIZE lb"), "0");
    }
  }
}

TEST_F(ExactlyOnce, DropAndFlushallForgetTheIds) {
  for (const char* end : {"LB.DROP lb", "FLUSHALL"}) {
    ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
    season_.Ask("LB.SUBMIT lb ann 1 ID a");
    ASSERT_EQ(season_.Ask(end), "OK");
    ASSERT_NO_FATAL_FAILURE(Create("POLICY sum"));
    EXPECT_EQ(season_.Verdict("LB.SUBMIT lb ann 1 ID a"), "accepted nil->1 nil->1") << end;
    season_.Restart(Ending::kKilled);
    EXPECT_EQ(season_.Top("lb"), "1:ann=1");
    season_.Ask("LB.DROP lb");
  }
}

TEST_F(ExactlyOnce, RetryIsDetectedInATransactionAndWithATemplate) {
  ASSERT_EQ(season_.Ask("LB.TEMPLATE SET t:* POLICY sum PERIODS 2 day all"), "OK");
  const std::string replies =
      season_.Exec({"LB.SUBMIT t:1 ann 1 ID a", "LB.SUBMIT t:1 ann 1 ID a", "LB.SIZE t:1"});
  EXPECT_EQ(replies.find("duplicate"), replies.rfind("duplicate")) << replies;
  EXPECT_NE(replies.find("duplicate"), std::string::npos) << replies;
  EXPECT_EQ(season_.Top("t:1@all"), "1:ann=1");
  EXPECT_EQ(season_.Verdict("LB.SUBMIT t:1 ann 1 ID a"),
            "accepted nil->1 nil->1 duplicate all(accepted nil->1 nil->1)");
}

TEST_F(ExactlyOnce, RetryWaitsUntilTheFirstWriteIsDurable) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum PERIODS 2 day all"));
  TestClient first_client;
  TestClient second_client;
  for (int round = 0; round < 20; ++round) {
    const std::string write = "LB.SUBMIT lb ann 1 ID r" + std::to_string(round);
    season_.HoldDisk();
    const auto first = season_.Begin(&first_client, {write});
    const auto second = season_.Begin(&second_client, {write});
    EXPECT_FALSE(first->answered());
    EXPECT_FALSE(second->answered());
    season_.ReleaseDisk();
    const Value verdict = first->Answer();
    EXPECT_EQ(verdict.Find("duplicate"), nullptr);
    int marks = 0;
    EXPECT_EQ(WithoutDuplicateMark(second->Answer(), &marks).Plain(), verdict.Plain());
    EXPECT_EQ(marks, 1);
    EXPECT_EQ(season_.Top("lb@all"), "1:ann=" + std::to_string(round + 1));
  }
}

// Every thread sends a write with every id.
TEST_F(ExactlyOnce, ConcurrentRetriesAreAppliedOnce) {
  ASSERT_NO_FATAL_FAILURE(Create("POLICY sum PERIODS 2 day all"));
  constexpr int kThreads = 4;
  constexpr int kIds = 150;
  std::vector<int> firsts(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      TestClient client;
      for (int i = 0; i < kIds; ++i) {
        const auto asked = season_.Begin(&client, {"LB.SUBMIT lb ann 1 ID r" + std::to_string(i)});
        if (asked->Answer().Find("duplicate") == nullptr)
          ++firsts[static_cast<std::size_t>(thread)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::accumulate(firsts.begin(), firsts.end(), 0), kIds);
  for (const Ending ending : {Ending::kPowerCut, Ending::kSaved}) {
    EXPECT_EQ(season_.Top("lb@day"), "1:ann=150");
    EXPECT_EQ(season_.Top("lb@all"), "1:ann=150");
    season_.Restart(ending);
  }
}

// The engine may execute requests of a pipeline together; the replies must not differ.
TEST_F(ExactlyOnce, PipelinedRequestsGetTheSameReplies) {
  std::vector<std::string> lines;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    const std::string member = "m" + std::to_string(i % 5);
    lines.push_back("LB.SUBMIT lb " + member + " " + number + " ID r" + std::to_string(i % 40));
    lines.push_back("LB.SUBMIT lb " + member + " 1 ID s" + std::to_string(i / 3));
    lines.push_back("ZADD lb " + number + " " + member);
    lines.push_back("ZINCRBY lb 2 " + member);
    lines.push_back("LB.INCR lb " + member + " 1 AT 2026-11-12T11:59:00Z ID t" + number);
    lines.push_back("LB.SUBMIT lb " + member + " x ID r" + number);
    lines.push_back("LB.MSUBMIT lb 2 a 1 b " + number + " ID u" + std::to_string(i / 2));
    lines.push_back("LB.GET lb@all " + member);
  }
  for (const char* options : {"POLICY sum", "POLICY sum PERIODS 2 day all",
                              "PERIODS 3 hour day all", "POLICY best DEDUP 7", "POLICY sum DEDUP 0",
                              "END 2026-11-12T12:00:00Z", "POLICY sum PERIODS 1 hour GRACE 5m"}) {
    SCOPED_TRACE(options);
    Season one_by_one("2026-11-12T12:00:00Z");
    Season in_one_go("2026-11-12T12:00:00Z");
    std::vector<std::string> due;
    ASSERT_EQ(one_by_one.Ask("LB.CREATE lb " + std::string(options)), "OK");
    ASSERT_EQ(in_one_go.Ask("LB.CREATE lb " + std::string(options)), "OK");
    for (const std::string& line : lines) due.push_back(one_by_one.Ask(line));
    TestClient client;
    const std::vector<Value> answers = in_one_go.Begin(&client, lines)->Answers();
    ASSERT_EQ(answers.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ASSERT_EQ(answers[i].Plain(), due[i]) << i << " " << lines[i];
    }
    in_one_go.Restart(Ending::kKilled);
    one_by_one.Restart(Ending::kSaved);
    EXPECT_EQ(in_one_go.ReadAllPeriods("lb"), one_by_one.ReadAllPeriods("lb"));
  }
}

// The write and its retry are applied once, whether or not the write was durable at the power cut.
TEST_F(ExactlyOnce, RetryAfterAPowerCutIsAppliedOnce) {
  for (int round = 0; round < 40; ++round) {
    Season season("2026-11-12T12:00:00Z", static_cast<std::uint64_t>(round) + 1);
    ASSERT_EQ(season.Ask("LB.CREATE lb POLICY sum PERIODS 2 day all"), "OK");
    TestClient client;
    season.HoldDisk();
    const auto first = season.Begin(&client, {"LB.SUBMIT lb ann 1 ID a"});
    season.CutPowerWhileHeld();
    first->Answer();
    const std::string verdict = season.Verdict("LB.SUBMIT lb ann 1 ID a");
    EXPECT_TRUE(verdict == "accepted nil->1 nil->1 all(accepted nil->1 nil->1)" ||
                verdict == "accepted nil->1 nil->1 duplicate all(accepted nil->1 nil->1)")
        << verdict;
    EXPECT_EQ(season.Top("lb@day"), "1:ann=1");
    EXPECT_EQ(season.Top("lb@all"), "1:ann=1");
  }
}

}  // namespace
}  // namespace laurel::testing
