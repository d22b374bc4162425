#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/histogram.h"
#include "server/figures/figures.h"
#include "wire/command_table.h"

namespace laurel::server {
namespace {

class Figures : public ::testing::Test {
 protected:
  [[nodiscard]] std::string Json(const engine::Access& access = {}) const {
    return FiguresJson(figures_,
                       {.config = config_,
                        .counters = counters_,
                        .commands = commands_,
                        .cpu_us = 12,
                        .now_us = 1'700'000'000'000'001},
                       access);
  }
  // Whether the text has the part.
  [[nodiscard]] bool Shows(std::string_view part, const engine::Access& access = {}) const {
    return Json(access).find(part) != std::string::npos;
  }

  Config config_;
  engine::Figures figures_;
  Counters counters_;
  engine::CommandCounters commands_;
};

TEST_F(Figures, HaveTheClockTheTotalsAndTheCpuTime) {
  counters_.commands = 7;
  commands_.NoteError("NOBOARD no board 'x'", 2);
  commands_.NoteError("ERR syntax error");
  figures_.stamp_lead_us = 5;
  EXPECT_TRUE(Shows(R"("time":"2023-11-14T22:13:20.000001Z","stamp_lead_us":5,)"));
  EXPECT_TRUE(Shows(R"("commands_total":7,"errors_total":3,"cpu_us":12,)"));
}

TEST_F(Figures, TimesHaveOneBucketMoreThanBounds) {
  figures_.persistence.log.sync_times.Record(2);
  figures_.persistence.log.sync_times.Record(3, 4);
  figures_.persistence.log.sync_times.Record(20'000'000);
  EXPECT_TRUE(Shows(R"("fsync_times":{"count":6,"total_us":20000014,"p50_us":5,)"));
  EXPECT_TRUE(Shows(
      R"("bounds_us":[1,2,5,10,20,50,100,200,500,1000,2000,5000,10000,20000,50000,100000,200000,)"
      R"(500000,1000000,2000000,5000000,10000000],)"
      R"("buckets":[0,1,4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]})"));
}

TEST_F(Figures, TroubleOfTheDiskIsShownInFullToClientsOfAllBoardsOnly) {
  EXPECT_TRUE(Shows(R"("writes":true,"trouble":null,)"));
  figures_.persistence.trouble = "/srv/laurel/log: no space";
  EXPECT_TRUE(Shows(R"("writes":false,"trouble":"/srv/laurel/log: no space",)"));
  const engine::Access some("name", "rank:*");
  EXPECT_FALSE(Shows("/srv/laurel", some));
  EXPECT_TRUE(Shows(R"("writes":false,"trouble":"the log of the server says why",)", some));
}

}  // namespace
}  // namespace laurel::server
