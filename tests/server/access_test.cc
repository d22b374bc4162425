// Tokens with a board pattern. Sends every command of the table with names that the token does not
// open, in every spelling, and searches every reply for what it must not show.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "server/durable_server.h"
#include "server/http_client.h"
#include "server/laurel_program.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/files.h"
#include "wire/command_table.h"

namespace laurel::black_box {
namespace {

using wire::CommandId;
using wire::CommandInfo;

constexpr std::string_view kMember = "hidden-member";

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A token's pattern that matches the text of foreign instance names, and a name that the token
// opens.
struct Pattern {
  std::string text;
  std::string own;
};

// The positions of the keys in a call with `arguments` arguments. Where the command has a key
// count, `count` keys follow it.
std::vector<std::size_t> KeyPositions(const CommandInfo& command, std::size_t arguments,
                                      std::size_t count) {
  std::vector<std::size_t> positions;
  const wire::KeySpec& keys = command.keys;
  if (keys.first > 0) {
    const auto last = static_cast<std::size_t>(
        keys.last < 0 ? static_cast<int>(arguments) + keys.last : keys.last);
    for (std::size_t at = static_cast<std::size_t>(keys.first); at <= last;
         at += static_cast<std::size_t>(keys.step)) {
      positions.push_back(at);
    }
  }
  for (std::size_t i = 0; keys.numkeys > 0 && i < count; ++i) {
    positions.push_back(static_cast<std::size_t>(keys.numkeys) + 1 + i);
  }
  return positions;
}

struct Call {
  Arguments arguments;
  std::vector<std::size_t> keys;
};

// A call with a valid number of arguments, `own` for each key and 1 for everything else.
Call CallOf(const CommandInfo& command, const std::string& own) {
  Call call;
  const std::string name(command.name);
  const std::size_t bar = name.find('|');
  call.arguments.push_back(name.substr(0, bar));
  if (bar != std::string::npos) call.arguments.push_back(name.substr(bar + 1));
  auto least = static_cast<std::size_t>(std::abs(command.arity));
  if (command.keys.numkeys > 0) {
    least = std::max(least, static_cast<std::size_t>(command.keys.numkeys) + 4);
  } else if (command.keys.last < 0) {
    least += 1;  // room for a second key
  }
  while (call.arguments.size() < least) call.arguments.emplace_back("1");
  if (command.keys.numkeys > 0)
    call.arguments[static_cast<std::size_t>(command.keys.numkeys)] = "2";
  call.keys = KeyPositions(command, call.arguments.size(), 2);
  for (const std::size_t at : call.keys) call.arguments[at] = own;
  return call;
}

bool TakesKeys(const CommandInfo& command) {
  return command.keys.first > 0 || command.keys.numkeys > 0;
}

class AccessTest : public testing::Test {
 protected:
  AccessTest() {
    const IssuedToken all = IssueToken("admin");
    keeper_secret_ = all.secret;
    std::string config = all.lines;
    for (const Pattern& pattern : Patterns()) {
      const IssuedToken made = IssueToken("admin", pattern.text);
      secrets_.push_back(made.secret);
      config += made.lines;
    }
    WriteFile(folder_ / "tokens.toml", config);
    server_.emplace(ServerProcess::Laurel({"--config", (folder_ / "tokens.toml").string()}));
    keeper_.emplace(LogIn(keeper_secret_));
    // `secret@week` counts as a name of `secret` once that is a leaderboard with periods.
    for (const Arguments& command :
         std::vector<Arguments>{{"ZADD", "secret@week", "1", std::string(kMember)},
                                {"LB.CREATE", "secret", "PERIODS", "3", "day", "hour", "all"},
                                {"LB.SUBMIT", "secret", std::string(kMember), "5"},
                                {"LB.CREATE", "lonely"},
                                {"LB.SUBMIT", "lonely", std::string(kMember), "5"},
                                {"LB.TEMPLATE", "SET", "secret:*", "CAP", "7"},
                                {"LB.TEMPLATE", "SET", "hol*", "CAP", "8"}}) {
      const Value reply = keeper_->Command(command);
      EXPECT_FALSE(reply.IsError()) << Quoted(command) << reply.ToString();
    }
    const Value periods = keeper_->Command({"LB.PERIODS", "secret"});
    today_ = periods.elements.at(0).Find("board")->text;
  }

  // None matches `secret` or `lonely`.
  static const std::vector<Pattern>& Patterns() {
    static const std::vector<Pattern> patterns = {
        {"*day", "holiday"}, {"*20*", "a20b"}, {"??????????", "tencharsok"},
        {"*@*", "mine@own"}, {"secret@*", ""}, {"*:-1", "mine:-1"},
        {"secret@day", ""},  {"*all", "ball"}, {"secret[@]day:?*", ""}};
    return patterns;
  }
  std::vector<std::string> ForeignNames() const {
    return {"secret",         "lonely",      "secret@day", "secret@day:-1",   today_,
            "secret@all",     "secret@hour", "secret@",    "secret@tomorrow", "secret@day:x",
            "secret@hour:-1", "secret@week", "secret@@day"};
  }

  RespClient LogIn(const std::string& secret) {
    RespClient client(server_->port());
    EXPECT_EQ(client.Ask({"AUTH", secret}), "+OK");
    return client;
  }
  std::string State() {
    std::string state;
    for (const Arguments& command : std::vector<Arguments>{{"LB.LIST"},
                                                           {"KEYS", "*"},
                                                           {"LB.PERIODS", "secret"},
                                                           {"LB.DESCRIBE", "secret"},
                                                           {"LB.DESCRIBE", "lonely"},
                                                           {"LB.RANGE", "secret", "1", "-1"},
                                                           {"LB.RANGE", "lonely", "1", "-1"},
                                                           {"PTTL", "secret"},
                                                           {"LB.TEMPLATE", "LIST"}}) {
      state += keeper_->Ask(command) + "\n";
    }
    return state;
  }

  TemporaryFolder folder_;
  std::optional<ServerProcess> server_;
  std::string keeper_secret_;
  std::vector<std::string> secrets_;  // in the order of Patterns()
  std::optional<RespClient> keeper_;
  std::string today_;  // "secret@day:2026-11-15"
};

TEST_F(AccessTest, InfoCountsRefusalsAsRejectedAndByCode) {
  RespClient stranger(server_->port());
  const Arguments request = {"ZLEXCOUNT", "secret", "-", "+"};
  EXPECT_TRUE(Contains(stranger.Ask(request), "NOAUTH"));
  RespClient client = LogIn(secrets_[0]);
  EXPECT_TRUE(Contains(client.Ask(request), "NOPERM"));
  keeper_->Ask(request);
  const std::string info = keeper_->Command({"INFO", "all"}).text;
  const std::size_t line = info.find("cmdstat_zlexcount:calls=1,");
  ASSERT_NE(line, std::string::npos) << info;
  EXPECT_TRUE(Contains(info.substr(line, info.find('\r', line) - line), ",rejected_calls=2,"));
  EXPECT_TRUE(Contains(info, "errorstat_NOAUTH:count=1\r\n"));
  EXPECT_TRUE(Contains(info, "errorstat_NOPERM:count=1\r\n"));
}

// Access is checked by the keys that the command table lists, so the table must list every board
// name.
TEST(AccessTable, EveryBoardNameInTheSyntaxIsListedAsAKey) {
  for (const CommandInfo& command : wire::CommandTable()) {
    const std::string words = " " + std::string(command.syntax) + " ";
    const bool names_board = Contains(words, " key ") || Contains(words, " board ") ||
                             Contains(words, " [key ") || Contains(words, " newkey ") ||
                             Contains(words, " source ") || Contains(words, " destination ");
    EXPECT_EQ(TakesKeys(command), names_board) << command.name << words;
  }
}

TEST_F(AccessTest, EveryCommandIsRefusedOnEveryForeignName) {
  const std::string before = State();
  for (std::size_t i = 0; i < Patterns().size(); ++i) {
    SCOPED_TRACE(Patterns()[i].text);
    const std::string own = Patterns()[i].own.empty() ? "secret" : Patterns()[i].own;
    RespClient client = LogIn(secrets_[i]);
    for (const CommandInfo& command : wire::CommandTable()) {
      if (!TakesKeys(command)) continue;
      Call call = CallOf(command, own);
      for (const std::size_t at : call.keys) {
        for (const std::string& foreign : ForeignNames()) {
          Arguments asked = call.arguments;
          asked[at] = foreign;
          client.SendRaw(Encoded(asked) + Encoded({"MULTI"}) + Encoded(asked) + Encoded({"EXEC"}));
          const Value reply = client.ReadReply();
          // Scripts are refused with an error of their own.
          const bool refused =
              reply.IsError() &&
              (reply.text.starts_with("NOPERM ") ||
               (command.Has(wire::kLocal) && reply.text.starts_with("ERR no scripts")));
          EXPECT_TRUE(refused) << Quoted(asked) << ": " << reply.ToString();
          ASSERT_EQ(client.ReadReply().ToString(), "+OK");
          const std::string queued = client.ReadReply().ToString();
          const Value executed = client.ReadReply();
          const bool left_out = queued.starts_with("-");
          const bool denied =
              executed.elements.size() == 1 && executed.elements[0].text.starts_with("NOPERM ");
          EXPECT_TRUE(left_out || denied)
              << Quoted(asked) << ": " << queued << " " << executed.ToString();
        }
      }
    }
  }
  EXPECT_EQ(State(), before);
}

TEST_F(AccessTest, AKeyCountInAnUnusualSpellingIsRefused) {
  RespClient client = LogIn(secrets_[0]);
  for (const CommandInfo& command : wire::CommandTable()) {
    if (command.keys.numkeys == 0) continue;
    for (const std::string count :
         {"+1", " 1", "1 ", "01", "-1", "0", "1.0", "1e0", "0x1", "", "3", "99", "\0011"}) {
      Call call = CallOf(command, "secret@day");
      if (command.keys.first > 0)
        call.arguments[static_cast<std::size_t>(command.keys.first)] = "holiday";
      call.arguments[static_cast<std::size_t>(command.keys.numkeys)] = count;
      const Value reply = client.Command(call.arguments);
      EXPECT_TRUE(reply.IsError()) << Quoted(call.arguments) << ": " << reply.ToString();
    }
  }
}

// The commands of the table that take no keys, and some of them with arguments that give long
// replies.
std::vector<Arguments> CommandsWithoutKeys() {
  std::vector<Arguments> calls = {{"KEYS", "*"},
                                  {"KEYS", "secret*"},
                                  {"SCAN", "0", "COUNT", "1000"},
                                  {"SCAN", "0", "MATCH", "secret*", "COUNT", "1000"},
                                  {"LB.LIST", "COUNT", "1000"},
                                  {"LB.LIST", "MATCH", "secret*"},
                                  {"INFO", "everything"},
                                  {"CONFIG", "GET", "*"},
                                  {"SLOWLOG", "GET", "-1"},
                                  {"CLIENT", "LIST"}};
  for (const CommandInfo& command : wire::CommandTable()) {
    // These change the connection or end it.
    const bool apart = command.id == CommandId::kClientReply || command.id == CommandId::kQuit ||
                       command.id == CommandId::kReset || command.id == CommandId::kMulti ||
                       command.id == CommandId::kAuth || command.id == CommandId::kHello;
    if (!TakesKeys(command) && !apart) calls.push_back(CallOf(command, "").arguments);
  }
  return calls;
}

TEST_F(AccessTest, NoReplyShowsAForeignNameOrAPath) {
  const std::string path = server_->directory().string();
  ASSERT_TRUE(Contains(keeper_->Ask({"INFO"}), path));
  for (std::size_t i = 0; i < Patterns().size(); ++i) {
    SCOPED_TRACE(Patterns()[i].text);
    RespClient client = LogIn(secrets_[i]);
    for (const Arguments& call : CommandsWithoutKeys()) {
      const std::string reply = client.Ask(call);
      for (const std::string_view text : {std::string_view("secret"), std::string_view("lonely"),
                                          kMember, std::string_view(path)}) {
        EXPECT_FALSE(Contains(reply, text)) << Quoted(call) << ": " << reply.substr(0, 500);
      }
    }
  }
}

TEST_F(AccessTest, OnlyTheBoardsOfThePatternAreCounted) {
  for (std::size_t i = 0; i < Patterns().size(); ++i) {
    const std::string& own = Patterns()[i].own;
    RespClient client = LogIn(secrets_[i]);
    const auto keyspace = [&] { return client.Command({"INFO", "keyspace"}).text; };
    EXPECT_EQ(client.Ask({"DBSIZE"}), "0") << Patterns()[i].text;
    EXPECT_EQ(keyspace(), "# Keyspace\r\n") << Patterns()[i].text;
    EXPECT_EQ(InfoField(&client, "boards"), "0") << Patterns()[i].text;
    if (own.empty()) continue;
    ASSERT_FALSE(client.Command({"ZADD", own, "1", "m"}).IsError()) << own;
    EXPECT_EQ(client.Ask({"DBSIZE"}), "1") << own;
    EXPECT_EQ(keyspace(), "# Keyspace\r\ndb0:keys=1,expires=0,avg_ttl=0\r\n") << own;
    EXPECT_EQ(InfoField(&client, "boards"), "1") << own;
  }
}

TEST_F(AccessTest, BoardsOfAPatternAreNotCountedAmongTooMany) {
  constexpr int kMostCounted = 20'000;
  RespClient client = LogIn(secrets_[0]);
  const int before = std::stoi(InfoField(&*keeper_, "boards"));
  std::string adds;
  for (int i = before; i <= kMostCounted; ++i) {
    adds += Encoded({"ZADD", "other:" + std::to_string(i), "1", "m"});
  }
  keeper_->SendRaw(adds);
  for (int i = before; i <= kMostCounted; ++i) ASSERT_EQ(keeper_->ReadReply().ToString(), "1");
  EXPECT_EQ(client.Command({"DBSIZE"}).text.substr(0, 6), "LIMIT ");
  EXPECT_EQ(
      client.Command({"INFO", "keyspace"}).text,
      "# Keyspace\r\n# more than 20000 boards: those of the token's pattern are not counted\r\n");
  EXPECT_EQ(client.Command({"INFO", "laurel"}).text.find("\nboards:"), std::string::npos);
  ASSERT_EQ(keeper_->Ask({"DEL", "other:" + std::to_string(kMostCounted)}), "1");
  EXPECT_EQ(client.Ask({"DBSIZE"}), "0");
  // The boards that a command counts are what the reads of an EXEC may return.
  for (const std::string first : {"DBSIZE", "INFO"}) {
    for (const std::string command : {"MULTI", first.c_str(), "DBSIZE"}) client.Command({command});
    const Value replies = client.Command({"EXEC"});
    ASSERT_EQ(replies.elements.size(), 2U) << replies.ToString();
    EXPECT_FALSE(replies.elements[0].IsError()) << first;
    EXPECT_EQ(replies.elements[1].text.substr(0, 6), "LIMIT ") << first;
  }
}

TEST_F(AccessTest, TemplatesOfForeignNamesAreNotListed) {
  EXPECT_EQ(keeper_->Command({"LB.TEMPLATE", "LIST"}).elements.size(), 2U);
  RespClient days = LogIn(secrets_[0]);
  EXPECT_EQ(days.Command({"LB.TEMPLATE", "LIST"}).elements.size(), 0U);
  ASSERT_EQ(keeper_->Ask({"LB.TEMPLATE", "SET", "h*day", "CAP", "9"}), "+OK");
  const Value listed = days.Command({"LB.TEMPLATE", "LIST"});
  ASSERT_EQ(listed.elements.size(), 1U);
  EXPECT_EQ(listed.elements[0].Find("pattern")->text, "h*day");
}

TEST_F(AccessTest, EveryStepOfALoadNeedsTheRightToItsBoard) {
  ASSERT_EQ(keeper_->Ask({"LB.LOAD", "holiday", "BEGIN", "load"}), "+OK");
  RespClient foreign = LogIn(secrets_[1]);
  for (const Arguments& step : std::vector<Arguments>{
           {"BEGIN", "load"}, {"CHUNK", "load", "1", ""}, {"COMMIT", "load"}, {"ABORT", "load"}}) {
    Arguments words = {"LB.LOAD", "holiday"};
    words.insert(words.end(), step.begin(), step.end());
    EXPECT_TRUE(foreign.Ask(words).starts_with("-NOPERM")) << Quoted(words);
  }
  RespClient second = LogIn(keeper_secret_);
  ASSERT_EQ(keeper_->Ask({"MULTI"}), "+OK");
  EXPECT_TRUE(keeper_->Ask({"LB.LOAD", "holiday", "COMMIT", "load"}).starts_with("-ERR"));
  EXPECT_TRUE(keeper_->Ask({"EXEC"}).starts_with("-EXECABORT"));
  keeper_->Ask({"QUIT"});
  EXPECT_FALSE(second.Command({"LB.LOAD", "holiday", "COMMIT", "load"}).IsError())
      << "a load belongs to its id, not to its connection";
  EXPECT_EQ(second.Ask({"LB.SIZE", "holiday"}), "0");
}

TEST_F(AccessTest, ATokenOpensItsBoardsAndTheirInstances) {
  // "*day" matches the board `holiday`.
  ASSERT_EQ(keeper_->Ask({"LB.CREATE", "holiday", "PERIODS", "2", "day", "all"}), "+OK");
  RespClient client = LogIn(secrets_[0]);
  ASSERT_FALSE(client.Command({"LB.SUBMIT", "holiday", "ann", "5"}).IsError());
  for (const std::string name : {"holiday", "holiday@day", "holiday@all"}) {
    EXPECT_EQ(client.Ask({"LB.SIZE", name}), "1") << name;
    EXPECT_EQ(client.Ask({"ZRANK", name, "ann"}), "0") << name;
  }
  EXPECT_EQ(client.Ask({"LB.SIZE", "holiday@day:-1"}), "0");
  EXPECT_EQ(client.Ask({"KEYS", "*"}), R"(["holiday"])");
}

// HTTP -------------------------------------------------------------------------------------------

// A web page can send any bytes to a port of the machine that shows it.

TEST_F(AccessTest, AnHttpRequestEndsTheConnectionAndNothingAfterItIsExecuted) {
  const std::string before = State();
  const std::string body = "FLUSHALL\r\nLB.DROP secret\r\n" + Encoded({"FLUSHALL"});
  const std::string answer =
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 60\r\n"
      "Connection: close\r\n\r\nthis is the port for Redis clients; HTTP is off (http-port)\n";
  for (const std::string head :
       {"POST / HTTP/1.1", "post / http/1.1", "GET / HTTP/1.1", "PUT /x HTTP/1.0",
        "DELETE /lonely HTTP/1.1", "DEL /lonely HTTP/1.1", "OPTIONS * HTTP/1.1", "PRI * HTTP/2.0",
        "HEAD http://x/ HTTP/1.1", "  GET\t/ HTTP/1.1", "POST /'\"", "Host: localhost:7600",
        "host: x"}) {
    SCOPED_TRACE(head);
    RespClient client = LogIn(keeper_secret_);
    client.SendRaw(Encoded({"PING"}) + "ECHO before\r\n" + head + "\r\nHost: x\r\n\r\n" + body);
    EXPECT_EQ(client.ReadReply().ToString(), "+PONG");
    EXPECT_EQ(client.ReadReply().ToString(), "\"before\"");
    EXPECT_EQ(client.ReadToEnd(), answer);
    RespClient stranger(server_->port());
    stranger.SendRaw(head + "\r\n\r\n" + body);
    EXPECT_EQ(stranger.ReadToEnd(), answer);
  }
  EXPECT_EQ(State(), before);
  // The server logs only one such request within a minute.
  const std::string output = server_->Output();
  const std::size_t logged = output.find("sent an HTTP request");
  ASSERT_NE(logged, std::string::npos) << output;
  EXPECT_EQ(output.find("sent an HTTP request", logged + 1), std::string::npos) << output;
  EXPECT_TRUE(Contains(output, "closed 127.0.0.1:")) << output;
}

TEST(HttpOnTheRespPort, IsAnsweredWithThePortOfHttp) {
  DurableServer server;
  server.Start({"--http-port", "0"});
  HttpClient client(server.port());
  const HttpResponse answer = client.Send({"GET", "/v1/boards"});
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "this is the port for Redis clients; HTTP is on port " +
                             std::to_string(server.http_port()) + "\n");
}

TEST_F(AccessTest, CommandsThatOnlyResembleHttpAreExecuted) {
  RespClient client = LogIn(keeper_secret_);
  client.SendRaw("GET key\r\nGET /key\r\nECHO POST\r\nZSCORE lonely HTTP/1.1\r\n");
  EXPECT_EQ(client.ReadReply().ToString(), "nil");
  EXPECT_EQ(client.ReadReply().ToString(), "nil");
  EXPECT_EQ(client.ReadReply().ToString(), "\"POST\"");
  EXPECT_EQ(client.ReadReply().ToString(), "nil");
  // A web page cannot send an array first, so this is an ordinary unknown command.
  EXPECT_TRUE(client.Command({"POST", "/", "HTTP/1.1"}).IsError());
  EXPECT_EQ(client.Ask({"PING"}), "+PONG");
}

// Refused logins ----------------------------------------------------------------------------------

TEST_F(AccessTest, ARefusedLoginIsDelayedAndOtherClientsAreNot) {
  RespClient guesser(server_->port());
  const auto started = std::chrono::steady_clock::now();
  std::chrono::milliseconds least{0};
  for (const int delay_ms : {100, 200, 400}) {
    guesser.SendRaw(Encoded(delay_ms == 200 ? Arguments{"HELLO", "3", "AUTH", "x", "wrong"}
                                            : Arguments{"AUTH", "wrong"}));
    EXPECT_EQ(keeper_->Ask({"PING"}), "+PONG");
    EXPECT_TRUE(guesser.ReadReply().text.starts_with("WRONGPASS"));
    // A timer never fires early. How late it fires is not tested.
    least += std::chrono::milliseconds(delay_ms);
    EXPECT_GE(std::chrono::steady_clock::now() - started, least);
  }
  // A valid token is not delayed, and the requests after a refusal are answered in order.
  guesser.SendRaw(Encoded({"AUTH", "wrong"}) + Encoded({"PING"}) +
                  Encoded({"AUTH", keeper_secret_}) + Encoded({"PING"}));
  EXPECT_TRUE(guesser.ReadReply().text.starts_with("WRONGPASS"));
  EXPECT_TRUE(guesser.ReadReply().text.starts_with("NOAUTH"));
  EXPECT_EQ(guesser.ReadReply().ToString(), "+OK");
  EXPECT_EQ(guesser.ReadReply().ToString(), "+PONG");
  EXPECT_TRUE(Contains(server_->Output(), "refused login from 127.0.0.1:")) << server_->Output();
}

TEST_F(AccessTest, DelayedLoginsDoNotDelayAStop) {
  for (int i = 0; i < 20; ++i) RespClient(server_->port()).Send({"AUTH", "wrong"});
  RespClient waits(server_->port());
  waits.Send({"AUTH", "wrong"});
  ASSERT_TRUE(Eventually([&] { return InfoField(&*keeper_, "acl_access_denied_auth") == "21"; }));
  EXPECT_EQ(server_->Stop(), 0);
}

}  // namespace
}  // namespace laurel::black_box
