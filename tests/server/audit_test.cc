// The audit log: which writes have a line, and what it says.
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>

#include "server/child_process.h"
#include "server/laurel_program.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/files.h"

namespace laurel::black_box {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class AuditTest : public testing::Test {
 protected:
  void Start(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.end(), {"--audit-log", path()});
    server_.emplace(ServerProcess::Laurel(arguments));
  }
  // Starts a server with a token of each role.
  void StartWithTokens() {
    std::string tokens;
    for (const std::string role : {"read", "submit", "write", "admin"}) {
      const ProgramResult made = RunLaurel({"token", role});
      secrets_[role] = made.errors.substr(0, made.errors.find('\n'));
      tokens += "[[token]]\nname = \"the-" + role + "\"\nrole = \"" + role + "\"\nhash = \"" +
                made.output.substr(made.output.find("sha256:"), 7 + 64) + "\"\n";
    }
    WriteFile(folder_ / "laurel.toml", tokens);
    Start({"--config", (folder_ / "laurel.toml").string()});
  }

  RespClient Connect() const { return RespClient(server_->port()); }
  RespClient LogIn(const std::string& role) const {
    RespClient client = Connect();
    EXPECT_EQ(client.Ask({"AUTH", secrets_.at(role)}), "+OK");
    return client;
  }

  // Stops the server and returns the lines of the log, each as "token command … outcome" without
  // the keys that are the same in all of them.
  Lines Logged() {
    EXPECT_EQ(server_->Stop(), 0) << server_->Output();
    const std::regex whole(
        R"re(\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z","token":"([^"]*)",)re"
        R"re("peer":"127\.0\.0\.1:\d+","protocol":"resp","command":"([^"]*)"(.*),)re"
        R"re("outcome":"(\w+)"\})re");
    Lines lines;
    for (const std::string& line : Split(ReadFile(path()))) {
      std::smatch parts;
      EXPECT_TRUE(std::regex_match(line, parts, whole)) << line;
      lines.push_back(parts.format("$1 $2$3 $4"));
    }
    return lines;
  }
  std::string path() const { return (folder_ / "audit.log").string(); }

  TemporaryFolder folder_;
  std::map<std::string, std::string> secrets_;
  std::optional<ServerProcess> server_;
};

TEST_F(AuditTest, WritesHaveALineWithTokenBoardMemberAndOutcome) {
  StartWithTokens();
  RespClient admin = LogIn("admin");
  RespClient write = LogIn("write");
  EXPECT_EQ(admin.Ask({"LB.CREATE", "lb"}), "+OK");
  write.Command({"LB.SET", "lb", "ann", "5", "ID", "7f3c"});
  write.Command({"LB.REMOVE", "lb", "ann", "bob", "cid"});
  write.Command({"ZADD", "z", "1", "a", "2", "b"});
  admin.Command({"LB.TEMPLATE", "SET", "rank:*"});
  admin.Command({"DEL", "z", "other"});
  EXPECT_EQ(Logged(),
            (Lines{R"(the-admin lb.create,"board":"lb" ok)",
                   R"(the-write lb.set,"board":"lb","member":"ann","id":"7f3c" ok)",
                   R"(the-write lb.remove,"board":"lb","member":"ann","member_count":3 ok)",
                   R"(the-write zadd,"board":"z","member":"a","member_count":2 ok)",
                   R"(the-admin lb.template|set,"pattern":"rank:*" ok)",
                   R"(the-admin del,"boards":["z","other"] ok)"}));
}

TEST_F(AuditTest, RefusedWritesHaveTheCodeOfTheError) {
  StartWithTokens();
  RespClient write = LogIn("write");
  RespClient read = LogIn("read");
  RespClient stranger = Connect();
  write.Command({"LB.SET", "nowhere", "ann", "5"});
  write.Command({"ZADD", "z", "x", "a"});
  write.Command({"FLUSHALL"});
  read.Command({"ZADD", "z", "1", "a"});
  stranger.Command({"ZADD", "z", "1", "a"});
  write.Command({"ZADD", "z"});
  EXPECT_EQ(Logged(),
            (Lines{R"(the-write lb.set,"board":"nowhere","member":"ann" NOBOARD)",
                   R"(the-write zadd,"board":"z","member":"a" ERR)", R"(the-write flushall NOPERM)",
                   R"(the-read zadd,"board":"z","member":"a" NOPERM)"}));
}

TEST_F(AuditTest, ReadsAndSubmitsHaveNoLineUnlessTheySetATime) {
  StartWithTokens();
  RespClient admin = LogIn("admin");
  RespClient write = LogIn("write");
  RespClient submit = LogIn("submit");
  admin.Command({"LB.CREATE", "lb"});
  submit.Command({"LB.SUBMIT", "lb", "ann", "5"});
  submit.Command({"LB.MSUBMIT", "lb", "1", "ann", "6"});
  write.Command({"LB.SUBMIT", "lb", "ann", "7"});
  write.Command({"LB.TOP", "lb", "1"});
  write.Command({"LB.SUBMIT", "lb", "ann", "8", "AT", "2026-11-15T00:00:00Z"});
  submit.Command({"LB.SUBMIT", "lb", "ann", "9", "AT", "2026-11-15T00:00:00Z"});
  EXPECT_EQ(Logged(), (Lines{R"(the-admin lb.create,"board":"lb" ok)",
                             R"(the-write lb.submit,"board":"lb","member":"ann" ok)",
                             R"(the-submit lb.submit,"board":"lb","member":"ann" NOPERM)"}));
}

TEST_F(AuditTest, ServersWithoutTokensCallTheClientDefault) {
  Start();
  RespClient client = Connect();
  client.Command({"ZADD", "z", "1", "a"});
  client.Command({"CONFIG", "SET", "save", ""});
  client.Command({"CONFIG", "SET", "no-such-setting", "hidden-value"});
  client.Command({"CONFIG", "GET", "save"});
  EXPECT_EQ(Logged(), (Lines{R"(default zadd,"board":"z","member":"a" ok)",
                             R"(default config|set ok)", R"(default config|set ERR)"}));
  EXPECT_EQ(ReadFile(path()).find("hidden-value"), std::string::npos);
}

TEST_F(AuditTest, SecretsAreNotInIt) {
  StartWithTokens();
  RespClient client = LogIn("admin");
  client.Command({"HELLO", "3", "AUTH", "any", secrets_["write"]});
  client.Command({"AUTH", "any", secrets_["admin"]});
  client.Command({"ZADD", "z", "1", "a"});
  Logged();
  for (const auto& [role, secret] : secrets_) {
    EXPECT_EQ(ReadFile(path()).find(secret), std::string::npos) << role;
  }
}

TEST_F(AuditTest, CommandsOfATransactionAreLoggedWhenExecAnswers) {
  Start();
  RespClient client = Connect();
  for (const std::string version : {"2", "3"}) {
    client.Command({"HELLO", version});
    client.SendRaw(Encoded({"MULTI"}) + Encoded({"ZADD", "z", "1", "a"}) + Encoded({"ZCARD", "z"}) +
                   Encoded({"LB.SET", "nowhere", "ann", "1"}) +
                   Encoded({"ZRANGE", "z", "0", "-1", "WITHSCORES"}) +
                   Encoded({"CONFIG", "SET", "save", ""}) + Encoded({"ZREM", "z", "a"}) +
                   Encoded({"EXEC"}) + Encoded({"ZADD", "after", "1", "a"}));
    for (int i = 0; i < 9; ++i) client.ReadReply();
  }
  const Lines once = {R"(default zadd,"board":"z","member":"a" ok)",
                      R"(default lb.set,"board":"nowhere","member":"ann" NOBOARD)",
                      R"(default config|set ok)", R"(default zrem,"board":"z","member":"a" ok)",
                      R"(default zadd,"board":"after","member":"a" ok)"};
  Lines twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(Logged(), twice);
}

TEST_F(AuditTest, ATransactionThatDoesNotRunHasTheReason) {
  Start();
  RespClient client = Connect();
  RespClient other = Connect();
  for (const Arguments& command : std::vector<Arguments>{{"MULTI"},
                                                         {"ZADD", "aborted", "1", "a"},
                                                         {"NOSUCHCOMMAND"},
                                                         {"EXEC"},
                                                         {"MULTI"},
                                                         {"ZADD", "dropped", "1", "a"},
                                                         {"DISCARD"},
                                                         {"WATCH", "watched"}}) {
    client.Command(command);
  }
  other.Command({"ZADD", "watched", "1", "a"});
  for (const Arguments& command :
       std::vector<Arguments>{{"MULTI"}, {"ZADD", "late", "1", "a"}, {"EXEC"}}) {
    client.Command(command);
  }
  EXPECT_EQ(Logged(), (Lines{R"(default zadd,"board":"aborted","member":"a" EXECABORT)",
                             R"(default zadd,"board":"watched","member":"a" ok)",
                             R"(default zadd,"board":"late","member":"a" discarded)"}));
}

TEST_F(AuditTest, EachWriteOfALongPipelineHasItsOwnOutcome) {
  Start();
  RespClient client = Connect();
  FillBoard(&client, "big", 50'000);
  EXPECT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  // The replies to ZRANGE exceed 1 MiB: the pipeline is executed in parts.
  std::string requests = Encoded({"PING"});
  constexpr int kRounds = 5;
  for (int i = 0; i < kRounds; ++i) {
    requests += Encoded({"ZADD", "z", "1", "a" + std::to_string(i)}) + Encoded({"PING"}) +
                Encoded({"ZRANGE", "big", "0", "-1", "WITHSCORES"}) +
                Encoded({"ZADD", "z", "x", "b" + std::to_string(i)}) +
                Encoded({"CONFIG", "SET", "save", ""}) + Encoded({"ECHO", "-ERR no error"}) +
                Encoded({"LB.SET", "lb", "c" + std::to_string(i), "1"});
  }
  client.SendRaw(requests);
  for (int i = 0; i < 1 + 7 * kRounds; ++i) client.ReadReply();
  Lines expected;
  for (int i = 0; i < kRounds; ++i) {
    const std::string n = std::to_string(i);
    expected.push_back(R"(default zadd,"board":"z","member":"a)" + n + R"(" ok)");
    expected.push_back(R"(default zadd,"board":"z","member":"b)" + n + R"(" ERR)");
    expected.push_back(R"(default lb.set,"board":"lb","member":"c)" + n + R"(" ok)");
  }
  // A local command is answered, and logged, when it arrives.
  Lines logged;
  std::size_t settings = 0;
  for (const std::string& line : Logged()) {
    if (line == "default config|set ok") ++settings;
    if (line.find("\"z\"") != std::string::npos || line.find("lb.set") != std::string::npos) {
      logged.push_back(line);
    }
  }
  EXPECT_EQ(logged, expected);
  EXPECT_EQ(settings, static_cast<std::size_t>(kRounds));
}

TEST_F(AuditTest, WritesWhoseRepliesAreSuppressedAreLogged) {
  Start();
  RespClient client = Connect();
  client.SendRaw(Encoded({"CLIENT", "REPLY", "OFF"}) + Encoded({"ZADD", "z", "1", "a"}) +
                 Encoded({"ZADD", "z", "x", "b"}) + Encoded({"CLIENT", "REPLY", "ON"}));
  EXPECT_EQ(client.ReadReply().ToString(), "+OK");
  EXPECT_EQ(Logged(), (Lines{R"(default zadd,"board":"z","member":"a" ok)",
                             R"(default zadd,"board":"z","member":"b" ERR)"}));
}

TEST_F(AuditTest, BytesThatAreNotUtf8AreBase64) {
  Start();
  RespClient client = Connect();
  client.Command({"ZADD", "z", "1", "\xff\"\n"});
  client.Command({"DEL", "z", "\xff"});
  client.Command({"ZADD", "z", "1", "\"\n\xc3\xbc"});
  EXPECT_EQ(Logged(), (Lines{R"(default zadd,"board":"z","member_base64":"/yIK" ok)",
                             R"(default del,"boards_base64":["eg==","/w=="] ok)",
                             "default zadd,\"board\":\"z\",\"member\":\"\\\"\\n\xc3\xbc\" ok"}));
}

TEST_F(AuditTest, SighupStartsANewFile) {
  Start();
  RespClient client = Connect();
  client.Command({"ZADD", "z", "1", "first"});
  fs::rename(path(), path() + ".1");
  kill(server_->pid(), SIGHUP);
  ASSERT_TRUE(Eventually([&] { return fs::exists(path()); })) << server_->Output();
  client.Command({"ZADD", "z", "1", "second"});
  EXPECT_EQ(Logged(), (Lines{R"(default zadd,"board":"z","member":"second" ok)"}));
  EXPECT_EQ(Split(ReadFile(path() + ".1")).size(), 1U);
}

TEST_F(AuditTest, LinesAreInTheFileWhileTheServerRuns) {
  Start();
  Connect().Command({"ZADD", "z", "1", "a"});
  EXPECT_TRUE(Eventually([&] { return Split(ReadFile(path())).size() == 1; }));
}

TEST_F(AuditTest, AFullDiskStopsNothingAndIsReported) {
  server_.emplace(ServerProcess::Laurel({"--audit-log", "/dev/full"}));
  RespClient client = Connect();
  EXPECT_EQ(client.Ask({"ZADD", "z", "1", "a"}), "1");
  EXPECT_TRUE(Eventually([&] {
    return server_->Output().find(
               "audit-log: 1 lines are lost since the start: No space left on "
               "device") != std::string::npos;
  })) << server_->Output();
  EXPECT_EQ(client.Ask({"ZADD", "z", "1", "b"}), "1");
}

TEST_F(AuditTest, AFileThatCannotBeOpenedEndsTheStart) {
  const ProgramResult ended =
      RunLaurel(ServeArguments({"--in-memory", "--audit-log", (folder_ / "no" / "log").string()}));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_TRUE(ended.Says("laurel: audit-log: cannot open '")) << ended.output;
}

}  // namespace
}  // namespace laurel::black_box
