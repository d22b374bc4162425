#include "bench/core/memory.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include <malloc.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "laurel/laurel.h"

namespace laurel::bench {
namespace {

double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Runs `measure` in a child process and returns its result.
double InOwnProcess(const std::function<double()>& measure) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(stdout);  // otherwise the child prints it again
  const pid_t child = fork();
  if (child == 0) {
    const double result = measure();
    const ssize_t written = write(ends[1], &result, sizeof(result));
    _exit(written == sizeof(result) ? 0 : 1);
  }
  close(ends[1]);  // so that the read ends if the child fails
  double result = 0;
  const ssize_t got = read(ends[0], &result, sizeof(result));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (got != sizeof(result) || status != 0) {
    std::fprintf(stderr, "bench: a measuring process failed\n");
    std::exit(1);
  }
  return result;
}

void ApplyEach(Board board, const std::vector<Write>& writes, Stamp* stamp) {
  std::vector<Result<Verdict>> verdicts;
  for (std::size_t start = 0; start < writes.size(); start += 1024) {
    const std::size_t count = std::min<std::size_t>(1024, writes.size() - start);
    board.ApplyBatch({writes.data() + start, count}, {*stamp, *stamp}, &verdicts);
    *stamp += static_cast<Stamp>(count);
  }
}

// Makes sorted input for Load, on a scratch board that is freed before anything is measured.
std::vector<Entry> SortedEntries(Workload* workload) {
  Boards scratch;
  Board board = scratch.Create("scratch").value();
  Stamp stamp = kFirstStamp;
  ApplyEach(board, workload->Inserts().list, &stamp);
  return board.Top(UINT64_MAX);
}

double MeasureBoard(Distribution distribution, MemberStyle style, std::uint64_t entries,
                    Filling filling) {
  Workload workload(distribution, style, entries, 1);
  std::vector<Entry> sorted;
  Workload::Writes inserts;
  Workload::Writes updates;
  if (filling == Filling::kBulkLoad) {
    sorted = SortedEntries(&workload);
  } else {
    inserts = workload.Inserts();
    if (filling == Filling::kUpdates) updates = workload.Updates(entries);
  }
  // Returns freed memory to the system, because the board would grow into it unmeasured.
  malloc_trim(0);
  const double before = ResidentBytes();
  auto boards = std::make_unique<Boards>();
  Board board = boards->Create("board").value();
  if (filling == Filling::kBulkLoad) {
    if (!board.Load(sorted).ok()) std::abort();
    malloc_trim(0);
  } else {
    Stamp stamp = kFirstStamp;
    ApplyEach(board, inserts.list, &stamp);
    ApplyEach(board, updates.list, &stamp);
  }
  const double after = ResidentBytes();
  return (after - before) / static_cast<double>(board.size());
}

double MeasureSmallBoards(std::uint64_t count, std::uint64_t entries_each) {
  base::Random random(2);
  malloc_trim(0);
  const double before = ResidentBytes();
  auto boards = std::make_unique<Boards>();
  constexpr std::uint64_t kMonthMicros = 30ull * 86400 * 1'000'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    Board board = boards->Create("league:" + std::to_string(i)).value();
    for (std::uint64_t k = 0; k < entries_each; ++k) {
      const auto stamp = kFirstStamp + static_cast<Stamp>(random.Below(kMonthMicros));
      const std::string member = std::to_string(i * entries_each + k + 1'000'000);
      const auto score = static_cast<std::int64_t>(random.Below(10'000));
      if (!board.Submit(member, Score{score}, {stamp, stamp}).ok()) std::abort();
    }
  }
  return (ResidentBytes() - before) / static_cast<double>(count * entries_each);
}

}  // namespace

double BytesPerEntry(Distribution distribution, MemberStyle style, std::uint64_t entries,
                     Filling filling) {
  return InOwnProcess([&] { return MeasureBoard(distribution, style, entries, filling); });
}

std::string HugePagePolicy() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string policy;
  return std::getline(file, policy) ? policy : "unknown";
}

double BytesPerEntryOfSmallBoards(std::uint64_t boards, std::uint64_t entries_each) {
  return InOwnProcess([&] { return MeasureSmallBoards(boards, entries_each); });
}

// Redis -----------------------------------------------------------------------------------------

RedisMemory::RedisMemory() {
  char folder[] = "/tmp/laurel-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return;
  folder_ = folder;
  const std::string path = folder_ + "/redis.sock";
  process_ = fork();
  if (process_ == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(127);
    execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", path.c_str(), "--save",
           "", "--appendonly", "no", "--dir", folder, nullptr);
    _exit(127);
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  for (int attempt = 0; attempt < 100 && socket_ < 0; ++attempt) {
    usleep(50'000);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
      socket_ = fd;
    } else {
      close(fd);
    }
  }
  if (ok()) version_ = Info("server", "redis_version");
}

RedisMemory::~RedisMemory() {
  if (socket_ >= 0) close(socket_);
  if (process_ > 0) {
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }
  if (!folder_.empty()) {
    unlink((folder_ + "/redis.sock").c_str());
    rmdir(folder_.c_str());
  }
}

void RedisMemory::Send(const std::string& commands) const {
  for (std::size_t sent = 0; sent < commands.size();) {
    const ssize_t count = write(socket_, commands.data() + sent, commands.size() - sent);
    if (count <= 0) std::abort();
    sent += static_cast<std::size_t>(count);
  }
}

void RedisMemory::AwaitReplies(std::uint64_t count) {
  char buffer[16384];
  while (count > 0) {
    const ssize_t got = read(socket_, buffer, sizeof(buffer));
    if (got <= 0) std::abort();
    const auto lines = static_cast<std::uint64_t>(std::count(buffer, buffer + got, '\n'));
    count -= std::min(count, lines);
  }
}

std::string RedisMemory::Info(const std::string& section, const std::string& name) {
  Send("INFO " + section + "\r\n");
  std::string reply;
  char buffer[16384];
  std::size_t wanted = 1;
  while (reply.size() < wanted) {
    const ssize_t got = read(socket_, buffer, sizeof(buffer));
    if (got <= 0) std::abort();
    reply.append(buffer, static_cast<std::size_t>(got));
    const std::size_t head = reply.find("\r\n");
    wanted = head == std::string::npos ? reply.size() + 1
                                       : head + 4 + std::strtoull(reply.c_str() + 1, nullptr, 10);
  }
  const std::size_t at = reply.find("\n" + name + ":") + name.size() + 2;
  return reply.substr(at, reply.find('\r', at) - at);
}

double RedisMemory::BytesPerEntry(MemberStyle style, std::uint64_t boards,
                                  std::uint64_t entries_each) {
  Send("FLUSHALL SYNC\r\n");
  AwaitReplies(1);
  const double before = std::stod(Info("memory", "used_memory"));
  base::Random random(2);
  const Workload workload(Distribution::kUniform, style, 1, 1);
  std::string commands;
  std::uint64_t pending = 0;
  for (std::uint64_t i = 0; i < boards; ++i) {
    for (std::uint64_t k = 0; k < entries_each; ++k) {
      const bool small = boards > 1;
      const std::string member =
          small ? std::to_string(i * entries_each + k + 1'000'000) : workload.Member(k);
      commands += "ZADD league:" + std::to_string(i) + " " +
                  std::to_string(small ? random.Below(10'000) : random.Next() >> 12) + " " +
                  member + "\r\n";
      if (++pending == 1000) {
        Send(commands);
        AwaitReplies(pending);
        commands.clear();
        pending = 0;
      }
    }
  }
  Send(commands);
  AwaitReplies(pending);
  const double after = std::stod(Info("memory", "used_memory"));
  return (after - before) / static_cast<double>(boards * entries_each);
}

}  // namespace laurel::bench
