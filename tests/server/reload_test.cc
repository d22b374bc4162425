// SIGHUP: tokens and certificates are read again while clients are served.
#include <filesystem>
#include <optional>
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

constexpr int kPatienceMs = 120'000;

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// The line of CLIENT LIST about the first client with a token of this name.
std::string ListedClient(RespClient* client, const std::string& token) {
  std::istringstream lines(client->Command({"CLIENT", "LIST"}).text);
  std::string line;
  while (std::getline(lines, line) && Count(line, " user=" + token + " ") == 0) {
  }
  return line;
}

struct MadeToken {
  std::string name;
  std::string secret;
  std::string role;
  std::string hash;
  std::string boards;

  std::string Lines() const {
    return "[[token]]\nname = \"" + name + "\"\nrole = \"" + role + "\"\nhash = \"" + hash +
           "\"\nboards = \"" + boards + "\"\n";
  }
};

MadeToken MakeToken(const std::string& name, const std::string& role) {
  const IssuedToken issued = IssueToken(role);
  const std::size_t hash = issued.lines.find("sha256:");
  return {name, issued.secret, role, issued.lines.substr(hash, 7 + 64), "*"};
}

class ReloadTest : public testing::Test {
 protected:
  // Writes the configuration file: `options`, then the tokens.
  void Configure(const std::vector<MadeToken>& tokens, const std::string& options = "") {
    std::string text = options;
    for (const MadeToken& token : tokens) text += token.Lines();
    WriteFile(folder_ / "laurel.toml", text);
  }
  void Start(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.end(), {"--config", (folder_ / "laurel.toml").string()});
    server_.emplace(ServerProcess::Laurel(arguments));
  }
  // Sends SIGHUP and waits until the log says `text` once more.
  void HangUp(const std::string& text = "SIGHUP: tokens added") {
    const std::size_t before = Count(server_->Output(), text);
    kill(server_->pid(), SIGHUP);
    EXPECT_TRUE(Eventually([&] { return Count(server_->Output(), text) > before; }))
        << text << " is missing:\n"
        << server_->Output();
  }
  bool Logged(const std::string& text) const { return Count(server_->Output(), text) > 0; }

  RespClient Connect() const { return RespClient(server_->port(), kPatienceMs); }
  RespClient LogIn(const MadeToken& token) const {
    RespClient client = Connect();
    EXPECT_EQ(client.Ask({"AUTH", token.secret}), "+OK");
    return client;
  }
  bool IsKnown(const MadeToken& token) const {
    RespClient client = Connect();
    return client.Ask({"AUTH", token.secret}) == "+OK";
  }

  TemporaryFolder folder_;
  const MadeToken admin_ = MakeToken("admin", "admin");
  const MadeToken game_ = MakeToken("game", "write");
  std::optional<ServerProcess> server_;
};

// Tokens -----------------------------------------------------------------------------------------

TEST_F(ReloadTest, AnAddedTokenLogsInAndClientsOfOthersStay) {
  Configure({admin_});
  Start();
  RespClient admin = LogIn(admin_);
  EXPECT_FALSE(IsKnown(game_));
  Configure({game_, admin_});
  HangUp("SIGHUP: tokens added: game; removed: none; changed: none");
  EXPECT_TRUE(IsKnown(game_));
  EXPECT_EQ(admin.Ask({"PING"}), "+PONG");
}

TEST_F(ReloadTest, ClientsOfARemovedTokenAreClosedAndOthersStay) {
  Configure({admin_, game_});
  Start({"--threads", "2"});
  RespClient admin = LogIn(admin_);
  RespClient stranger = Connect();
  std::vector<RespClient> games;
  for (int i = 0; i < 4; ++i) games.push_back(LogIn(game_));
  Configure({admin_});
  HangUp("SIGHUP: tokens added: none; removed: game; changed: none");
  for (RespClient& game : games) EXPECT_TRUE(game.ReadEnd());
  EXPECT_FALSE(IsKnown(game_));
  EXPECT_EQ(admin.Ask({"PING"}), "+PONG");
  EXPECT_EQ(stranger.Ask({"AUTH", admin_.secret}), "+OK");
  EXPECT_EQ(admin.Command({"CLIENT", "KILL", "USER", "game"}).ToString(),
            "-ERR No such user 'game'");
}

TEST_F(ReloadTest, ClientsOfATokenWithAnotherRolePatternOrHashAreClosed) {
  MadeToken role = MakeToken("role", "read");
  MadeToken pattern = MakeToken("pattern", "write");
  MadeToken hash = MakeToken("hash", "write");
  Configure({admin_, role, pattern, hash});
  Start();
  RespClient role_client = LogIn(role);
  RespClient pattern_client = LogIn(pattern);
  RespClient hash_client = LogIn(hash);
  const MadeToken old_hash = hash;
  role.role = "write";
  pattern.boards = "rank:*";
  hash.hash = game_.hash;
  Configure({admin_, role, pattern, hash});
  HangUp("SIGHUP: tokens added: none; removed: none; changed: role, pattern, hash");
  EXPECT_TRUE(role_client.ReadEnd());
  EXPECT_TRUE(pattern_client.ReadEnd());
  EXPECT_TRUE(hash_client.ReadEnd());
  EXPECT_EQ(LogIn(role).Ask({"ZADD", "b", "1", "a"}), "1");
  EXPECT_TRUE(LogIn(pattern).Command({"ZADD", "b", "1", "a"}).text.starts_with("NOPERM"));
  EXPECT_FALSE(IsKnown(old_hash));
  EXPECT_TRUE(IsKnown(game_));
}

TEST_F(ReloadTest, BlockedAndMonitoringClientsOfARemovedTokenEnd) {
  MadeToken watcher = MakeToken("watcher", "admin");
  Configure({admin_, watcher});
  Start();
  RespClient admin = LogIn(admin_);
  ASSERT_EQ(admin.Ask({"LB.CREATE", "lb"}), "+OK");
  RespClient pops = LogIn(watcher);
  RespClient follows = LogIn(watcher);
  RespClient monitors = LogIn(watcher);
  pops.Send({"BZPOPMIN", "q", "0"});
  follows.Send({"LB.CHANGES", "lb", "$", "BLOCK", "0"});
  ASSERT_EQ(monitors.Ask({"MONITOR"}), "+OK");
  ASSERT_TRUE(Eventually([&] { return InfoField(&admin, "blocked_clients") == "2"; }));
  Configure({admin_});
  HangUp();
  EXPECT_TRUE(pops.ReadEnd());
  EXPECT_TRUE(follows.ReadEnd());
  std::size_t replies = 0;
  EXPECT_TRUE(DrainToEnd(&monitors, &replies));
  EXPECT_EQ(InfoField(&admin, "blocked_clients"), "0");
  EXPECT_EQ(admin.Ask({"ZADD", "q", "1", "a"}), "1");
  EXPECT_EQ(admin.Ask({"ZCARD", "q"}), "1") << "nobody waits for it any more";
}

TEST_F(ReloadTest, AReplyUnderWayArrivesWholeAndLaterRequestsAreNotTaken) {
  Configure({admin_, game_});
  Start();
  RespClient admin = LogIn(admin_);
  RespClient game = LogIn(game_);
  FillBoard(&admin, "b", 100'000);
  // The replies are larger than the socket's buffers. So they are still being sent when the ZADD
  // arrives, and it is not taken.
  constexpr int kRanges = 20;
  std::string ranges;
  for (int i = 0; i < kRanges; ++i) ranges += Encoded({"ZRANGE", "b", "0", "-1"});
  game.SendRaw(ranges);
  ASSERT_TRUE(Eventually([&] {
    const std::string line = ListedClient(&admin, "game");
    return Count(line, "cmd=zrange") == 1 && Count(line, " omem=0 ") == 0;
  }));
  game.SendRaw(Encoded({"ZADD", "late", "1", "a"}));
  Configure({admin_});
  HangUp();
  for (int i = 0; i < kRanges; ++i) EXPECT_EQ(game.ReadReply().elements.size(), 100'000U);
  EXPECT_TRUE(game.ReadEnd());
  EXPECT_EQ(admin.Ask({"EXISTS", "late"}), "0");
}

TEST_F(ReloadTest, AFileThatIsWrongOrMissingChangesNothing) {
  Configure({admin_, game_});
  Start();
  RespClient game = LogIn(game_);
  const auto changes_nothing = [&](const std::string& reason) {
    HangUp("SIGHUP: nothing is changed: " + reason);
    EXPECT_EQ(game.Ask({"PING"}), "+PONG");
    EXPECT_TRUE(IsKnown(game_));
  };
  const std::string path = (folder_ / "laurel.toml").string();
  WriteFile(path, admin_.Lines() + "[[token]\n");
  changes_nothing(path + ":6:");
  WriteFile(path, admin_.Lines() + "[[token]]\nname = \"x\"\n");
  changes_nothing(path + ":6:1: token: 'role' is missing");
  Configure({admin_}, "prot = 1\n");
  changes_nothing(path + ":1:1: unknown key 'prot'");
  Configure({admin_}, "max-output = \"1mb\"\n");
  changes_nothing("max-reply is");
  std::filesystem::remove(path);
  changes_nothing("--config: '" + path + "' is no regular file");
  Configure({admin_});
  HangUp("SIGHUP: tokens added: none; removed: game; changed: none");
  EXPECT_TRUE(game.ReadEnd());
}

TEST_F(ReloadTest, TheFirstTokenClosesClientsThatHadNone) {
  Configure({});
  Start();
  RespClient client = Connect();
  ASSERT_EQ(client.Ask({"ZADD", "b", "1", "a"}), "1");
  Configure({admin_});
  HangUp();
  EXPECT_TRUE(client.ReadEnd());
  EXPECT_EQ(Connect().Ask({"ZCARD", "b"}), "-NOAUTH Authentication required.");
  EXPECT_EQ(LogIn(admin_).Ask({"ZCARD", "b"}), "1");
}

TEST_F(ReloadTest, TheLastTokenOfALoopbackServerGoesWithAWarning) {
  Configure({admin_});
  Start();
  RespClient admin = LogIn(admin_);
  RespClient stranger = Connect();
  EXPECT_EQ(stranger.Ask({"ZCARD", "b"}), "-NOAUTH Authentication required.");
  Configure({});
  HangUp("SIGHUP: no tokens are left: every client may do everything");
  EXPECT_TRUE(admin.ReadEnd());
  EXPECT_EQ(stranger.Ask({"ZCARD", "b"}), "0");
}

TEST_F(ReloadTest, TheLastTokenOfAServerThatOthersReachStays) {
  Configure({admin_}, "bind = \"0.0.0.0\"\n");
  Start();
  RespClient admin = LogIn(admin_);
  Configure({}, "bind = \"0.0.0.0\"\n");
  HangUp("SIGHUP: nothing is changed: bind: '0.0.0.0' is reached from other machines");
  // The server listens on the old address, whatever the file says.
  Configure({}, "bind = \"127.0.0.1\"\n");
  HangUp("SIGHUP: the tokens stay: bind: '0.0.0.0' is reached from other machines");
  Configure({}, "bind = \"0.0.0.0\"\ninsecure = true\n");
  HangUp("SIGHUP: the tokens stay: bind: '0.0.0.0' is reached from other machines");
  EXPECT_EQ(admin.Ask({"PING"}), "+PONG");
  EXPECT_EQ(Connect().Ask({"ZCARD", "b"}), "-NOAUTH Authentication required.");
}

TEST_F(ReloadTest, TokensOfFlagsReplaceThoseOfTheFileEachTime) {
  Configure({game_});
  Start({"--token", "admin:admin:" + admin_.hash});
  RespClient admin = LogIn(admin_);
  EXPECT_FALSE(IsKnown(game_));
  Configure({});
  HangUp("SIGHUP: tokens added: none; removed: none; changed: none");
  EXPECT_EQ(admin.Ask({"PING"}), "+PONG");
}

TEST_F(ReloadTest, OtherOptionsThatChangedAreNamed) {
  Configure({admin_}, "max-clients = 100\nidle-timeout = \"1h\"\n");
  Start();
  HangUp();
  EXPECT_FALSE(Logged("SIGHUP: only a restart"));
  Configure({admin_}, "max-clients = 200\nidle-timeout = \"1h\"\nhttp-hosts = [\"a\"]\n");
  HangUp("SIGHUP: only a restart applies the new values of max-clients, http-hosts\n");
  EXPECT_EQ(LogIn(admin_).Ask({"CONFIG", "GET", "maxclients"}), "[\"maxclients\", \"100\"]");
}

TEST_F(ReloadTest, WithoutAFileThereIsNothingToRead) {
  server_.emplace(ServerProcess::Laurel({"--token", "admin:admin:" + admin_.hash}));
  RespClient admin = LogIn(admin_);
  HangUp("SIGHUP: there is no configuration file to read; the tokens stay");
  EXPECT_EQ(admin.Ask({"PING"}), "+PONG");
}

TEST_F(ReloadTest, AFileThatIsNotRegularIsNotReadAgain) {
  server_.emplace(ServerProcess::Laurel({"--config", "/dev/null"}));
  HangUp("SIGHUP: nothing is changed: --config: '/dev/null' is no regular file");
}

// Certificates -----------------------------------------------------------------------------------

class CertificateTest : public ReloadTest {
 protected:
  // Makes a certificate for the name, and puts it in place together with its key.
  void MakeCertificate(const std::string& name) {
    ChildProcess openssl;
    openssl.Start({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj",
                   "/CN=" + name, "-days", "2", "-keyout", key_, "-out", certificate_});
    ASSERT_EQ(openssl.AwaitEnd(), 0) << openssl.Report();
  }
  void StartWithTls() {
    server_.emplace(
        ServerProcess::Laurel({"--tls-port", "0", "--tls-cert", certificate_, "--tls-key", key_}));
  }
  // The name that a new connection is shown.
  std::string ServedName() const {
    const std::string output = server_->Output();
    const std::size_t at = output.find("tls 127.0.0.1:");
    if (at == std::string::npos) return output;
    const std::string address = output.substr(at + 4, output.find(',', at) - at - 4);
    ChildProcess openssl;
    openssl.Start({"openssl", "s_client", "-connect", address});
    openssl.AwaitEnd();
    const std::string shown = openssl.Output();
    const std::string subject = "subject=CN = ";
    const std::size_t name = shown.find(subject);
    if (name == std::string::npos) return shown;
    return shown.substr(name + subject.size(), shown.find('\n', name) - name - subject.size());
  }

  const std::string certificate_ = (folder_ / "server.crt").string();
  const std::string key_ = (folder_ / "server.key").string();
};

TEST_F(CertificateTest, NewConnectionsGetTheNewCertificate) {
  MakeCertificate("first");
  StartWithTls();
  EXPECT_EQ(ServedName(), "first");
  MakeCertificate("second");
  EXPECT_EQ(ServedName(), "first");
  HangUp("SIGHUP: certificates are read again");
  EXPECT_EQ(ServedName(), "second");
}

TEST_F(CertificateTest, ABadCertificateOrAForeignKeyChangesNothing) {
  MakeCertificate("first");
  StartWithTls();
  const std::string first_key = ReadFile(key_);
  MakeCertificate("second");
  WriteFile(key_, first_key);
  HangUp("SIGHUP: the certificates stay: tls-key: cannot use '" + key_ + "'");
  EXPECT_EQ(ServedName(), "first");
  WriteFile(certificate_, "no certificate\n");
  HangUp("SIGHUP: the certificates stay: tls-cert: cannot read '" + certificate_ + "'");
  EXPECT_EQ(ServedName(), "first");
}

TEST_F(CertificateTest, ABadCertificateDoesNotKeepARemovedToken) {
  MakeCertificate("first");
  Configure({admin_, game_});
  Start({"--tls-port", "0", "--tls-cert", certificate_, "--tls-key", key_});
  RespClient game = LogIn(game_);
  Configure({admin_});
  WriteFile(certificate_, "no certificate\n");
  HangUp("SIGHUP: the certificates stay");
  EXPECT_TRUE(game.ReadEnd());
  EXPECT_EQ(ServedName(), "first");
}

}  // namespace
}  // namespace laurel::black_box
