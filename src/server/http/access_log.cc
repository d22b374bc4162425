#include "server/http/access_log.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/time_text.h"
#include "laurel/stamp_clock.h"
#include "server/state/log.h"
#include "wire/json_writer.h"

namespace laurel::server {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

int OpenForAppending(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
}

}  // namespace

AccessLog::~AccessLog() {
  Flush();
  const base::MutexLock lock(mutex_);
  if (file_ >= 0) close(file_);
}

Status AccessLog::Open(const std::string& path) {
  const base::MutexLock lock(mutex_);
  file_ = OpenForAppending(path);
  if (file_ < 0) {
    return Error{ErrorCode::kErr,
                 "access-log: cannot open '" + path + "': " + std::strerror(errno)};
  }
  path_ = path;
  is_open_ = true;
  return Ok{};
}

void AccessLog::Reopen() {
  if (!is_open_) return;
  const base::MutexLock lock(mutex_);
  FlushLocked();
  const int file = OpenForAppending(path_);
  if (file < 0) {
    Log(LogLevel::kError, "access-log: cannot open '" + path_ + "': " + std::strerror(errno));
    return;
  }
  close(file_);
  file_ = file;
}

void AccessLog::Write(const Line& line) {
  std::string text;
  wire::JsonWriter json;
  json.Begin(&text);
  json.Map(10);
  json.Key("time");
  json.Moment(SystemNow());
  json.Key("request_id");
  json.Bulk(line.request_id);
  json.Key("peer");
  json.Bulk(line.peer);
  json.Key("token");
  line.token.empty() ? json.Null() : json.Bulk(line.token);
  json.Key("method");
  json.Bulk(line.method);
  json.Key("path");
  json.Bulk(line.target);
  json.Key("route");
  line.route.empty() ? json.Null() : json.Bulk(line.route);
  json.Key("status");
  json.Integer(line.status);
  json.Key("bytes");
  json.Integer(static_cast<std::int64_t>(line.bytes));
  json.Key("micros");
  json.Integer(line.micros);
  text += '\n';
  const base::MutexLock lock(mutex_);
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) FlushLocked();
}

void AccessLog::Flush() {
  const base::MutexLock lock(mutex_);
  FlushLocked();
}

void AccessLog::FlushLocked() {
  std::size_t written = 0;
  while (file_ >= 0 && written < buffer_.size()) {
    const ssize_t bytes = write(file_, buffer_.data() + written, buffer_.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) break;  // the disk is full: the lines are lost
    written += static_cast<std::size_t>(bytes);
  }
  buffer_.clear();
}

}  // namespace laurel::server
