// INFO commandstats, errorstats and latencystats: the counts of redis-server for the same requests.
#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/process.h"
#include "server/resp_client.h"

namespace laurel::black_box {
namespace {

// The lines of an INFO section in alphabetical order, without its title and without times.
std::multiset<std::string> Lines(RespClient* client, const std::string& section) {
  std::istringstream text(client->Command({"INFO", section}).text);
  std::multiset<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('#') || line == "\r") continue;
    lines.insert(std::regex_replace(line, std::regex("usec=[0-9]+,usec_per_call=[0-9.]+,"), ""));
  }
  return lines;
}

// Requests with all outcomes.
const std::vector<Arguments>& Script() {
  static const std::vector<Arguments> script = {
      {"CONFIG", "RESETSTAT"},
      {"PING"},
      {"PING"},
      {"PING", "a", "b"},
      {"ECHO", "x"},
      {"ZADD", "k", "1", "a"},
      {"ZADD", "k", "x", "a"},
      {"ZADD", "k", "NX", "XX", "1", "a"},
      {"ZADD", "k"},
      {"zadd", "k", "2", "a"},
      {"ZRANK", "k", "a"},
      {"ZRANK", "none", "a"},
      {"GET", "k"},
      {"NOSUCHCOMMAND", "x"},
      {"CLIENT", "NOSUCHSUBCOMMAND"},
      {"CLIENT", "GETNAME"},
      {"CLIENT", "SETNAME", "a b"},
      {"CONFIG"},
      {"CONFIG", "GET"},
      {"CONFIG", "GET", "maxmemory"},
      {"SELECT", "99"},
      {"AUTH", "someone", "wrong"},
      {"BZPOPMIN", "k", "0"},
      {"BZPOPMIN", "none", "0.01"},
      // Transactions: executed, aborted by a request, with errors inside and of their own.
      {"MULTI"},
      {"ZADD", "k", "1", "b"},
      {"GET", "k"},
      {"PING"},
      {"ZADD", "k", "x", "b"},
      {"CLIENT", "GETNAME"},
      {"EXEC"},
      {"MULTI"},
      {"ZADD", "k"},
      {"EXEC"},
      {"EXEC"},
      {"DISCARD"},
      {"MULTI"},
      {"MULTI"},
      {"WATCH", "k"},
      {"DISCARD"},
      {"WATCH", "k"},
      {"UNWATCH"},
      {"MULTI"},
      {"SHUTDOWN"},
      {"EXEC"},
      {"DEL", "k"},
  };
  return script;
}

TEST(CommandStats, AreThoseOfRedisForTheSameRequests) {
  ServerProcess redis = ServerProcess::Redis();
  ServerProcess laurel = ServerProcess::Laurel();
  RespClient theirs(redis.port());
  RespClient ours(laurel.port());
  for (const Arguments& request : Script()) {
    EXPECT_EQ(ours.Command(request).IsError(), theirs.Command(request).IsError()) << request[0];
  }
  EXPECT_EQ(Lines(&ours, "errorstats"), Lines(&theirs, "errorstats"));
  // Both servers have counted one INFO by now.
  EXPECT_EQ(Lines(&ours, "commandstats"), Lines(&theirs, "commandstats"));
}

TEST(CommandStats, AreInTheSectionsThatRedisShows) {
  ServerProcess redis = ServerProcess::Redis();
  ServerProcess laurel = ServerProcess::Laurel();
  RespClient theirs(redis.port());
  RespClient ours(laurel.port());
  const auto has = [](RespClient* client, const Arguments& request, const std::string& title) {
    return client->Command(request).text.find("# " + title + "\r\n") != std::string::npos;
  };
  for (const char* title : {"Commandstats", "Errorstats", "Latencystats"}) {
    for (const char* word : {"all", "everything", "default", "commandstats", "errorstats",
                             "latencystats", "LATENCYSTATS", "stats"}) {
      EXPECT_EQ(has(&ours, {"INFO", word}, title), has(&theirs, {"INFO", word}, title))
          << title << " in INFO " << word;
    }
    EXPECT_EQ(has(&ours, {"INFO"}, title), has(&theirs, {"INFO"}, title)) << title;
  }
}

TEST(CommandStats, CountPipelines) {
  ServerProcess laurel = ServerProcess::Laurel();
  RespClient client(laurel.port());
  client.Ask({"CONFIG", "RESETSTAT"});
  std::string requests;
  for (int i = 0; i < 3'000; ++i) {
    requests += Encoded({"ZADD", "z", std::to_string(i), "m" + std::to_string(i % 100)});
    if (i % 3 == 0) requests += Encoded({"PING"});
    if (i % 10 == 0) requests += Encoded({"ZADD", "z"});
    if (i % 100 == 0) requests += Encoded({"ECHO", "x"});
  }
  client.SendRaw(requests);
  for (int i = 0; i < 3'000 + 1'000 + 300 + 30; ++i) client.ReadReply();
  const std::multiset<std::string> lines = Lines(&client, "commandstats");
  const auto is_counted = [&](const std::string& line) { return lines.count(line + "\r") == 1; };
  EXPECT_TRUE(is_counted("cmdstat_zadd:calls=3000,rejected_calls=300,failed_calls=0"));
  EXPECT_TRUE(is_counted("cmdstat_ping:calls=1000,rejected_calls=0,failed_calls=0"));
  EXPECT_TRUE(is_counted("cmdstat_echo:calls=30,rejected_calls=0,failed_calls=0"));
  EXPECT_TRUE(is_counted("cmdstat_config|resetstat:calls=1,rejected_calls=0,failed_calls=0"));
}

TEST(LatencyStats, HavePercentilesOfEveryCommandThatWasTimed) {
  ServerProcess laurel = ServerProcess::Laurel();
  RespClient client(laurel.port());
  for (int i = 0; i < 10; ++i) client.Ask({"ZADD", "z", std::to_string(i), "a"});
  client.Ask({"COMMAND", "DOCS"});
  client.Ask({"PING"});  // not timed
  std::set<std::string> names;
  const std::regex pattern(
      "latency_percentiles_usec_([a-z|.]+):p50=([0-9.]+),p99=([0-9.]+),p99.9=([0-9.]+)\r");
  for (const std::string& line : Lines(&client, "latencystats")) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, pattern)) << line;
    names.insert(parts[1]);
    EXPECT_GT(std::stod(parts[2]), 0) << line;
    EXPECT_LE(std::stod(parts[2]), std::stod(parts[3])) << line;
    EXPECT_LE(std::stod(parts[3]), std::stod(parts[4])) << line;
  }
  const std::set<std::string> expected = {"command|docs", "zadd"};
  EXPECT_EQ(names, expected);
  client.Ask({"CONFIG", "RESETSTAT"});
  for (const std::string& line : Lines(&client, "latencystats")) {
    EXPECT_EQ(line.find("zadd"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace laurel::black_box
