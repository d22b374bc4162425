// How the server starts, refuses to start, and stops.
#include <atomic>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "server/child_process.h"
#include "server/laurel_program.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"

namespace laurel::black_box {
namespace {

// The one line on standard error, without the prefix "laurel: ".
std::string Refusal(const std::vector<std::string>& arguments) {
  const ProgramResult ended = RunLaurel(ServeArguments(arguments));
  EXPECT_TRUE(ended.exit_code == 1 || ended.exit_code == 2) << ended.exit_code;
  const std::string& errors = ended.errors;
  EXPECT_FALSE(errors.empty());
  EXPECT_EQ(errors.find('\n'), errors.size() - 1) << "one line: " << errors;
  EXPECT_TRUE(errors.starts_with("laurel: ")) << errors;
  return errors.size() < 9 ? errors : errors.substr(8, errors.size() - 9);
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(testing::TempDir() + "laurel-start-stop-" + std::to_string(getpid()) + ".toml") {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Starting ---------------------------------------------------------------------------------------

TEST(Start, TheReadyLineNamesAddressAndKindOfNewKeys) {
  const auto ready = [](const std::vector<std::string>& arguments) {
    ServerProcess server = ServerProcess::Laurel(arguments);
    EXPECT_EQ(RespClient(server.port()).Ask({"PING"}), "+PONG");
    const std::string output = server.Output();
    const std::string middle = " ready: resp 127.0.0.1:" + std::to_string(server.port()) +
                               ", data in " + (server.directory() / "data").string() +
                               " (fsync always), ";
    const std::size_t at = output.find(middle);
    EXPECT_NE(at, std::string::npos) << output;
    EXPECT_EQ(server.Stop(), 0);
    if (at == std::string::npos) return output;
    const std::size_t line = output.rfind('\n', at) + 1;
    EXPECT_TRUE(output.substr(line, at - line).starts_with("laurel ")) << output;
    const std::size_t rest = at + middle.size();
    return output.substr(rest, output.find('\n', rest) - rest);
  };
  EXPECT_EQ(ready({}), "new keys are sorted sets");
  EXPECT_EQ(ready({"--template", "*"}), "new keys are leaderboards");
  EXPECT_EQ(ready({"--template", "rank:*=TIE last", "--template", "b*"}),
            "new keys are leaderboards under 'rank:*', 'b*', sorted sets otherwise");
}

TEST(Start, PortZeroGivesEachServerItsOwnPort) {
  ServerProcess first = ServerProcess::Laurel();
  ServerProcess second = ServerProcess::Laurel();
  EXPECT_NE(first.port(), second.port());
  RespClient client(second.port());
  EXPECT_EQ(InfoField(&client, "tcp_port"), std::to_string(second.port()));
  EXPECT_EQ(client.Ask({"CONFIG", "GET", "port"}),
            "[\"port\", \"" + std::to_string(second.port()) + "\"]");
}

TEST(Start, APortInUseIsReported) {
  ServerProcess server = ServerProcess::Laurel();
  const std::string port = std::to_string(server.port());
  EXPECT_EQ(Refusal({"--port", port}),
            "cannot listen on 127.0.0.1:" + port + ": Address already in use (--port)");
  EXPECT_EQ(Refusal({"--port", "0", "--http-port", port}),
            "cannot listen on 127.0.0.1:" + port + ": Address already in use (--http-port)");
  EXPECT_EQ(RespClient(server.port()).Ask({"PING"}), "+PONG");
}

TEST(Start, BadFlagsAreRefused) {
  EXPECT_EQ(Refusal({"--prot", "0"}), "unknown option '--prot'; did you mean '--port'?");
  EXPECT_EQ(Refusal({"--port", "65536"}), "--port: expected a number from 0 to 65535, got '65536'");
  EXPECT_EQ(Refusal({"--port"}), "--port: expected a value");
  EXPECT_EQ(Refusal({"extra"}), "unexpected argument 'extra'");
  EXPECT_EQ(Refusal({"--max-memory", "much\nmore"}).find('\n'), std::string::npos);
}

TEST(Start, ABadConfigurationLineIsReportedWithFileAndLine) {
  {
    TemporaryFile file("# a comment\nport = 0\nprot = 1\n");
    const std::string refusal = Refusal({"--config", file.path()});
    EXPECT_TRUE(refusal.starts_with(file.path() + ":3")) << refusal;
    EXPECT_NE(refusal.find("port"), std::string::npos) << refusal;
  }
  {
    TemporaryFile file("port = 0\n\nthreads = \"many\"\n");
    const std::string refusal = Refusal({"--config", file.path()});
    EXPECT_TRUE(refusal.starts_with(file.path() + ":3")) << refusal;
    EXPECT_NE(refusal.find("threads"), std::string::npos) << refusal;
  }
  {
    TemporaryFile file("port = 0\nport == 1\n");
    const std::string refusal = Refusal({"--config", file.path()});
    EXPECT_TRUE(refusal.starts_with(file.path() + ":2")) << refusal;
  }
  EXPECT_NE(Refusal({"--config", "/no/such/file"}).find("/no/such/file"), std::string::npos);
}

TEST(Start, ANonLoopbackAddressNeedsATokenOrTheInsecureOption) {
  const std::string refusal = Refusal({"--port", "0", "--bind", "0.0.0.0"});
  EXPECT_NE(refusal.find("token"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("insecure"), std::string::npos) << refusal;
  EXPECT_FALSE(Refusal({"--port", "0", "--bind", "::"}).empty());
  ServerProcess server = ServerProcess::Laurel({"--bind", "0.0.0.0", "--insecure"});
  EXPECT_EQ(RespClient(server.port()).Ask({"PING"}), "+PONG");
}

TEST(Start, ABadTemplateIsReported) {
  EXPECT_EQ(Refusal({"--port", "0", "--template", "rank:*=FIELDS 9"}),
            "--template: pattern 'rank:*': a leaderboard has 1 to 8 fields, got 9");
  EXPECT_EQ(
      Refusal({"--port", "0", "--template", "rank:*=POLICY sum CAP 3"}),
      "--template: pattern 'rank:*': a cap goes with policy set or best, without operators on "
      "fields: it would forget totals");
  EXPECT_EQ(Refusal({"--port", "0", "--template", "rank:*=TIE 'x"}),
            "--template: pattern 'rank:*': unbalanced quotes in 'TIE \\x27x'");
  TemporaryFile file("[[template]]\npattern = \"a*\"\nspec = \"TIE draw\"\n");
  EXPECT_EQ(Refusal({"--port", "0", "--config", file.path()}),
            file.path() + ":1:1: template: pattern 'a*': unknown tie 'draw': first, last, member");
  EXPECT_EQ(Refusal({"--port", "0", "--data", "x", "--in-memory"}),
            "in-memory and data exclude each other: data in memory is in no folder");
}

TEST(Start, UnreadableCertificatesAreReported) {
  EXPECT_NE(Refusal({"--port", "0", "--tls-port", "0"}).find("tls-cert"), std::string::npos);
  const std::string missing =
      Refusal({"--port", "0", "--tls-port", "0", "--tls-cert", "/no/cert", "--tls-key", "/no/key"});
  EXPECT_TRUE(missing.starts_with("tls-cert: cannot read '/no/cert'")) << missing;
  TemporaryFile file("no certificate\n");
  const std::string wrong = Refusal(
      {"--port", "0", "--tls-port", "0", "--tls-cert", file.path(), "--tls-key", file.path()});
  EXPECT_TRUE(wrong.starts_with("tls-cert: ")) << wrong;
}

TEST(Start, AnUnwritableLogFileIsReported) {
  const std::string refusal = Refusal({"--port", "0", "--log-file", "/dev/null/log"});
  EXPECT_NE(refusal.find("/dev/null/log"), std::string::npos) << refusal;
}

// Stopping ---------------------------------------------------------------------------------------

constexpr int kPatienceMs = 120'000;

// Sends numbered requests until the server closes the connection, and checks every reply. Adds to
// *replies as replies arrive, and one to *connected once connected.
void PipelineUntilTheEnd(int port, int number, std::atomic<int>* connected,
                         std::atomic<int>* replies) {
  RespClient client(port, kPatienceMs);
  ++*connected;
  const std::string board = "board:" + std::to_string(number);
  const auto check = [&](int from, int timeout_ms) {
    int at = from;
    for (; client.ReplyWithin(timeout_ms); ++at) {
      const std::string expected =
          at % 2 == 0 ? "1" : "\"" + std::to_string(at) + "\"";  // ZADD of a new member, ECHO
      EXPECT_EQ(client.ReadReply().ToString(), expected) << number << " at " << at;
      ++*replies;
    }
    return at;
  };
  int read = 0;
  for (int sent = 0;;) {
    std::string batch;
    for (int i = 0; i < 50; ++i, sent += 2) {
      batch += Encoded({"ZADD", board, std::to_string(sent), "m" + std::to_string(sent)});
      batch += Encoded({"ECHO", std::to_string(sent + 1)});
    }
    try {
      client.SendRaw(batch);
    } catch (const std::runtime_error&) {
      break;  // the server is gone; earlier replies are still to be read
    }
    read = check(read, 0);
  }
  check(read, kPatienceMs);
  EXPECT_TRUE(client.ReadEnd()) << number << ": a reply was cut off";
}

void StopWhileClientsPipeline(int signal) {
  constexpr int kClients = 8;
  ServerProcess server = ServerProcess::Laurel({"--threads", "2"});
  std::atomic<int> connected{0};
  std::atomic<int> replies{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back(
        [&, i] { EXPECT_NO_THROW(PipelineUntilTheEnd(server.port(), i, &connected, &replies)); });
  }
  EXPECT_TRUE(Eventually([&] { return connected == kClients && replies > 10'000; }));
  kill(server.pid(), signal);
  EXPECT_EQ(AwaitExit(server.pid()), 0) << server.Output();
  for (std::thread& thread : threads) thread.join();
}

TEST(Stop, SigtermUnderLoadCutsNoReply) { StopWhileClientsPipeline(SIGTERM); }

TEST(Stop, SigintUnderLoadCutsNoReply) { StopWhileClientsPipeline(SIGINT); }

// Waits for the first bytes of a reply and leaves them unread.
bool ReplyBegins(const RespClient& client) {
  pollfd wait{client.fd(), POLLIN, 0};
  return poll(&wait, 1, kPatienceMs) == 1;
}

TEST(Stop, AReplyToASlowReaderArrivesWhole) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient slow(server.port(), kPatienceMs);
  FillBoard(&slow, "b", 100'000);
  slow.SendRaw(Encoded({"ZRANGE", "b", "0", "-1"}));
  ASSERT_TRUE(ReplyBegins(slow));  // the rest is being sent: it is larger than the socket buffers
  kill(server.pid(), SIGTERM);
  SleepMs(300);
  const Value reply = slow.ReadReply();
  EXPECT_EQ(reply.elements.size(), 100'000U);
  EXPECT_EQ(reply.elements.back().text, "member:099999");
  EXPECT_TRUE(slow.ReadEnd());
  EXPECT_EQ(AwaitExit(server.pid()), 0) << server.Output();
}

TEST(Stop, UnreadRequestsDoNotCutOffReplies) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient slow(server.port(), kPatienceMs);
  FillBoard(&slow, "b", 100'000);
  std::string requests;
  for (int i = 0; i < 20; ++i) requests += Encoded({"ZRANGE", "b", "0", "-1"});
  slow.SendRaw(requests + std::string(1000, '\n'));
  ASSERT_TRUE(ReplyBegins(slow));
  SleepMs(100);                           // the socket buffers fill up
  slow.SendRaw(std::string(1000, '\n'));  // the server does not read it: it waits for the client
  kill(server.pid(), SIGTERM);
  std::size_t replies = 0;
  EXPECT_TRUE(DrainToEnd(&slow, &replies)) << "a reply was cut off";
  EXPECT_GT(replies, 0U);
  EXPECT_EQ(AwaitExit(server.pid()), 0) << server.Output();
}

TEST(Stop, BlockedPausedAndIdleClientsDoNotDelayTheStop) {
  ServerProcess server = ServerProcess::Laurel({"--threads", "2"});
  RespClient admin(server.port(), kPatienceMs);
  RespClient waiting(server.port(), kPatienceMs);
  RespClient idle(server.port(), kPatienceMs);
  RespClient half(server.port(), kPatienceMs);
  RespClient monitor(server.port(), kPatienceMs);
  RespClient paused(server.port(), kPatienceMs);
  waiting.Send({"BZPOPMIN", "q", "0"});
  half.SendRaw("*2\r\n$4\r\nEC");
  ASSERT_EQ(monitor.Ask({"MONITOR"}), "+OK");
  ASSERT_TRUE(Eventually([&] { return InfoField(&admin, "blocked_clients") == "1"; }));
  ASSERT_EQ(admin.Ask({"CLIENT", "PAUSE", "1000000", "ALL"}), "+OK");
  paused.Send({"ZADD", "z", "1", "a"});
  SleepMs(100);
  kill(server.pid(), SIGTERM);
  EXPECT_EQ(AwaitExit(server.pid()), 0) << server.Output();
  EXPECT_TRUE(idle.ReadEnd());
  EXPECT_TRUE(half.ReadEnd());
  EXPECT_TRUE(waiting.ReadEnd());
  std::size_t replies = 0;
  EXPECT_TRUE(DrainToEnd(&monitor, &replies));
}

TEST(Stop, AClientThatNeverReadsDoesNotDelayTheStopForever) {
  ServerProcess server = ServerProcess::Laurel({"--stall-timeout", "0"});
  RespClient silent(server.port(), kPatienceMs);
  FillBoard(&silent, "b", 100'000);
  std::string requests;
  for (int i = 0; i < 20; ++i) requests += Encoded({"ZRANGE", "b", "0", "-1"});
  silent.SendRaw(requests);
  SleepMs(100);
  EXPECT_EQ(server.Stop(), 0) << server.Output();
}

TEST(Stop, ASecondSignalDoesNoHarm) {
  ServerProcess server = ServerProcess::Laurel();
  kill(server.pid(), SIGTERM);
  kill(server.pid(), SIGINT);
  kill(server.pid(), SIGTERM);
  const int code = AwaitExit(server.pid());
  EXPECT_TRUE(code == 0 || code == 128 + SIGTERM || code == 128 + SIGINT) << code;
}

TEST(Stop, ShutdownEndsTheServerWithoutAReply) {
  for (const Arguments& command :
       {Arguments{"SHUTDOWN"}, Arguments{"SHUTDOWN", "NOSAVE"}, Arguments{"shutdown", "now"}}) {
    ServerProcess server = ServerProcess::Laurel();
    RespClient client(server.port(), kPatienceMs);
    RespClient other(server.port(), kPatienceMs);
    ASSERT_EQ(other.Ask({"PING"}), "+PONG");
    client.SendRaw(Encoded({"ECHO", "before"}) + Encoded(command));
    EXPECT_EQ(client.ReadReply().ToString(), R"("before")");
    EXPECT_TRUE(client.ReadEnd());
    EXPECT_TRUE(other.ReadEnd());
    EXPECT_EQ(AwaitExit(server.pid()), 0) << server.Output();
    EXPECT_THROW(RespClient(server.port()), std::runtime_error) << "nobody listens any more";
  }
}

TEST(Stop, ARefusedShutdownDoesNotStopTheServer) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  EXPECT_EQ(client.Ask({"SHUTDOWN", "LATER"}), "-ERR syntax error");
  EXPECT_EQ(client.Ask({"SHUTDOWN", "ABORT"}), "-ERR No shutdown in progress.");
  EXPECT_EQ(client.Ask({"MULTI"}), "+OK");
  EXPECT_TRUE(client.Command({"SHUTDOWN"}).IsError());
  EXPECT_EQ(client.Ask({"DISCARD"}), "+OK");
  EXPECT_TRUE(server.Running());
}

}  // namespace
}  // namespace laurel::black_box
