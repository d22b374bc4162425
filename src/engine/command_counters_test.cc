#include "engine/command_counters.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/histogram.h"
#include "laurel/result.h"
#include "wire/command_table.h"

namespace laurel::engine {
namespace {

using wire::CommandId;

std::uint64_t CountOf(const ErrorFigures& errors, std::string_view code) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (kCountedErrors[i] == code) return errors[i];
  }
  return UINT64_MAX;
}

TEST(CommandCounters, AddOutcomesAndTimesOfEachCommand) {
  CommandCounters counters;
  counters.NoteExecuted(CommandId::kZAdd, 30, 2, 65);  // 2 µs each
  counters.NoteExecuted(CommandId::kZAdd, 0, 1, 7);
  counters.NoteRejected(CommandId::kZAdd);
  counters.NoteFailed(CommandId::kZAdd);
  counters.NoteQuick(CommandId::kPing, 4);
  counters.NoteAnswered(CommandId::kInfo, true, 80);
  counters.NoteAnswered(CommandId::kInfo, false, 20);
  const CommandFigures add = counters.Figures(CommandId::kZAdd);
  EXPECT_EQ(add.ok, 30U);
  EXPECT_EQ(add.failed, 4U);
  EXPECT_EQ(add.rejected, 1U);
  EXPECT_EQ(add.calls(), 34U);
  EXPECT_EQ(add.times.total_us(), 72);
  EXPECT_EQ(add.times.counts()[base::Histogram::BucketOf(2)], 32U);
  EXPECT_EQ(add.times.counts()[base::Histogram::BucketOf(7)], 1U);
  EXPECT_EQ(add.times.count(), 33U);
  const CommandFigures ping = counters.Figures(CommandId::kPing);
  EXPECT_EQ(ping.ok, 4U);
  EXPECT_EQ(ping.times.count(), 0U);
  const CommandFigures info = counters.Figures(CommandId::kInfo);
  EXPECT_EQ(info.ok, 1U);
  EXPECT_EQ(info.failed, 1U);
  EXPECT_EQ(info.times.total_us(), 100);
  EXPECT_EQ(counters.Figures(CommandId::kZRem).calls(), 0U);
}

TEST(CommandCounters, CountErrorsByCode) {
  CommandCounters counters;
  counters.NoteError("WRONGTYPE Operation against a key\r\n");
  counters.NoteError("NOBOARD", 3);
  counters.NoteError("ERR syntax error");
  counters.NoteError("NEWCODE of a later version");
  counters.NoteError("");
  const ErrorFigures errors = counters.Errors();
  EXPECT_EQ(CountOf(errors, "WRONGTYPE"), 1U);
  EXPECT_EQ(CountOf(errors, "NOBOARD"), 3U);
  EXPECT_EQ(CountOf(errors, "ERR"), 3U);
  EXPECT_EQ(CountOf(errors, "OOM"), 0U);
}

TEST(CommandCounters, KnowTheNameOfEveryErrorCode) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kUnknown); ++code) {
    CommandCounters counters;
    const std::string name(ErrorName(static_cast<ErrorCode>(code)));
    counters.NoteError(name + " text");
    EXPECT_EQ(CountOf(counters.Errors(), name), 1U) << name;
  }
}

TEST(CommandCounters, ResetStartsASecondCountAndKeepsTheFirst) {
  CommandCounters counters;
  counters.NoteExecuted(CommandId::kZAdd, 10, 1, 30);
  counters.NoteRejected(CommandId::kZAdd);
  counters.NoteError("ERR", 2);
  EXPECT_EQ(counters.FiguresSinceReset(CommandId::kZAdd).calls(), 11U);
  for (int round = 0; round < 2; ++round) {
    counters.Reset();
    EXPECT_EQ(counters.FiguresSinceReset(CommandId::kZAdd).calls(), 0U);
    EXPECT_EQ(counters.FiguresSinceReset(CommandId::kZAdd).rejected, 0U);
    EXPECT_EQ(counters.FiguresSinceReset(CommandId::kZAdd).times.count(), 0U);
    EXPECT_EQ(CountOf(counters.ErrorsSinceReset(), "ERR"), 0U);
    counters.NoteExecuted(CommandId::kZAdd, 3, 0, 6);
    counters.NoteError("ERR");
    EXPECT_EQ(counters.FiguresSinceReset(CommandId::kZAdd).ok, 3U);
    EXPECT_EQ(counters.FiguresSinceReset(CommandId::kZAdd).times.total_us(), 6);
    EXPECT_EQ(CountOf(counters.ErrorsSinceReset(), "ERR"), 1U);
  }
  EXPECT_EQ(counters.Figures(CommandId::kZAdd).ok, 16U);
  EXPECT_EQ(CountOf(counters.Errors(), "ERR"), 4U);
}

TEST(CommandCounters, EngineTimesAreThoseOfTheEnginesCommandsWithoutExec) {
  CommandCounters counters;
  counters.NoteExecuted(CommandId::kZAdd, 2, 0, 10);
  counters.NoteExecuted(CommandId::kLbTop, 0, 1, 100);
  counters.NoteExecuted(CommandId::kExec, 1, 0, 1'000);
  counters.NoteAnswered(CommandId::kInfo, true, 10'000);
  EXPECT_EQ(counters.EngineTimes().count(), 3U);
  EXPECT_EQ(counters.EngineTimes().total_us(), 110);
}

TEST(CommandCounters, LoseNothingThatSeveralThreadsCount) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  CommandCounters counters;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&counters] {
      for (int round = 0; round < kRounds; ++round) {
        counters.NoteAnswered(CommandId::kInfo, round % 2 == 0, 1);
        counters.NoteQuick(CommandId::kPing, 2);
        counters.NoteRejected(CommandId::kZAdd);
        counters.NoteFailed(CommandId::kExec);
        counters.NoteError("NOAUTH");
        if (round % 1'000 == 0) counters.Reset();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr std::uint64_t kAll = std::uint64_t{kThreads} * kRounds;
  EXPECT_EQ(counters.Figures(CommandId::kInfo).calls(), kAll);
  EXPECT_EQ(counters.Figures(CommandId::kInfo).times.count(), kAll);
  EXPECT_EQ(counters.Figures(CommandId::kPing).ok, 2 * kAll);
  EXPECT_EQ(counters.Figures(CommandId::kZAdd).rejected, kAll);
  EXPECT_EQ(counters.Figures(CommandId::kExec).failed, kAll);
  EXPECT_EQ(CountOf(counters.Errors(), "NOAUTH"), kAll);
}

}  // namespace
}  // namespace laurel::engine
