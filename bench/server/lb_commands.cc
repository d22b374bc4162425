#include "bench/server/lb_commands.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "bench/server/top_changer.h"

namespace laurel::bench {
namespace {

constexpr char kBoard[] = "lb";
constexpr char kPeriodsBoard[] = "lb_periods_3";
constexpr int kPipeline = 32;

std::string RandomMember() { return std::string("gamer:") + kRandom; }

// Returns an id about as long as a UUID. With fewer random numbers, ids would repeat while the
// board remembers them.
std::string RandomId() { return std::string(kRun) + ":" + kRandom + kRandom + kRandom; }

struct Row {
  std::string name;
  Command command;
  std::string rival{};  // another row of the heat; empty: this row is only a rival
  std::optional<double> bar{};
  bool resp3 = false;
};

// Rows that are compared, and therefore run alternately.
struct Heat {
  std::vector<Row> rows;
  bool top_changes = false;
};

std::vector<Heat> Heats() {
  const std::string member = RandomMember();
  const std::string id = RandomId();
  return {
      {{{"zrevrank", {"ZREVRANK", kBoard, member}},
        {"lb_get", {"LB.GET", kBoard, member}, "zrevrank", 1.6}}},
      {{{"lb_top_11", {"LB.TOP", kBoard, "11"}},
        {"lb_around_5", {"LB.AROUND", kBoard, member, "5"}, "lb_top_11", 1.5}}},
      {{{"zrevrange", {"ZREVRANGE", kBoard, "0", "9", "WITHSCORES"}},
        {"lb_top_10", {"LB.TOP", kBoard, "10"}, "zrevrange", 2.0},
        {"lb_top_10_resp3", {"LB.TOP", kBoard, "10"}, "zrevrange", std::nullopt, true}},
       true},
      {{{"zadd", {"ZADD", kBoard, kRandom, member}},
        {"lb_submit", {"LB.SUBMIT", kBoard, member, kRandom}, "zadd", 1.4},
        {"lb_set", {"LB.SET", kBoard, member, kRandom}, "zadd", 1.4},
        {"lb_submit_id", {"LB.SUBMIT", kBoard, member, kRandom, "ID", id}, "zadd", 2.0},
        {"lb_set_id", {"LB.SET", kBoard, member, kRandom, "ID", id}, "zadd", 2.0},
        {"lb_submit_periods_3", {"LB.SUBMIT", kPeriodsBoard, member, kRandom}, "lb_submit", 3.3}}},
      // Increments come last, because they spread the scores.
      {{{"zincrby", {"ZINCRBY", kBoard, kRandom, member}},
        {"lb_incr", {"LB.INCR", kBoard, member, kRandom}, "zincrby", 1.4},
        {"lb_incr_id", {"LB.INCR", kBoard, member, kRandom, "ID", id}, "zincrby", 2.0}}},
  };
}

std::size_t IndexOf(const Heat& heat, const std::string& name) {
  const auto at = std::find_if(heat.rows.begin(), heat.rows.end(),
                               [&](const Row& row) { return row.name == name; });
  return static_cast<std::size_t>(at - heat.rows.begin());
}

void RunHeat(const Target& server, const Heat& heat, const LbOptions& options, Report* report) {
  std::vector<Contestant> contestants;
  for (const Row& row : heat.rows) {
    contestants.push_back(
        {server, {row.command, kPipeline, options.members, options.client_threads, row.resp3}});
  }
  std::optional<TopChanger> changer;
  if (heat.top_changes) changer.emplace(server, kBoard, options.members);
  const std::vector<LoadResult> results = Alternate(contestants, options.contest);
  std::optional<Detail> changes;
  if (changer) changes = Detail{"changes of the top k/s", changer->ChangesPerSecond() / 1000};
  for (std::size_t i = 0; i < heat.rows.size(); ++i) {
    const Row& row = heat.rows[i];
    if (row.rival.empty()) continue;
    const LoadResult& rival = results[IndexOf(heat, row.rival)];
    std::optional<Bar> bar;
    if (row.bar) bar = AtMost(*row.bar);
    Figure figure = CpuFigure(row.name + "/" + row.rival, {results[i], rival}, bar);
    if (changes) figure.details.push_back(*changes);
    report->Add(figure);
  }
}

}  // namespace

void MeasureLbCommands(const Target& server, const LbOptions& options, Report* report) {
  std::printf("\nLB commands: server CPU per request, pipeline %d, rival another command\n",
              kPipeline);
  Connection connection(server);
  connection.Ask({"LB.CREATE", kBoard});
  connection.Ask({"LB.CREATE", kPeriodsBoard, "PERIODS", "3", "week", "month", "all"});
  FillBoard(server, kBoard, options.members);
  FillBoard(server, kPeriodsBoard, options.members);
  for (const Heat& heat : Heats()) RunHeat(server, heat, options, report);
}

}  // namespace laurel::bench
