#include "server/robustness_support.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace laurel::black_box {
namespace {

constexpr int kBatch = 1000;

}  // namespace

void Pace::Step() {
  const Clock::time_point now = Clock::now();
  longest_ = std::max(longest_, now - last_);
  last_ = now;
}

bool Pace::IsTooSlow() const { return std::max(longest_, Clock::now() - last_) >= timeout_; }

std::string ProblemWithTimeout(const std::string& option, std::vector<std::string> arguments,
                               const TimedAttempt& attempt) {
  arguments.insert(arguments.end(), {option, ""});
  std::string problem;
  for (const int timeout_s : {2, 8, 32}) {
    arguments.back() = std::to_string(timeout_s) + "s";
    const ServerProcess server = ServerProcess::Laurel(arguments);
    Pace pace(timeout_s);
    try {
      problem = attempt(server.port(), timeout_s, &pace);
    } catch (const std::runtime_error& error) {
      problem = error.what();
    }
    if (problem.empty() || !pace.IsTooSlow()) return problem;
  }
  return problem;
}

void SleepMs(int milliseconds) { poll(nullptr, 0, milliseconds); }

bool Eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    SleepMs(20);
  }
  return true;
}

void FillBoard(RespClient* client, const std::string& board, int count) {
  for (int first = 0; first < count; first += kBatch) {
    Arguments add = {"ZADD", board};
    for (int i = first; i < count && i < first + kBatch; ++i) {
      char member[32];
      std::snprintf(member, sizeof member, "member:%06d", i);
      add.push_back(std::to_string(i));
      add.emplace_back(member);
    }
    if (client->Command(add).IsError()) throw std::runtime_error("cannot fill " + board);
  }
}

std::string InfoField(RespClient* client, const std::string& name) {
  const std::string text = client->Command({"INFO"}).text;
  const std::size_t at = text.find("\n" + name + ":");
  if (at == std::string::npos) throw std::runtime_error("INFO has no " + name);
  const std::size_t start = at + name.size() + 2;
  return text.substr(start, text.find('\r', start) - start);
}

bool DrainToEnd(RespClient* client, std::size_t* replies) {
  const int patience_ms = static_cast<int>(std::chrono::milliseconds(kPatience).count());
  while (client->ReplyWithin(patience_ms)) {
    client->ReadReply();
    ++*replies;
  }
  return client->ReadEnd();
}

int AwaitExit(pid_t pid) {
  int code = -1;
  Eventually([&] {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      throw std::runtime_error("waitid");
    }
    if (info.si_pid == 0) return false;
    code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
    return true;
  });
  return code;
}

std::size_t PeakResidentBytes(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; file >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmHWM:" && file >> kilobytes) return kilobytes * 1024;
  }
  throw std::runtime_error("no memory figures of process " + std::to_string(pid));
}

bool AllowOpenFiles(std::size_t count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= count) return true;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < count) return false;
  limit.rlim_cur = count;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

}  // namespace laurel::black_box
