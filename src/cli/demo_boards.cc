#include "cli/demo_boards.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "base/thread.h"
#include "engine/awaited_pipeline.h"
#include "server/http/console_assets.h"
#include "wire/command_table.h"

namespace laurel::cli {
namespace {

constexpr std::int64_t kHourUs = std::int64_t{3600} * 1'000'000;
constexpr std::int64_t kDayUs = 24 * kHourUs;
constexpr std::int64_t kTrafficPauseUs = 250'000;
constexpr std::uint64_t kEventShare = 4;  // one of this many submits goes to `event`

// The members of `run`, `race` and `arena`.
constexpr std::array<std::string_view, 24> kPlayers = {
    "ann", "bob",   "cy",   "dora", "eve",   "finn", "gus",  "hana",
    "ivo", "june",  "kai",  "lena", "小明",  "max",  "nina", "oscar",
    "pia", "quinn", "ravi", "sara", "tomás", "uma",  "vera", "阿花"};

// Each pair of these names is a member of `event`: 300.
constexpr std::array<std::string_view, 20> kFirstNames = {
    "Amber", "Brave", "Calm",  "Daring", "Eager", "Fierce", "Gentle", "Happy", "Icy",   "Jolly",
    "Keen",  "Lucky", "Merry", "Noble",  "Odd",   "Proud",  "Quick",  "Royal", "Swift", "Tiny"};
constexpr std::array<std::string_view, 15> kLastNames = {
    "Badger", "Crane", "Dragon", "Falcon", "Fox",   "Heron", "Koala", "Lynx",
    "Otter",  "Panda", "Raven",  "Seal",   "Tapir", "Wolf",  "Yak"};
// One of ten members of `event` has one of these names instead.
constexpr std::array<std::string_view, 10> kChineseNames = {"晓雨", "子轩", "欣怡", "浩然", "梓涵",
                                                            "一诺", "宇航", "思源", "雨桐", "明远"};
constexpr std::size_t kEventMembers = kFirstNames.size() * kLastNames.size();

constexpr std::string_view kContents =
    "Four leaderboards are there: `run` keeps each member's best, `race` orders by laps, then by\n"
    "time, `arena`, with a board per day, gets points all the time, and `event` has 300 members\n"
    "and an end. `weekly-zset` is a sorted set.";

using Words = std::vector<std::string>;

// Gives all commands to the engine at once, so that they share one write to the disk, and waits.
// Ignores refusals: `event` takes no submits after its end.
void Give(engine::Engine* engine, const std::vector<Words>& commands) {
  engine::Client client;
  engine::AwaitedPipeline pipeline(&client);
  std::vector<std::vector<std::string_view>> arguments;
  for (const Words& words : commands) arguments.emplace_back(words.begin(), words.end());
  for (const std::vector<std::string_view>& words : arguments) {
    const wire::Lookup found = wire::LookUp(words);
    LAUREL_ASSERT(found.command != nullptr);
    pipeline.requests.push_back({found.command, wire::Protocol::kResp2, words});
  }
  engine::Pipeline* pipelines[] = {&pipeline};
  engine->Execute(pipelines);
  pipeline.Await();
}

std::string Time(Stamp stamp) { return std::to_string(stamp) + "us"; }

// Returns a member such as "swift-otter".
std::string EventMember(std::size_t index) {
  std::string member(kFirstNames[index % kFirstNames.size()]);
  member.append("-").append(kLastNames[index / kFirstNames.size()]);
  return base::Lower(member);
}

// Returns meta such as {"name":"Swift Otter"}.
std::string EventMeta(std::size_t index) {
  std::string name;
  if (index % kChineseNames.size() == 0) {
    const std::size_t number = index / kChineseNames.size();
    name = std::string(kChineseNames[number % kChineseNames.size()]) + std::to_string(number + 1);
  } else {
    name.append(kFirstNames[index % kFirstNames.size()]).append(" ");
    name.append(kLastNames[index / kFirstNames.size()]);
  }
  return "{\"name\":\"" + name + "\"}";
}

// Sums several draws, because real scores are bell-shaped. Steps of 10 create ties.
std::string EventScore(base::Random* random) {
  std::uint64_t score = 100;
  for (int i = 0; i < 4; ++i) score += random->Below(250);
  return std::to_string(10 * score);
}

void AddRunAndRace(std::vector<Words>* commands) {
  commands->push_back({"LB.CREATE", "run", "POLICY", "best"});
  constexpr std::array<std::array<std::string_view, 2>, 6> kRun = {{{"ann", "1200"},
                                                                    {"bob", "1200"},
                                                                    {"cy", "950"},
                                                                    {"小明", "880"},
                                                                    {"dora", "880"},
                                                                    {"eve", "415"}}};
  for (const auto& [member, score] : kRun) {
    commands->push_back(
        {"LB.SUBMIT", "run", std::string(member), std::string(score), "META", "{\"demo\":true}"});
  }
  commands->push_back({"LB.CREATE", "race", "FIELDS", "2", "laps:int:desc", "time:decimal3:asc"});
  commands->push_back({"LB.SUBMIT", "race", "ann", "12", "61.502"});
  commands->push_back({"LB.SUBMIT", "race", "bob", "12", "61.498"});
  commands->push_back({"LB.SUBMIT", "race", "cy", "11", "58.000"});
}

void AddArena(Stamp now, base::Random* random, std::vector<Words>* commands) {
  commands->push_back({"LB.CREATE", "arena", "POLICY", "sum", "PERIODS", "2", "day", "all"});
  // The previous day is closed, so all stamps are from today, up to six hours ago.
  const std::int64_t reach_us = std::min(now % kDayUs, 6 * kHourUs);
  for (std::size_t i = 0; i < 3 * kPlayers.size(); ++i) {
    const auto ago = reach_us - reach_us * static_cast<std::int64_t>(i) /
                                    static_cast<std::int64_t>(3 * kPlayers.size());
    commands->push_back({"LB.SUBMIT", "arena", std::string(kPlayers[i % kPlayers.size()]),
                         std::to_string(50 + random->Below(450)), "AT", Time(now - ago)});
  }
}

void AddEvent(Stamp now, base::Random* random, std::vector<Words>* commands) {
  const Stamp start = now - 2 * kDayUs;
  commands->push_back({"LB.CREATE", "event", "POLICY", "best", "CAP", "1000", "START", Time(start),
                       "END", Time(now + 2 * kDayUs)});
  for (std::size_t i = 0; i < kEventMembers; ++i) {
    const Stamp at = start + static_cast<Stamp>(random->Below(2 * kDayUs));
    commands->push_back({"LB.SUBMIT", "event", EventMember(i), EventScore(random), "AT", Time(at),
                         "META", EventMeta(i)});
  }
}

void AddSortedSet(base::Random* random, std::vector<Words>* commands) {
  Words add = {"ZADD", "weekly-zset"};
  for (const std::string_view player : kPlayers) {
    add.push_back(std::to_string(random->Below(1000)));
    add.emplace_back(player);
  }
  commands->push_back(std::move(add));
}

}  // namespace

void FillDemoBoards(engine::Engine* engine, Stamp now) {
  base::Random random(1);  // the same boards at every start
  std::vector<Words> commands;
  AddRunAndRace(&commands);
  AddArena(now, &random, &commands);
  AddEvent(now, &random, &commands);
  AddSortedSet(&random, &commands);
  Give(engine, commands);
}

DemoTraffic::DemoTraffic(engine::Engine* engine) {
  // If the thread cannot start, the boards stay unchanged.
  Result<std::thread> started = base::StartThread([this, engine] { Run(engine); });
  if (started.ok()) thread_ = std::move(*started);
}

DemoTraffic::~DemoTraffic() {
  {
    const base::MutexLock lock(mutex_);
    stops_ = true;
    changed_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
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
    if (random.OneIn(kEventShare)) {
      const std::string member = EventMember(random.Below(kEventMembers));
      Give(engine, {{"LB.SUBMIT", "event", member, EventScore(&random)}});
    } else {
      const std::string player(kPlayers[random.Below(kPlayers.size())]);
      Give(engine, {{"LB.SUBMIT", "arena", player, std::to_string(1 + random.Below(50))}});
    }
  }
}

std::string DemoHelp() {
  return "usage: laurel demo [OPTION…]\n\n"
         "Serves sample boards to look at, on the ports of laurel serve.\n\n" +
         std::string(kContents) +
         "\n\n"
         "The data is in a temporary folder. When the demo ends, it removes the folder with all "
         "that\n"
         "was written.\n\n"
         "It takes the options of laurel serve except --data: laurel serve --help\n";
}

std::string DemoHint(std::uint16_t port, std::uint16_t http_port) {
  const std::string cli = "  redis-cli -p " + std::to_string(port) + " ";
  const std::string http = "http://127.0.0.1:" + std::to_string(http_port) + "/";
  std::string hint;
  if (http_port != 0 && !server::ConsoleAssets().empty()) hint = "Console: " + http + "\n";
  hint += std::string(kContents) + " Try:\n" + cli +
          "ZREVRANGE run 0 -1 WITHSCORES    ann was first to reach 1200, so ann leads bob\n" + cli +
          "ZADD run 1200 eve                 equal to ann and bob, but later\n" + cli +
          "-3 LB.SUBMIT run cy 7            not cy's best: nothing changes\n" + cli +
          "-3 LB.TOP race 3 KIND dense\n" + cli +
          "ZADD weekly 10 ann               a new key is a sorted set, as in Redis\n";
  if (http_port != 0) {
    const std::string url = http + "v1/boards/arena";
    hint += "  curl '" + url + "/entries?limit=3'\n  curl -N '" + url +
            "/live?top=3'      the top while it changes\n";
  }
  return hint + "Ctrl-C stops it; what was written is gone then.";
}

}  // namespace laurel::cli
