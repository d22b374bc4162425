#include "cli/demo_boards.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/clock.h"
#include "base/random.h"
#include "engine/awaited_pipeline.h"
#include "wire/command_table.h"

namespace laurel::cli {
namespace {

void Give(engine::Engine* engine, const std::vector<std::string_view>& arguments) {
  engine::Client client;
  engine::AwaitedPipeline pipeline(&client);
  const wire::Lookup found = wire::LookUp(arguments);
  LAUREL_ASSERT(found.command != nullptr);
  pipeline.requests.push_back({found.command, wire::Protocol::kResp2, arguments});
  engine::Pipeline* pipelines[] = {&pipeline};
  engine->Execute(pipelines);
  pipeline.Await();
}

constexpr std::int64_t kTrafficPauseUs = 250'000;
constexpr std::array<std::string_view, 24> kPlayers = {
    "ann", "bob",   "cy",   "dora", "eve",   "finn", "gus",  "hana",
    "ivo", "june",  "kai",  "lena", "小明",  "max",  "nina", "oscar",
    "pia", "quinn", "ravi", "sara", "tomás", "uma",  "vera", "阿花"};

}  // namespace

void FillDemoBoards(engine::Engine* engine) {
  Give(engine, {"LB.CREATE", "run", "POLICY", "best"});
  constexpr std::array<std::array<std::string_view, 2>, 6> kRun = {{{"ann", "1200"},
                                                                    {"bob", "1200"},
                                                                    {"cy", "950"},
                                                                    {"小明", "880"},
                                                                    {"dora", "880"},
                                                                    {"eve", "415"}}};
  for (const auto& [member, score] : kRun) {
    Give(engine, {"LB.SUBMIT", "run", member, score, "META", "{\"demo\":true}"});
  }
  Give(engine, {"LB.CREATE", "race", "FIELDS", "2", "laps:int:desc", "time:decimal3:asc"});
  Give(engine, {"LB.SUBMIT", "race", "ann", "12", "61.502"});
  Give(engine, {"LB.SUBMIT", "race", "bob", "12", "61.498"});
  Give(engine, {"LB.SUBMIT", "race", "cy", "11", "58.000"});
  Give(engine, {"LB.CREATE", "arena", "POLICY", "sum", "PERIODS", "2", "day", "all"});
}

DemoTraffic::DemoTraffic(engine::Engine* engine) : thread_([this, engine] { Run(engine); }) {}

DemoTraffic::~DemoTraffic() {
  {
    const base::MutexLock lock(mutex_);
    stops_ = true;
    changed_.NotifyOne();
  }
  thread_.join();
}

void DemoTraffic::Run(engine::Engine* engine) {
  base::Random random(base::SystemEntropy());
  while (true) {
    {
      const base::MutexLock lock(mutex_);
      const std::int64_t until_us = base::MonotonicMicros() + kTrafficPauseUs;
      while (!stops_ && changed_.WaitUntil(mutex_, until_us)) continue;
      if (stops_) return;
    }
    const std::string points = std::to_string(1 + random.Next() % 50);
    Give(engine, {"LB.SUBMIT", "arena", kPlayers[random.Next() % kPlayers.size()], points});
  }
}

std::string DemoHint(std::uint16_t port, std::uint16_t http_port) {
  const std::string cli = "  redis-cli -p " + std::to_string(port) + " ";
  std::string hint =
      "Three leaderboards are there: `run` keeps each member's best, `race` orders by laps, then "
      "by time, and `arena`, with a board per day, gets points all the time. Try:\n" +
      cli + "ZREVRANGE run 0 -1 WITHSCORES    ann was first to reach 1200, so ann leads bob\n" +
      cli + "ZADD run 1200 eve                 equal to ann and bob, but later\n" + cli +
      "-3 LB.SUBMIT run cy 7            not cy's best: nothing changes\n" + cli +
      "-3 LB.TOP race 3 KIND dense\n" + cli +
      "ZADD weekly 10 ann               a new key is a sorted set, as in Redis\n";
  if (http_port != 0) {
    const std::string url = "http://127.0.0.1:" + std::to_string(http_port) + "/v1/boards/arena";
    hint += "  curl '" + url + "/entries?limit=3'\n  curl -N '" + url +
            "/live?top=3'      the top while it changes\n";
  }
  return hint + "Ctrl-C stops it; what was written is gone then.";
}

}  // namespace laurel::cli
