#include "cli/demo_boards.h"

#include <array>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "wire/command_table.h"

namespace laurel::cli {
namespace {

// A pipeline for commands that the program itself gives.
class OwnPipeline : public engine::Pipeline {
 public:
  OwnPipeline() : Pipeline(&client_) {}
  void Done() override { done_ = true; }
  void Blocked(std::int64_t /*deadline_ms*/) override {}
  [[nodiscard]] bool done() const { return done_; }

 private:
  engine::Client client_;
  bool done_ = false;
};

void Give(engine::Engine* engine, const std::vector<std::string_view>& arguments) {
  OwnPipeline pipeline;
  const wire::Lookup found = wire::LookUp(arguments);
  LAUREL_ASSERT(found.command != nullptr);
  pipeline.requests.push_back({found.command, wire::Protocol::kResp2, arguments});
  engine::Pipeline* pipelines[] = {&pipeline};
  engine->Execute(pipelines);
  LAUREL_ASSERT(pipeline.done() && !pipeline.replies.starts_with('-'));
}

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
}

std::string DemoHint(std::uint16_t port) {
  const std::string cli = "  redis-cli -p " + std::to_string(port) + " ";
  return "Two leaderboards are there: `run` keeps each member's best, `race` orders by laps, then "
         "by time. Try:\n" +
         cli + "ZREVRANGE run 0 -1 WITHSCORES    ann was first to reach 1200, so ann leads bob\n" +
         cli + "ZADD run 1200 eve                 equal to ann and bob, but later\n" + cli +
         "-3 LB.SUBMIT run cy 7            not cy's best: nothing changes\n" + cli +
         "-3 LB.TOP race 3 KIND dense\n" + cli +
         "ZADD weekly 10 ann               a new key is a sorted set, as in Redis\n"
         "Ctrl-C stops it; what was written is gone then.";
}

}  // namespace laurel::cli
