// CONFIG, INFO, COMMAND, SLOWLOG, and the calls that exporters, GUIs and clients routinely make.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"

namespace laurel::black_box {
namespace {

class ServerCommands : public testing::Test {
 protected:
  std::string Ask(const Arguments& command) { return client_.Ask(command); }

  ServerProcess server_ = ServerProcess::Laurel({"--slowlog-slower-than", "0"});
  RespClient client_{server_.port(), 30'000};
};

// SLOWLOG ----------------------------------------------------------------------------------------

TEST_F(ServerCommands, SlowLogKeepsEveryCommandAtThresholdZero) {
  ASSERT_EQ(Ask({"SLOWLOG", "RESET"}), "+OK");
  ASSERT_EQ(Ask({"ZADD", "z", "1", "a"}), "1");
  ASSERT_EQ(Ask({"ZCARD", "z"}), "1");
  const Value log = client_.Command({"SLOWLOG", "GET"});
  ASSERT_GE(log.elements.size(), 2U);
  std::vector<std::string> names;
  std::int64_t newer = INT64_MAX;
  for (const Value& entry : log.elements) {
    ASSERT_EQ(entry.elements.size(), 6U);
    EXPECT_LT(entry.elements[0].Integer(), newer) << "newest first, numbered";
    newer = entry.elements[0].Integer();
    EXPECT_GT(entry.elements[1].Integer(), 1'000'000'000);
    EXPECT_GE(entry.elements[2].Integer(), 0);
    EXPECT_TRUE(entry.elements[4].text.starts_with("127.0.0.1:"));
    names.push_back(entry.elements[3].ToString());
  }
  const std::vector<std::string> expected = {R"(["ZCARD", "z"])", R"(["ZADD", "z", "1", "a"])"};
  EXPECT_NE(std::search(names.begin(), names.end(), expected.begin(), expected.end()), names.end())
      << log.ToString();
}

TEST_F(ServerCommands, SlowLogNamesTheClient) {
  ASSERT_EQ(Ask({"CLIENT", "SETNAME", "ann"}), "+OK");
  ASSERT_EQ(Ask({"SLOWLOG", "RESET"}), "+OK");
  ASSERT_EQ(Ask({"ZCARD", "z"}), "0");
  const Value log = client_.Command({"SLOWLOG", "GET", "1"});
  ASSERT_EQ(log.elements.size(), 1U);
  EXPECT_EQ(log.elements[0].elements[5].text, "ann");
}

TEST_F(ServerCommands, SlowLogIsBoundedInEntriesArgumentsAndBytes) {
  ASSERT_EQ(Ask({"CONFIG", "SET", "slowlog-max-len", "5"}), "+OK");
  Arguments many = {"ZADD", "z"};
  for (int i = 0; i < 100; ++i) {
    many.push_back(std::to_string(i));
    many.push_back(std::string(1000, 'm') + std::to_string(i));
  }
  for (int i = 0; i < 20; ++i) ASSERT_FALSE(client_.Command(many).IsError());
  EXPECT_EQ(Ask({"SLOWLOG", "LEN"}), "5");
  const Value log = client_.Command({"SLOWLOG", "GET", "-1"});
  ASSERT_EQ(log.elements.size(), 5U);
  for (const Value& entry : log.elements) {
    const std::vector<Value>& arguments = entry.elements[3].elements;
    ASSERT_EQ(arguments.size(), 32U);
    EXPECT_EQ(arguments.back().text, "... (171 more arguments)");
    EXPECT_EQ(arguments[3].text, std::string(128, 'm') + "... (873 more bytes)");
  }
  EXPECT_EQ(client_.Command({"SLOWLOG", "GET", "2"}).elements.size(), 2U);
  EXPECT_EQ(Ask({"SLOWLOG", "GET", "-5"}), "-ERR count should be greater than or equal to -1");
  EXPECT_EQ(Ask({"SLOWLOG", "GET", "x"}), "-ERR count should be greater than or equal to -1");
}

TEST_F(ServerCommands, SlowLogCanBeDisabledAndEnabledWhileTheServerRuns) {
  ASSERT_EQ(Ask({"CONFIG", "SET", "slowlog-log-slower-than", "-1"}), "+OK");
  ASSERT_EQ(Ask({"SLOWLOG", "RESET"}), "+OK");
  ASSERT_EQ(Ask({"ZCARD", "z"}), "0");
  EXPECT_EQ(Ask({"SLOWLOG", "LEN"}), "0");
  ASSERT_EQ(Ask({"CONFIG", "SET", "slowlog-log-slower-than", "0"}), "+OK");
  ASSERT_EQ(Ask({"ZCARD", "z"}), "0");
  EXPECT_NE(Ask({"SLOWLOG", "LEN"}), "0");
}

// CONFIG -----------------------------------------------------------------------------------------

TEST_F(ServerCommands, ConfigGetTakesPatternsInAnyCase) {
  EXPECT_EQ(Ask({"CONFIG", "GET", "maxmemory"}), R"(["maxmemory", "0"])");
  EXPECT_EQ(Ask({"CONFIG", "GET", "MAXMEMORY"}), R"(["maxmemory", "0"])");
  EXPECT_EQ(Ask({"CONFIG", "GET", "nope"}), "[]");
  EXPECT_EQ(client_.Command({"CONFIG", "GET", "zset-max-*", "save"}).elements.size() % 2, 0U);
  const Value all = client_.Command({"CONFIG", "GET", "*"});
  for (const char* name : {"maxclients", "port", "save", "appendonly", "timeout", "databases"}) {
    EXPECT_NE(all.Find(name), nullptr) << name;
  }
  EXPECT_EQ(Ask({"CONFIG", "GET"}), "-ERR wrong number of arguments for 'config|get' command");
}

TEST_F(ServerCommands, ConfigSetStoresWhatBenchmarksSetAndRefusesTheRest) {
  EXPECT_EQ(Ask({"CONFIG", "SET", "zset-max-listpack-entries", "64", "save", "900 1"}), "+OK");
  EXPECT_EQ(Ask({"CONFIG", "GET", "zset-max-listpack-entries"}),
            R"(["zset-max-listpack-entries", "64"])");
  EXPECT_EQ(Ask({"CONFIG", "GET", "save"}), R"(["save", "900 1"])");
  EXPECT_EQ(Ask({"CONFIG", "SET", "nope", "1"}),
            "-ERR Unknown option or number of arguments for CONFIG SET - 'nope'");
  EXPECT_TRUE(client_.Command({"CONFIG", "SET", "zset-max-listpack-value", "x"}).IsError());
  // CONFIG SET is all or nothing.
  EXPECT_TRUE(client_.Command({"CONFIG", "SET", "save", "changed", "nope", "1"}).IsError());
  EXPECT_EQ(Ask({"CONFIG", "GET", "save"}), R"(["save", "900 1"])");
  EXPECT_EQ(Ask({"CONFIG", "SET", "save"}),
            "-ERR wrong number of arguments for 'config|set' command");
  EXPECT_TRUE(client_.Command({"CONFIG", "SET", "port", "1"}).IsError());
  EXPECT_TRUE(client_.Command({"CONFIG", "REWRITE"}).IsError());
}

TEST_F(ServerCommands, ConfigSetTakesBoundedMemory) {
  const std::size_t before = server_.ResidentBytes();
  for (int i = 0; i < 500; ++i) {
    client_.Command({"CONFIG", "SET", "zset-max-" + std::to_string(i), std::to_string(i)});
    client_.Command({"CONFIG", "SET", "save", std::string(1 << 20, 'x')});
  }
  EXPECT_EQ(client_.Command({"CONFIG", "GET", "zset-max-1*"}).elements.size(), 0U);
  if (kMemoryIsMeasured) {
    EXPECT_LT(server_.ResidentBytes(), before + 32 * kMiB);
  }
}

TEST_F(ServerCommands, ResetStatResetsTheCounters) {
  for (int i = 0; i < 50; ++i) ASSERT_EQ(Ask({"PING"}), "+PONG");
  EXPECT_GE(std::stoll(InfoField(&client_, "total_commands_processed")), 50);
  EXPECT_EQ(Ask({"CONFIG", "RESETSTAT"}), "+OK");
  EXPECT_LT(std::stoll(InfoField(&client_, "total_commands_processed")), 10);
  EXPECT_EQ(InfoField(&client_, "keyspace_hits"), "0");
  EXPECT_EQ(InfoField(&client_, "keyspace_misses"), "0");
  EXPECT_EQ(InfoField(&client_, "expired_keys"), "0");
}

// INFO -------------------------------------------------------------------------------------------

TEST_F(ServerCommands, InfoHasRedisSectionsAndReturnsTheRequestedOnes) {
  const std::string all = client_.Command({"INFO"}).text;
  for (const char* title : {"Server", "Clients", "Memory", "Persistence", "Stats", "Replication",
                            "CPU", "Cluster", "Keyspace"}) {
    EXPECT_NE(all.find("# " + std::string(title) + "\r\n"), std::string::npos) << title;
  }
  const std::string memory = client_.Command({"INFO", "Memory"}).text;
  EXPECT_TRUE(memory.starts_with("# Memory\r\n"));
  EXPECT_EQ(memory.find("# ", 2), std::string::npos) << memory;
  const std::string two = client_.Command({"INFO", "clients", "CPU"}).text;
  EXPECT_NE(two.find("# Clients"), std::string::npos);
  EXPECT_NE(two.find("# CPU"), std::string::npos);
  EXPECT_EQ(two.find("# Memory"), std::string::npos);
  EXPECT_EQ(Ask({"INFO", "nosuch"}), R"("")");
  for (const char* whole : {"all", "everything", "default"}) {
    EXPECT_NE(client_.Command({"INFO", whole}).text.find("# Memory"), std::string::npos) << whole;
  }
}

TEST_F(ServerCommands, InfoInAPipelineShowsTheEffectsOfEarlierRequests) {
  client_.SendRaw(
      "ZADD a 1 m\r\nINFO keyspace\r\nZADD b 1 m\r\n"
      "MULTI\r\nZADD c 1 m\r\nINFO keyspace\r\nDEL a b c\r\nINFO keyspace\r\nEXEC\r\n"
      "INFO keyspace\r\nPING\r\n");
  const auto keyspace = [](int keys) {
    return "# Keyspace\r\ndb0:keys=" + std::to_string(keys) + ",expires=0,avg_ttl=0\r\n";
  };
  EXPECT_EQ(client_.ReadReply().ToString(), "1");
  EXPECT_EQ(client_.ReadReply().text, keyspace(1));
  EXPECT_EQ(client_.ReadReply().ToString(), "1");
  EXPECT_EQ(client_.ReadReply().ToString(), "+OK");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client_.ReadReply().ToString(), "+QUEUED");
  const Value exec = client_.ReadReply();
  ASSERT_EQ(exec.elements.size(), 4U);
  EXPECT_EQ(exec.elements[1].text, keyspace(3));
  EXPECT_EQ(exec.elements[3].text, "# Keyspace\r\n");
  EXPECT_EQ(client_.ReadReply().text, "# Keyspace\r\n");
  EXPECT_EQ(client_.ReadReply().ToString(), "+PONG");
}

TEST_F(ServerCommands, InfoCountsKeysExpiriesHitsAndClients) {
  ASSERT_EQ(Ask({"ZADD", "a", "1", "x"}), "1");
  ASSERT_EQ(Ask({"ZADD", "b", "1", "x"}), "1");
  ASSERT_EQ(Ask({"LB.CREATE", "empty"}), "+OK");
  ASSERT_EQ(Ask({"PEXPIRE", "b", "100000"}), "1");
  EXPECT_EQ(InfoField(&client_, "db0").substr(0, 16), "keys=2,expires=1");
  EXPECT_EQ(InfoField(&client_, "connected_clients"), "1");
  ASSERT_EQ(Ask({"PEXPIRE", "b", "1"}), "1");
  EXPECT_TRUE(Eventually([&] { return InfoField(&client_, "expired_keys") == "1"; }));
  EXPECT_EQ(InfoField(&client_, "db0").substr(0, 16), "keys=1,expires=0");
  ASSERT_EQ(Ask({"CONFIG", "RESETSTAT"}), "+OK");
  const std::int64_t hits = std::stoll(InfoField(&client_, "keyspace_hits"));
  const std::int64_t misses = std::stoll(InfoField(&client_, "keyspace_misses"));
  ASSERT_EQ(Ask({"ZSCORE", "a", "x"}), R"("1")");
  ASSERT_EQ(Ask({"ZSCORE", "none", "x"}), "nil");
  EXPECT_EQ(std::stoll(InfoField(&client_, "keyspace_hits")), hits + 1);
  EXPECT_EQ(std::stoll(InfoField(&client_, "keyspace_misses")), misses + 1);
}

TEST_F(ServerCommands, InfoIsVerbatimTextInResp3) {
  ASSERT_FALSE(client_.Command({"HELLO", "3"}).IsError());
  const Value info = client_.Command({"INFO", "server"});
  EXPECT_EQ(info.type, '=');
  EXPECT_TRUE(info.text.starts_with("txt:# Server\r\n")) << info.text;
}

// COMMAND ----------------------------------------------------------------------------------------

TEST_F(ServerCommands, CommandDescribesTheCommandTable) {
  const Value all = client_.Command({"COMMAND"});
  EXPECT_EQ(Ask({"COMMAND", "COUNT"}), std::to_string(all.elements.size()));
  EXPECT_EQ(client_.Command({"COMMAND", "LIST"}).elements.size() >= all.elements.size(), true);
  const Value info = client_.Command({"COMMAND", "INFO", "zadd", "nosuch"});
  ASSERT_EQ(info.elements.size(), 2U);
  EXPECT_EQ(info.elements[0].elements[0].text, "zadd");
  EXPECT_EQ(info.elements[0].elements[1].Integer(), -4);
  EXPECT_TRUE(info.elements[1].IsNull());
  EXPECT_EQ(Ask({"COMMAND", "GETKEYS", "ZADD", "a", "1", "b"}), R"(["a"])");
  EXPECT_EQ(Ask({"COMMAND", "GETKEYS", "ZUNIONSTORE", "d", "2", "a", "b"}), R"(["d", "a", "b"])");
  EXPECT_TRUE(client_.Command({"COMMAND", "GETKEYS", "NOSUCH", "a"}).IsError());
  EXPECT_NE(client_.Command({"COMMAND", "DOCS", "zadd"}).Find("zadd"), nullptr);
  EXPECT_TRUE(client_.Command({"COMMAND", "NOSUCH"}).IsError());
}

// Calls of clients, GUIs and exporters -----------------------------------------------------------

TEST_F(ServerCommands, ObjectEncodingUsesRedisNames) {
  ASSERT_EQ(Ask({"ZADD", "small", "1", "a"}), "1");
  ASSERT_EQ(Ask({"ZADD", "long", "1", std::string(65, 'a')}), "1");
  FillBoard(&client_, "large", 129);
  EXPECT_EQ(Ask({"OBJECT", "ENCODING", "small"}), R"("listpack")");
  EXPECT_EQ(Ask({"OBJECT", "ENCODING", "long"}), R"("skiplist")");
  EXPECT_EQ(Ask({"OBJECT", "ENCODING", "large"}), R"("skiplist")");
  EXPECT_EQ(Ask({"OBJECT", "ENCODING", "none"}), "nil");
  EXPECT_EQ(Ask({"OBJECT", "REFCOUNT", "small"}), "1");
  EXPECT_EQ(client_.Command({"OBJECT", "IDLETIME", "small"}).type, ':');
  EXPECT_TRUE(client_.Command({"OBJECT", "FREQ", "small"}).IsError());
  EXPECT_TRUE(client_.Command({"OBJECT", "NOSUCH", "small"}).IsError());
}

TEST_F(ServerCommands, MemoryUsageGrowsWithTheBoard) {
  ASSERT_EQ(Ask({"ZADD", "z", "1", "a"}), "1");
  const std::int64_t small = client_.Command({"MEMORY", "USAGE", "z"}).Integer();
  FillBoard(&client_, "z", 10'000);
  const std::int64_t large = client_.Command({"MEMORY", "USAGE", "z", "SAMPLES", "0"}).Integer();
  EXPECT_GT(small, 0);
  EXPECT_GT(large, small + 10'000 * 13) << "at least the members themselves";
  EXPECT_EQ(Ask({"MEMORY", "USAGE", "none"}), "nil");
  EXPECT_EQ(Ask({"MEMORY", "USAGE", "z", "SAMPLES", "-1"}), "-ERR syntax error");
}

TEST_F(ServerCommands, RoutineCallsOfClientsAndToolsAreAnswered) {
  const std::vector<Arguments> questions = {
      {"LATENCY", "LATEST"},
      {"LATENCY", "HISTORY", "command"},
      {"LATENCY", "RESET"},
      {"LATENCY", "DOCTOR"},
      {"LATENCY", "HISTOGRAM"},
      {"LATENCY", "HELP"},
      {"TIME"},
      {"LASTSAVE"},
      {"ROLE"},
      {"LOLWUT"},
      {"LOLWUT", "VERSION", "5"},
      {"MODULE", "LIST"},
      {"MEMORY", "STATS"},
      {"MEMORY", "DOCTOR"},
      {"MEMORY", "PURGE"},
      {"FUNCTION", "FLUSH"},
      {"FUNCTION", "LIST"},
      {"FUNCTION", "STATS"},
      {"SCRIPT", "FLUSH"},
      {"ACL", "WHOAMI"},
      {"COMMAND", "DOCS"},
      {"CLIENT", "TRACKINGINFO"},
      {"CLIENT", "GETREDIR"},
      {"CLIENT", "NO-EVICT", "ON"},
      {"CLIENT", "NO-TOUCH", "ON"},
      {"CLIENT", "TRACKING", "OFF"},
      {"CLIENT", "HELP"},
      {"CONFIG", "HELP"},
      {"OBJECT", "HELP"},
      {"SLOWLOG", "HELP"},
      {"MEMORY", "HELP"},
      {"COMMAND", "HELP"},
      {"WAIT", "0", "10"},
      {"WAIT", "1", "10"},
      {"GET", "none"},
      {"SELECT", "0"},
  };
  for (const Arguments& question : questions) {
    const Value reply = client_.Command(question);
    EXPECT_FALSE(reply.IsError()) << Quoted(question) << " " << reply.text;
  }
  const Value time = client_.Command({"TIME"});
  ASSERT_EQ(time.elements.size(), 2U);
  EXPECT_GT(std::stoll(time.elements[0].text), 1'700'000'000);
  EXPECT_LT(std::stoll(time.elements[1].text), 1'000'000);
  EXPECT_EQ(Ask({"SCRIPT", "EXISTS", "a", "b"}), "[0, 0]");
}

TEST_F(ServerCommands, UnsupportedCommandsAreRefusedInOneLine) {
  const std::vector<std::pair<Arguments, std::string>> refusals = {
      {{"SELECT", "1"}, "-ERR DB index is out of range"},
      {{"WAIT", "x", "1"}, "-ERR value is not an integer or out of range"},
      {{"WAIT", "0", "x"}, "-ERR timeout is not an integer or out of range"},
      {{"WAIT", "0", "-1"}, "-ERR timeout is negative"},
      {{"CLUSTER", "INFO"}, "-ERR This instance has cluster support disabled"},
      {{"CLUSTER", "SLOTS"}, "-ERR This instance has cluster support disabled"},
      {{"READONLY"}, "-ERR This instance has cluster support disabled"},
      {{"EVAL", "return 1", "0"}, "-ERR no scripts here: LB.INCR and LB.SUBMIT are atomic"},
      {{"SET", "a", "b"}, "-ERR unknown command 'SET', with args beginning with: 'a' 'b' "},
      {{"MONITOR", "X"}, "-ERR wrong number of arguments for 'monitor' command"},
      {{"WATCH"}, "-ERR wrong number of arguments for 'watch' command"},
      {{"CLIENT", "CACHING", "YES"},
       "-ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or "
       "OPTOUT mode enabled"},
      {{"CLIENT", "NOSUCH"}, "-ERR unknown subcommand 'NOSUCH'. Try CLIENT HELP."},
  };
  for (const auto& [command, refusal] : refusals) {
    EXPECT_EQ(Ask(command), refusal) << Quoted(command);
  }
}

}  // namespace
}  // namespace laurel::black_box
