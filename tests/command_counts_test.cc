// What the engine counts of the requests that it executes: outcomes and errors by command, in runs,
// alone and in transactions; and the totals over all boards.
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/command_counters.h"
#include "http/json_answer.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"
#include "tests/support/test_clock.h"
#include "wire/beside_words.h"
#include "wire/command_table.h"

namespace laurel::testing {
namespace {

using engine::CommandFigures;
using wire::CommandId;

class CommandCounts : public ::testing::Test {
 protected:
  static EngineRig::Options InMemory(std::size_t max_memory_bytes = 0) {
    EngineRig::Options options;
    options.hash_seed = 1;
    options.max_memory_bytes = max_memory_bytes;
    return options;
  }
  static CommandFigures Of(EngineRig& rig, CommandId id) {
    return rig.callbacks().commands().Figures(id);
  }
  // "ok failed rejected".
  static std::string Outcomes(EngineRig& rig, CommandId id) {
    const CommandFigures figures = Of(rig, id);
    return std::to_string(figures.ok) + " " + std::to_string(figures.failed) + " " +
           std::to_string(figures.rejected);
  }
  static std::uint64_t Errors(EngineRig& rig, std::string_view code) {
    const engine::ErrorFigures errors = rig.callbacks().commands().Errors();
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (engine::kCountedErrors[i] == code) return errors[i];
    }
    return UINT64_MAX;
  }
};

TEST_F(CommandCounts, TellExecutedFromFailedRequests) {
  EngineRig rig(InMemory());
  rig.Ask("ZADD z 1 a");
  rig.Ask("ZADD z x a");
  rig.Ask("ZADD z NX XX 1 a");
  rig.Ask("ZSCORE z a");
  rig.Ask("LB.CREATE lb");
  rig.Ask("LB.TOP none 10");
  rig.Ask("ZADD lb 1 a");
  rig.Ask("ZUNIONSTORE lb 1 z");
  EXPECT_EQ(Outcomes(rig, CommandId::kZAdd), "2 2 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kZScore), "1 0 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kLbTop), "0 1 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kZUnionStore), "0 1 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kZRem), "0 0 0");
  EXPECT_EQ(Errors(rig, "ERR"), 2U);
  EXPECT_EQ(Errors(rig, "NOBOARD"), 1U);
  EXPECT_EQ(Errors(rig, "WRONGTYPE"), 1U);
}

TEST_F(CommandCounts, CountEveryRequestOfARun) {
  EngineRig rig(InMemory());
  rig.Ask("LB.CREATE lb POLICY best FIELDS 1 points:int");
  rig.Ask("LB.CREATE over POLICY best END 2020-01-01T00:00:00Z");
  rig.Ask("ZADD z 1 m");
  TestClient client;
  std::vector<std::string> lines;
  for (int i = 0; i < 100; ++i) lines.push_back("LB.SUBMIT lb m" + std::to_string(i) + " 1");
  lines.push_back("LB.INCR lb m1 5");
  lines.push_back("LB.SUBMIT lb m1 9223372036854775807");
  lines.push_back("LB.INCR lb m1 9223372036854775807");
  for (int i = 0; i < 7; ++i) lines.push_back("LB.SUBMIT over m 1");
  for (int i = 0; i < 50; ++i) lines.push_back("ZADD z " + std::to_string(i) + " m");
  for (int i = 0; i < 40; ++i) lines.push_back("ZINCRBY z 1 m");
  for (int i = 0; i < 45; ++i) lines.push_back("ZRANK z m");
  for (int i = 0; i < 33; ++i) lines.push_back("LB.GET lb m3");
  lines.push_back("LB.GET lb@day m3");
  const auto question = rig.BeginLines(&client, lines);
  std::uint64_t errors = 0;
  for (const Value& answer : question->Answers()) errors += answer.IsError() ? 1 : 0;
  EXPECT_EQ(errors, 9U);
  EXPECT_EQ(Outcomes(rig, CommandId::kLbSubmit), "101 7 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kLbIncr), "1 1 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kZAdd), "51 0 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kZIncrBy), "40 0 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kZRank), "45 0 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kLbGet), "33 1 0");
  EXPECT_EQ(Errors(rig, "CLOSED"), 7U);
  EXPECT_EQ(Errors(rig, "OVERFLOW"), 1U);
  EXPECT_EQ(Errors(rig, "NOBOARD"), 1U);
  // Every executed request has a time, in a run or alone.
  for (const CommandId id : {CommandId::kLbSubmit, CommandId::kZAdd, CommandId::kLbGet}) {
    EXPECT_EQ(Of(rig, id).times.count(), Of(rig, id).calls());
  }
}

TEST_F(CommandCounts, CountTheRequestsOfATransactionAndTheExec) {
  EngineRig rig(InMemory());
  TestClient client;
  const std::vector<std::string> lines = {"ZADD z 1 a", "ZADD z x a", "LB.TOP none 1"};
  rig.BeginLines(&client, lines, EngineRig::As::kTransaction)->Await();
  EXPECT_EQ(Outcomes(rig, CommandId::kExec), "1 0 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kZAdd), "1 1 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kLbTop), "0 1 0");
  TestPipeline aborted(&client);
  aborted.AddTransaction(std::vector<engine::Request>{}, "EXECABORT Transaction discarded");
  rig.Execute(&aborted);
  EXPECT_EQ(Outcomes(rig, CommandId::kExec), "1 1 0");
  EXPECT_EQ(Errors(rig, "EXECABORT"), 1U);
  // The engine's time has the requests of a transaction once, not again as their EXEC.
  EXPECT_EQ(rig.callbacks().commands().EngineTimes().count(), 3U);
}

TEST_F(CommandCounts, CountRequestsWithAnswersOfTheirOwnInTheSameWay) {
  EngineRig rig(InMemory());
  rig.Ask("LB.CREATE a");
  TestClient client;
  std::string out;
  std::deque<http::JsonAnswer> answers;
  const auto request_of = [&](TestPipeline* pipeline, CommandId id, Words words) {
    answers.emplace_back().Begin({.out = &out});
    engine::Request request;
    request.command = &wire::CommandOf(id);
    request.arguments = pipeline->Keep(std::move(words));
    request.answer = &answers.back();
    return request;
  };
  for (const char* board : {"a", "none", "a"}) {
    TestPipeline single(&client);
    single.requests.push_back(request_of(&single, CommandId::kLbTop, {"LB.TOP", board, "10"}));
    rig.Execute(&single);
  }
  EXPECT_EQ(Outcomes(rig, CommandId::kLbTop), "2 1 0");
  EXPECT_EQ(Errors(rig, "NOBOARD"), 1U);
  // Errors among the answers of a transaction are not errors of the EXEC.
  TestPipeline several(&client);
  several.AddTransaction({request_of(&several, CommandId::kLbSize, {"LB.SIZE", "a"}),
                          request_of(&several, CommandId::kLbSize, {"LB.SIZE", "none"}),
                          request_of(&several, CommandId::kLbTop, {"LB.TOP", "a", "1"})});
  answers.emplace_back().Begin({.out = &out});
  several.requests.back().answer = &answers.back();
  rig.Execute(&several);
  EXPECT_EQ(Outcomes(rig, CommandId::kLbSize), "1 1 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kLbTop), "3 1 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kExec), "1 0 0");
  EXPECT_EQ(Errors(rig, "NOBOARD"), 2U);
}

// A run executes requests of both protocols, and each gets its own answer.
TEST_F(CommandCounts, CountTheRequestsOfARunInBothProtocols) {
  EngineRig rig(InMemory());
  rig.Ask("LB.CREATE a");
  TestClient client;
  TestPipeline pipeline(&client);
  std::string out;
  std::deque<http::JsonAnswer> answers;
  std::deque<wire::BesideWords> beside;
  const wire::ScoreWords score{.first = 3, .count = 1};
  const auto add = [&](CommandId id, Words words, http::Shape shape, bool is_json) {
    engine::Request& request = pipeline.requests.emplace_back();
    request.command = &wire::CommandOf(id);
    request.arguments = pipeline.Keep(std::move(words));
    if (!is_json) return;
    answers.emplace_back().Begin({.shape = shape, .out = &out});
    request.answer = &answers.back();
    if (id == CommandId::kLbSubmit)
      request.beside = &beside.emplace_back(wire::BesideWords{.scores = {&score, 1}});
  };
  for (const char* value : {"5", "x", "7"}) {
    add(CommandId::kLbSubmit, {"LB.SUBMIT", "a", "m", value}, http::Shape::kVerdict, true);
    add(CommandId::kLbSubmit, {"LB.SUBMIT", "a", "n", value}, http::Shape::kVerdict, false);
  }
  for (const char* member : {"m", "none"}) {
    add(CommandId::kLbGet, {"LB.GET", "a", member}, http::Shape::kEntry, true);
  }
  rig.Execute(&pipeline);
  EXPECT_EQ(Outcomes(rig, CommandId::kLbSubmit), "4 2 0");
  EXPECT_EQ(Errors(rig, "BADSCORE"), 2U);
  EXPECT_EQ(Outcomes(rig, CommandId::kLbGet), "2 0 0");
  ASSERT_EQ(answers.size(), 5U);
  ASSERT_NE(answers[1].error(), nullptr);
  EXPECT_EQ(answers[1].error()->code, ErrorCode::kBadScore);
  EXPECT_EQ(answers[1].failed_word(), 3U);
  EXPECT_EQ(answers[3].absence(), nullptr);
  ASSERT_NE(answers[4].absence(), nullptr);
  EXPECT_EQ(answers[4].absence()->code, ErrorCode::kNoMember);
  EXPECT_NE(answers[3].version(), "");
  EXPECT_TRUE(out.ends_with(R"("count":2})")) << out;
}

TEST_F(CommandCounts, CountEachBoardOfOneWriteOnSeveralBoards) {
  EngineRig rig(InMemory());
  rig.Ask("LB.CREATE a");
  rig.Ask("LB.CREATE b");
  TestClient client;
  const auto submit = [&](const std::vector<std::string>& boards) {
    TestPipeline pipeline(&client);
    std::string out;
    std::deque<http::JsonAnswer> answers;
    const wire::ScoreWords score{.first = 4, .count = 1};
    const wire::BesideWords beside{.scores = {&score, 1}};
    std::vector<engine::Request> parts;
    for (const std::string& board : boards) {
      engine::Request& part = parts.emplace_back();
      part.command = &wire::CommandOf(CommandId::kLbMSubmit);
      part.arguments = pipeline.Keep({"LB.MSUBMIT", board, "1", "m", "5"});
      answers.emplace_back().Begin({.shape = http::Shape::kWritten, .out = &out});
      part.answer = &answers.back();
      part.beside = &beside;
    }
    engine::Transaction transaction;
    transaction.requests = parts;
    transaction.is_one_write = true;
    engine::Request& exec = pipeline.requests.emplace_back();
    exec.command = &wire::CommandOf(CommandId::kExec);
    exec.transaction = &transaction;
    answers.emplace_back().Begin({.out = &out});
    exec.answer = &answers.back();
    rig.Execute(&pipeline);
    pipeline.Await();
  };
  submit({"a", "b"});
  EXPECT_EQ(Outcomes(rig, CommandId::kLbMSubmit), "2 0 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kExec), "1 0 0");
  submit({"a", "none"});
  EXPECT_EQ(Outcomes(rig, CommandId::kLbMSubmit), "2 2 0");
  EXPECT_EQ(Outcomes(rig, CommandId::kExec), "1 1 0");
  EXPECT_EQ(Errors(rig, "NOBOARD"), 1U);
  client.access = engine::Access("guest", "a");
  submit({"a", "b"});
  EXPECT_EQ(Outcomes(rig, CommandId::kLbMSubmit), "2 2 2");
  EXPECT_EQ(Errors(rig, "NOPERM"), 1U);
}

TEST_F(CommandCounts, CountRefusalsForAccessAndMemoryAsRejected) {
  EngineRig rig(InMemory(/*max_memory_bytes=*/1));
  rig.Ask("ZADD z 1 a");
  EXPECT_EQ(Outcomes(rig, CommandId::kZAdd), "0 0 1");
  EXPECT_EQ(Errors(rig, "OOM"), 1U);
  TestClient guest;
  guest.access = engine::Access("guest", "guest:*");
  rig.BeginLines(&guest, {"ZCARD z", "ZCARD guest:z", "ZRANK z a"})->Await();
  EXPECT_EQ(Outcomes(rig, CommandId::kZCard), "1 0 1");
  EXPECT_EQ(Outcomes(rig, CommandId::kZRank), "0 0 1");
  EXPECT_EQ(Errors(rig, "NOPERM"), 2U);
  EXPECT_EQ(Of(rig, CommandId::kZRank).times.count(), 0U);
}

TEST_F(CommandCounts, CountARequestThatWaitsOnce) {
  EngineRig rig(InMemory());
  TestClient waiter;
  const auto waiting = rig.BeginLines(&waiter, {"BZPOPMIN z 0"});
  EXPECT_FALSE(waiting->answered());
  EXPECT_EQ(Outcomes(rig, CommandId::kBZPopMin), "1 0 0");
  rig.Ask("ZADD z 1 a");
  waiting->Await();
  EXPECT_EQ(Outcomes(rig, CommandId::kBZPopMin), "1 0 0");
  TestClient other;
  const auto cancelled = rig.BeginLines(&other, {"BZPOPMIN z 0"});
  EXPECT_TRUE(rig.engine().Cancel(cancelled.get(), engine::Wakeup::kError));
  EXPECT_EQ(Errors(rig, "UNBLOCKED"), 1U);
}

TEST_F(CommandCounts, CountRefusalsWhileLoadingAsRejected) {
  SimulatedFolder folder;
  TestClock clock;
  EngineRig rig(&folder, &clock);
  rig.Ask("ZADD z 1 a");  // before Start
  EXPECT_EQ(Outcomes(rig, CommandId::kZAdd), "0 0 1");
  EXPECT_EQ(Errors(rig, "LOADING"), 1U);
  rig.StartOrThrow();
  rig.Ask("ZADD z 1 a");
  EXPECT_EQ(Outcomes(rig, CommandId::kZAdd), "1 0 1");
}

TEST_F(CommandCounts, EveryPipelineWithAWriteHasADiskWaitUnderFsyncAlways) {
  SimulatedFolder folder;
  TestClock clock;
  EngineRig rig(&folder, &clock);
  rig.StartOrThrow();
  for (int i = 0; i < 5; ++i) rig.Ask("ZADD z " + std::to_string(i) + " a");
  rig.Ask("ZCARD z");
  const engine::Persistence disk = rig.engine().Measure().persistence;
  EXPECT_EQ(disk.disk_waits.count(), 5U);
  EXPECT_GE(disk.log.sync_times.count(), 5U);
}

TEST_F(CommandCounts, TotalsAreTheSameAfterARestart) {
  SimulatedFolder folder;
  TestClock clock;
  EngineRig rig(&folder, &clock);
  rig.StartOrThrow();
  rig.Ask("LB.CREATE lb POLICY best DEDUP 5");
  rig.Ask("LB.CREATE p PERIODS 2 day all");
  for (int i = 0; i < 200; ++i) {
    const std::string member = "m" + std::to_string(i);
    rig.Ask("LB.SUBMIT lb " + member + " 1 ID " + std::to_string(i));
    rig.Ask("LB.SUBMIT p " + member + " 1 ID " + std::to_string(i % 100));
    rig.Ask("ZADD z 1 " + member);
  }
  rig.Ask("ZREM z m1 m2");
  for (const bool snapshot : {false, true, false}) {
    const engine::Figures figures = rig.engine().Measure();
    EXPECT_EQ(figures.entries, 200U + 200U + 198U);
    EXPECT_EQ(figures.request_ids, 5U + 100U);
    rig.Restart(snapshot);
  }
}

TEST_F(CommandCounts, TotalsAreThoseOfAllBoards) {
  TestClock clock;
  EngineRig::Options options = InMemory();
  options.clock = &clock;
  options.shape.packed_entries = 8;
  options.shape.leaf_entries = 4;
  options.shape.inner_children = 4;
  EngineRig rig(options);
  rig.Ask("LB.CREATE lb POLICY best CAP 40 DEDUP 30");
  rig.Ask("LB.CREATE p POLICY best PERIODS 2 day all DEDUP 10");
  base::Random random(7);
  const auto member = [&] { return "m" + std::to_string(random.Below(60)); };
  const std::vector<std::string> names = {"z", "y", "lb", "p"};
  for (int i = 0; i < 4'000; ++i) {
    const std::string name = names[random.Below(names.size())];
    const std::string score = std::to_string(random.Below(100));
    switch (random.Below(12)) {
      case 0:
        rig.Ask("ZREM " + name + " " + member() + " " + member());
        break;
      case 1:
        rig.Ask("ZREMRANGEBYRANK " + name + " 3 " + std::to_string(random.Below(20)));
        break;
      case 2:
        if (random.OneIn(20)) rig.Ask("DEL " + name);
        break;
      case 3:
        if (random.OneIn(5)) rig.Ask("COPY z y REPLACE");
        if (random.OneIn(5)) rig.Ask("RENAME y z");
        if (random.OneIn(5)) rig.Ask("ZUNIONSTORE z 2 z y");
        break;
      case 4:
        rig.Ask("LB.SUBMIT lb " + member() + " " + score + " ID " + std::to_string(i));
        break;
      case 5:
        rig.Ask("LB.SUBMIT p " + member() + " " + score + " ID " + std::to_string(i));
        break;
      case 6:
        rig.Ask((random.OneIn(2) ? "LB.HIDE lb " : "LB.SHOW lb ") + member());
        break;
      default:
        rig.Ask("ZADD " + name + " " + score + " " + member());
        break;
    }
    const engine::Figures figures = rig.engine().Measure();
    std::uint64_t entries = 0;
    for (const char* board : {"z", "y", "lb", "p@day", "p@all"}) {
      entries += static_cast<std::uint64_t>(rig.Ask("ZCARD " + std::string(board)).Integer());
    }
    ASSERT_EQ(figures.entries, entries) << "step " << i;
    ASSERT_LE(figures.request_ids, 40U);
  }
  EXPECT_EQ(rig.engine().Measure().request_ids, 40U);
  rig.Ask("LB.DROP p");
  EXPECT_EQ(rig.engine().Measure().request_ids, 30U);
  rig.Ask("FLUSHALL");
  EXPECT_EQ(rig.engine().Measure().entries, 0U);
  EXPECT_EQ(rig.engine().Measure().request_ids, 0U);
}

}  // namespace
}  // namespace laurel::testing
