#include "server/logs/line_file.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"

namespace laurel::server {
namespace {

constexpr std::int64_t kLongestWaitUs = 500'000;
constexpr std::size_t kEagerBytes = std::size_t{64} << 10;  // written at once

int OpenToAppend(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

std::uint64_t LinesIn(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

LineFile::~LineFile() {
  if (!is_open()) return;
  {
    const base::MutexLock lock(mutex_);
    ends_ = true;
  }
  changed_.NotifyOne();
  thread_.join();
  ::close(file_);
}

Status LineFile::Open(const std::string& path) {
  LAUREL_ASSERT(!is_open());
  path_ = path;
  file_ = OpenToAppend(path);
  if (file_ < 0) {
    return Error{ErrorCode::kErr,
                 name_ + ": cannot open " + base::Quote(path) + ": " + std::strerror(errno)};
  }
  Result<std::thread> started = base::StartThread([this] { Run(); });
  if (!started.ok()) {
    ::close(std::exchange(file_, -1));
    return Error{ErrorCode::kErr, name_ + ": " + started.error().message};
  }
  thread_ = std::move(*started);
  return Ok{};
}

void LineFile::Append(std::string_view line) {
  LAUREL_ASSERT(is_open());
  bool wakes = false;
  {
    const base::MutexLock lock(mutex_);
    if (waiting_.size() + line.size() >= kMaxWaitingLineBytes) {
      ++overflowed_;
      return;
    }
    const std::size_t before = waiting_.size();
    waiting_.append(line);
    waiting_.push_back('\n');
    wakes = before == 0 || (before < kEagerBytes && waiting_.size() >= kEagerBytes);
  }
  if (wakes) changed_.NotifyOne();
}

void LineFile::Reopen() {
  LAUREL_ASSERT(is_open());
  {
    const base::MutexLock lock(mutex_);
    reopens_ = true;
  }
  changed_.NotifyOne();
}

// The thread -----------------------------------------------------------------------------------

bool LineFile::AwaitWork() {
  while (waiting_.empty() && !reopens_ && !ends_) changed_.Wait(mutex_);
  const std::int64_t until_us = base::MonotonicMicros() + kLongestWaitUs;
  while (waiting_.size() < kEagerBytes && !reopens_ && !ends_ &&
         changed_.WaitUntil(mutex_, until_us)) {
    continue;
  }
  return !waiting_.empty() || reopens_ || !ends_;
}

void LineFile::Run() {
  // A broken pipe is an ordinary error here; its signal must not end the server.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  std::string lines;
  base::MutexLock lock(mutex_);
  while (AwaitWork()) {
    lines.clear();
    lines.swap(waiting_);
    const std::uint64_t overflowed = std::exchange(overflowed_, 0);
    const bool reopens = std::exchange(reopens_, false);
    lock.Unlock();
    Write(lines);
    if (overflowed > 0) ReportLost(overflowed, "the disk is too slow");
    if (reopens) OpenAgain();
    lock.Lock();
  }
}

void LineFile::Write(std::string_view lines) {
  if (torn_ && !lines.empty() && ::write(file_, "\n", 1) == 1) torn_ = false;
  while (!lines.empty()) {
    const ssize_t count = ::write(file_, lines.data(), lines.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return ReportLost(LinesIn(lines), std::strerror(count < 0 ? errno : ENOSPC));
    torn_ = lines[static_cast<std::size_t>(count) - 1] != '\n';
    lines.remove_prefix(static_cast<std::size_t>(count));
  }
}

void LineFile::OpenAgain() {
  const int file = OpenToAppend(path_);
  if (file < 0) {
    Log(LogLevel::kError, name_ + ": cannot open " + base::Quote(path_) +
                              " again: " + std::strerror(errno) + "; the lines go to the old file");
    return;
  }
  // The descriptor number must not change, because other threads call is_open().
  ::dup3(file, file_, O_CLOEXEC);
  ::close(file);
  torn_ = false;
  Log(LogLevel::kInfo, name_ + ": opened " + base::Quote(path_) + " again");
}

void LineFile::ReportLost(std::uint64_t lines, const std::string& cause) {
  lost_ += lines;
  if (!lost_log_rate_.Allows()) return;
  Log(LogLevel::kError,
      name_ + ": " + std::to_string(lost_) + " lines are lost since the start: " + cause);
}

}  // namespace laurel::server
