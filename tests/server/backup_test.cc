// `laurel backup` of a running server and `laurel restore` of the backup.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.h"
#include "server/durable_server.h"
#include "server/laurel_program.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/files.h"
#include "tests/support/seed.h"

namespace laurel::black_box {
namespace {

namespace fs = std::filesystem;

class Backup : public testing::Test {
 protected:
  static ProgramResult Take(int port, const fs::path& target,
                            const std::vector<std::string>& environment = {}) {
    return RunLaurel({"backup", "--from", "127.0.0.1:" + std::to_string(port), target.string()},
                     environment);
  }
  static ProgramResult Restore(const fs::path& backup, const fs::path& data) {
    return RunLaurel({"restore", backup.string(), data.string()});
  }
  static void Fill(RespClient* client) {
    for (const Arguments& command : std::vector<Arguments>{
             {"LB.CREATE", "run", "POLICY", "best"},
             {"LB.SUBMIT", "run", "ann", "5", "META", "x"},
             {"LB.SUBMIT", "run", "cy", "7"},
             {"LB.HIDE", "run", "cy"},
             {"LB.TEMPLATE", "SET", "t:*", "POLICY", "sum"},
             {"ZADD", "z", "1", "a", "2", "b"},
             {"EXPIRE", "z", "100000"},
         }) {
      ASSERT_FALSE(client->Command(command).IsError()) << Quoted(command);
    }
  }

  // The last name in a folder that begins with `prefix`, in the order of bytes.
  std::string Newest(const std::string& folder, const std::string& prefix) const {
    std::string newest;
    for (const auto& entry : fs::directory_iterator(folder_ / folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(prefix)) newest = std::max(newest, name);
    }
    return newest;
  }

  // Takes a backup into one file and returns its path.
  fs::path WholeFile() {
    DurableServer server(folder_ / "data");
    server.Start();
    RespClient client(server.port());
    Fill(&client);
    const fs::path file = folder_ / "whole.laurel";
    EXPECT_EQ(Take(server.port(), file).exit_code, 0);
    return file;
  }

  TemporaryFolder folder_;
};

TEST_F(Backup, WithoutLoadABackupIsTheStateOfTheServer) {
  DurableServer server(folder_ / "data");
  server.Start();
  RespClient client(server.port());
  Fill(&client);
  for (const std::string target : {"folder", "file.laurel"}) {
    const ProgramResult taken = Take(server.port(), folder_ / target);
    ASSERT_EQ(taken.exit_code, 0) << taken.output;
    EXPECT_TRUE(taken.Says("backup at record 7 in ")) << taken.output;
  }
  server.Kill();
  const ProgramResult live = RunLaurel({"check", (folder_ / "data").string()});
  ASSERT_EQ(live.exit_code, 0) << live.output;
  ASSERT_EQ(RecordIn(live.output), 7) << live.output;
  const ProgramResult checked = RunLaurel({"check", (folder_ / "folder").string()});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_EQ(DigestIn(checked.output), DigestIn(live.output));
  for (const std::string target : {"folder", "file.laurel"}) {
    const fs::path data = folder_ / ("restored-" + target);
    const ProgramResult restored = Restore(folder_ / target, data);
    EXPECT_EQ(restored.exit_code, 0) << restored.output;
    EXPECT_EQ(DigestIn(restored.output), DigestIn(live.output)) << restored.output;
    DurableServer again(data);
    again.Start();
    RespClient reader(again.port());
    EXPECT_EQ(reader.Ask({"ZSCORE", "run", "ann"}), "\"5\"");
    EXPECT_EQ(reader.Ask({"ZRANGE", "z", "0", "-1"}), R"(["a", "b"])");
    EXPECT_EQ(reader.Ask({"ZADD", "z", "3", "c"}), "1");
  }
}

// Every write is one record, so the counter in a backup shows its record number, whatever writes
// ran during the backup. There are enough members that a snapshot takes many slices, with writes in
// between.
TEST_F(Backup, UnderLoadABackupIsExactlyTheStateAtItsRecord) {
  DurableServer server(folder_ / "data");
  server.Start({"--log-segment", "1mb", "--fsync", "off"});
  RespClient client(server.port());
  FillBoard(&client, "many", 60'000);
  ASSERT_EQ(client.Ask({"ZADD", "count", "0", "m"}), "1");
  const long before = std::stol(InfoField(&client, "laurel_records"));
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    RespClient own(server.port());
    for (int i = 0; !stop; ++i) {
      own.Command({"ZINCRBY", "count", "1", "m"});
    }
  });
  int with_log = 0;
  for (int round = 0; round < 4; ++round) {
    const std::string name = "b" + std::to_string(round) + (round % 2 == 0 ? "" : ".laurel");
    const ProgramResult taken = Take(server.port(), folder_ / name);
    EXPECT_EQ(taken.exit_code, 0) << taken.output;
    const ProgramResult restored = Restore(folder_ / name, folder_ / ("r" + std::to_string(round)));
    EXPECT_EQ(restored.exit_code, 0) << restored.output;
    with_log += restored.Says("log-") ? 1 : 0;
    const long record = RecordIn(restored.output);
    EXPECT_TRUE(taken.Says("backup at record " + std::to_string(record) + " in "))
        << taken.output << restored.output;
    DurableServer again(folder_ / ("r" + std::to_string(round)));
    again.Start();
    RespClient reader(again.port());
    EXPECT_EQ(reader.Ask({"ZSCORE", "count", "m"}), "\"" + std::to_string(record - before) + "\"");
    EXPECT_EQ(reader.Ask({"ZCARD", "many"}), "60000");
  }
  stop = true;
  writer.join();
  EXPECT_GT(with_log, 0) << "no write came while a snapshot was taken: nothing was proved";
}

TEST_F(Backup, OnlyAnAdminOfAllBoardsMayTakeABackup) {
  struct Access {
    std::string role;
    std::string boards;
    std::string secret;
  };
  std::vector<Access> tokens = {{"read", "*", ""},
                                {"submit", "*", ""},
                                {"write", "*", ""},
                                {"admin", "lb:*", ""},
                                {"admin", "*", ""}};
  std::string config;
  for (Access& token : tokens) {
    const IssuedToken made = IssueToken(token.role, token.boards);
    token.secret = made.secret;
    config += made.lines;
  }
  WriteFile(folder_ / "tokens.toml", config);
  DurableServer server(folder_ / "data");
  server.Start({"--config", (folder_ / "tokens.toml").string()});
  for (const Access& token : tokens) {
    const bool may = token.role == "admin" && token.boards == "*";
    const fs::path target = folder_ / ("b-" + token.role + (may ? "-all" : "-some"));
    const ProgramResult taken = Take(server.port(), target, {"LAUREL_TOKEN=" + token.secret});
    EXPECT_EQ(taken.exit_code, may ? 0 : 1) << token.role << taken.output;
    EXPECT_EQ(taken.Says("NOPERM"), !may) << token.role << taken.output;
    EXPECT_EQ(fs::exists(target / "backup"), may) << token.role;
    EXPECT_EQ(fs::exists(target), may) << token.role << ": an empty folder is left";
  }
  const ProgramResult none = Take(server.port(), folder_ / "none");
  EXPECT_TRUE(none.Says("NOAUTH")) << none.output;
  const ProgramResult wrong = Take(server.port(), folder_ / "wrong", {"LAUREL_TOKEN=wrong"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(wrong.Says("WRONGPASS")) << wrong.output;
}

TEST_F(Backup, AnExistingTargetIsRefused) {
  DurableServer server(folder_ / "data");
  server.Start();
  fs::create_directory(folder_ / "full");
  WriteFile(folder_ / "full" / "mine", "x");
  WriteFile(folder_ / "there.laurel", "x");
  WriteFile(folder_ / "plain", "x");
  EXPECT_TRUE(Take(server.port(), folder_ / "full").Says("is not empty: mine is in it"));
  EXPECT_TRUE(Take(server.port(), folder_ / "there.laurel").Says("is there already"));
  EXPECT_TRUE(Take(server.port(), folder_ / "plain").Says("is no folder"));
  EXPECT_EQ(ReadFile(folder_ / "there.laurel"), "x");
  EXPECT_EQ(RunLaurel({"backup"}).exit_code, 2);
  EXPECT_EQ(RunLaurel({"backup", "--frm", "x", "y"}).exit_code, 2);
  EXPECT_EQ(RunLaurel({"backup", "--help"}).exit_code, 0);
  EXPECT_EQ(RunLaurel({"restore", "one"}).exit_code, 2);
}

TEST_F(Backup, ABackupOfAServerInMemoryIsRefused) {
  ServerProcess server = ServerProcess::Laurel({"--in-memory"});
  const ProgramResult taken = Take(server.port(), folder_ / "b");
  EXPECT_EQ(taken.exit_code, 1);
  EXPECT_TRUE(taken.Says("boards are kept in memory only")) << taken.output;
}

// Relays one connection to a server, and closes it after `bytes` bytes from the server, as if the
// server were killed in the middle.
class CuttingProxy {
 public:
  CuttingProxy(int server_port, std::size_t bytes) : listener_(Socket()), port_(Bound(listener_)) {
    thread_ = std::thread([this, server_port, bytes] { Relay(server_port, bytes); });
  }
  ~CuttingProxy() {
    shutdown(listener_, SHUT_RDWR);  // ends accept if no client has connected
    thread_.join();
    close(listener_);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  int port() const { return port_; }

 private:
  static int Socket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }
  static sockaddr_in Local(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }
  static int Bound(int listener) {
    sockaddr_in address = Local(0);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener, generic, length) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, generic, &length) != 0) {
      throw std::runtime_error("cannot listen");
    }
    return ntohs(address.sin_port);
  }

  void Relay(int server_port, std::size_t bytes) const {
    const int client = accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    const int server = Socket();
    const sockaddr_in address = Local(server_port);
    bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    std::vector<char> buffer(1 << 16);
    while (open && bytes > 0) {
      pollfd ready[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      if (poll(ready, 2, -1) < 0) break;
      if (ready[0].revents != 0) open = Pass(client, server, buffer, buffer.size()) > 0;
      if (open && ready[1].revents != 0) {
        const ssize_t passed = Pass(server, client, buffer, std::min(bytes, buffer.size()));
        open = passed > 0;
        bytes -= static_cast<std::size_t>(std::max<ssize_t>(passed, 0));
      }
    }
    close(client);
    close(server);
  }
  static ssize_t Pass(int from, int to, std::vector<char>& buffer, std::size_t most) {
    const ssize_t got = recv(from, buffer.data(), most, 0);
    for (ssize_t done = 0; done < got;) {
      const ssize_t sent =
          send(to, buffer.data() + done, static_cast<std::size_t>(got - done), MSG_NOSIGNAL);
      if (sent <= 0) return -1;
      done += sent;
    }
    return got;
  }

  int listener_;
  int port_;
  std::thread thread_;
};

TEST_F(Backup, ABrokenConnectionLeavesNoUsableBackup) {
  DurableServer server(folder_ / "data");
  server.Start({"--fsync", "off"});
  RespClient client(server.port());
  FillBoard(&client, "many", 100'000);
  int round = 0;
  const auto take = [&](std::size_t bytes) {
    const std::string name = "b" + std::to_string(round) + (round % 2 == 0 ? "" : ".laurel");
    const std::string data = "r" + std::to_string(round++);
    // The server ends the previous backup only when it notices that its connection is closed.
    ProgramResult taken;
    EXPECT_TRUE(Eventually([&] {
      const CuttingProxy proxy(server.port(), bytes);
      taken = Take(proxy.port(), folder_ / name);
      return !taken.Says("BUSY");
    }));
    const ProgramResult restored = Restore(folder_ / name, folder_ / data);
    EXPECT_EQ(restored.exit_code, taken.exit_code) << taken.output << restored.output;
    EXPECT_EQ(fs::exists(folder_ / data), taken.exit_code == 0);
    return taken.exit_code;
  };
  const std::size_t enough = std::size_t{1} << 30;
  ASSERT_EQ(take(enough), 0);
  const std::size_t bytes = fs::file_size(folder_ / "b0" / Newest("b0", "snapshot-"));
  ASSERT_GT(bytes, 2 * kMiB) << "one read would fetch all of it";
  for (const std::size_t cut : {std::size_t{150}, bytes / 4, bytes / 2, bytes - 1}) {
    EXPECT_EQ(take(cut), 1) << cut;
    EXPECT_EQ(take(cut), 1) << cut << ", to the other kind of target";
  }
  EXPECT_EQ(take(enough), 0);
}

TEST_F(Backup, AKilledServerLeavesNoUsableBackup) {
  const std::uint64_t seed = TestSeed();
  base::Random random(seed);
  const fs::path data = folder_ / "data";
  {
    DurableServer server(data);
    server.Start({"--fsync", "off"});
    RespClient client(server.port());
    FillBoard(&client, "many", 100'000);
    EXPECT_EQ(server.Stop(), 0);
  }
  for (int round = 0; round < 6; ++round) {
    DurableServer server(data);
    server.Start();
    const int port = server.port();
    const std::string name = "b" + std::to_string(round) + (round % 2 == 0 ? "" : ".laurel");
    std::thread killer([&, pause = static_cast<int>(random.Below(120))] {
      SleepMs(pause);
      server.Kill();
    });
    const ProgramResult taken = Take(port, folder_ / name);
    killer.join();
    const fs::path target = folder_ / ("r" + std::to_string(round));
    const ProgramResult restored = Restore(folder_ / name, target);
    EXPECT_EQ(restored.exit_code, taken.exit_code) << taken.output << restored.output;
    EXPECT_EQ(fs::exists(target), taken.exit_code == 0) << taken.output;
  }
}

// Restoring -----------------------------------------------------------------------------------

TEST_F(Backup, ATruncatedFileIsRefusedAtEveryLength) {
  const std::string bytes = ReadFile(WholeFile());
  const fs::path cut = folder_ / "cut.laurel";
  for (std::size_t size = 0; size < bytes.size(); size += size < bytes.size() - 40 ? 23 : 1) {
    WriteFile(cut, bytes.substr(0, size));
    const ProgramResult restored = Restore(cut, folder_ / "r");
    ASSERT_EQ(restored.exit_code, 1) << size << " of " << bytes.size() << ": " << restored.output;
    ASSERT_FALSE(fs::exists(folder_ / "r"));
  }
}

TEST_F(Backup, AFileWithAFlippedBitIsRefused) {
  const std::uint64_t seed = TestSeed();
  base::Random random(seed);
  const std::string bytes = ReadFile(WholeFile());
  const fs::path flipped = folder_ / "flipped.laurel";
  for (int i = 0; i < 100; ++i) {
    const std::size_t at = random.Below(bytes.size());
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << random.Below(8));
    WriteFile(flipped, damaged);
    const ProgramResult restored = Restore(flipped, folder_ / "r");
    ASSERT_EQ(restored.exit_code, 1) << "byte " << at << ", seed " << seed << restored.output;
    ASSERT_FALSE(fs::exists(folder_ / "r"));
  }
}

TEST_F(Backup, AFolderWithoutManifestOrWithOtherFilesIsRefused) {
  DurableServer server(folder_ / "data");
  server.Start();
  RespClient client(server.port());
  Fill(&client);
  ASSERT_EQ(Take(server.port(), folder_ / "b").exit_code, 0);
  WriteFile(folder_ / "b" / "log-00000000000000000008", "x");
  EXPECT_TRUE(Restore(folder_ / "b", folder_ / "r").Says("is no file of the backup"));
  fs::remove(folder_ / "b" / "log-00000000000000000008");
  fs::rename(folder_ / "b" / "backup", folder_ / "manifest");
  EXPECT_TRUE(Restore(folder_ / "b", folder_ / "r").Says("or not a finished one"));
  fs::rename(folder_ / "manifest", folder_ / "b" / "backup");
  EXPECT_EQ(Restore(folder_ / "b", folder_ / "r").exit_code, 0);
}

TEST_F(Backup, ARestoreOverwritesNothing) {
  const fs::path file = WholeFile();
  fs::create_directory(folder_ / "full");
  WriteFile(folder_ / "full" / "mine", "x");
  const ProgramResult refused = Restore(file, folder_ / "full");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(refused.Says("is not empty: mine")) << refused.output;
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(Restore(file, folder_ / "empty").exit_code, 0);
}

// The commands ------------------------------------------------------------------------------------

TEST_F(Backup, OneBackupRunsAtATimeAndEndsWithItsConnection) {
  DurableServer server(folder_ / "data");
  server.Start();
  RespClient other(server.port());
  Fill(&other);
  {
    RespClient first(server.port());
    ASSERT_FALSE(first.Command({"LB.BACKUP", "START"}).IsError());
    EXPECT_TRUE(other.Ask({"LB.BACKUP", "START"}).starts_with("-BUSY ")) << "a second one";
  }
  ASSERT_TRUE(Eventually([&] { return !other.Command({"LB.BACKUP", "START"}).IsError(); }));
}

TEST_F(Backup, BackupReadsAreLimitedToItsFilesAndBounds) {
  DurableServer server(folder_ / "data");
  server.Start();
  RespClient client(server.port());
  Fill(&client);
  const Value started = client.Command({"LB.BACKUP", "START"});
  ASSERT_FALSE(started.IsError()) << started.ToString();
  const std::string id = started.Find("id")->ToString();
  const Value& file = started.Find("files")->elements.at(0);
  const std::string name = file.Find("name")->text;
  const auto bytes = static_cast<std::size_t>(file.Find("bytes")->Integer());
  const auto read = [&](const std::string& which, const std::string& of, const std::string& offset,
                        const std::string& count) {
    return client.Command({"LB.BACKUP", "READ", which, of, offset, count});
  };
  EXPECT_EQ(read(id, name, "0", "1048576").text, ReadFile(folder_ / "data" / name));
  EXPECT_EQ(read(id, name, "3", "5").text, ReadFile(folder_ / "data" / name).substr(3, 5));
  EXPECT_EQ(read(id, name, std::to_string(bytes), "5").text, "");
  EXPECT_EQ(read(id, name, "9223372036854775807", "1048576").text, "");
  EXPECT_TRUE(read(id, name, "0", "1048577").IsError());
  EXPECT_TRUE(read(id, name, "0", "0").IsError());
  EXPECT_TRUE(read(id, name, "-1", "1").IsError());
  EXPECT_TRUE(read(id, "lock", "0", "1").IsError());
  EXPECT_TRUE(read(id, "../data/" + name, "0", "1").IsError());
  EXPECT_TRUE(read("0", name, "0", "1").IsError());
  // A file that snapshots have replaced meanwhile can still be read by the backup.
  const std::string before = read(id, name, "0", "1048576").text;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(client.Ask({"ZADD", "more", std::to_string(i), std::to_string(i)}), "1");
    ASSERT_EQ(client.Ask({"SAVE"}), "+OK");
  }
  EXPECT_FALSE(fs::exists(folder_ / "data" / name));
  EXPECT_EQ(read(id, name, "0", "1048576").text, before);
  EXPECT_EQ(client.Ask({"LB.BACKUP", "END", id}), "+OK");
  EXPECT_TRUE(read(id, name, "0", "1").IsError());
  EXPECT_TRUE(client.Command({"LB.BACKUP", "END", id}).IsError());
}

TEST_F(Backup, BackupRepliesKeepTheirOrderAndTransactionsRefuseBackups) {
  DurableServer server(folder_ / "data");
  server.Start();
  RespClient client(server.port());
  client.SendRaw(Encoded({"PING"}) + Encoded({"LB.BACKUP", "START"}) + Encoded({"PING", "x"}) +
                 Encoded({"LB.BACKUP", "READ", "1", "nope", "0", "1"}) + Encoded({"PING", "y"}));
  EXPECT_EQ(client.ReadReply().ToString(), "+PONG");
  EXPECT_FALSE(client.ReadReply().IsError());
  EXPECT_EQ(client.ReadReply().ToString(), "\"x\"");
  EXPECT_TRUE(client.ReadReply().IsError());
  EXPECT_EQ(client.ReadReply().ToString(), "\"y\"");
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  EXPECT_TRUE(client.Command({"LB.BACKUP", "START"}).IsError());
  EXPECT_TRUE(client.Ask({"EXEC"}).starts_with("-EXECABORT"));
}

}  // namespace
}  // namespace laurel::black_box
