// The access log of HTTP: one line of JSON per answer. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "laurel/result.h"

namespace laurel::server {

class AccessLog {
 public:
  struct Line {
    std::string_view request_id{};
    std::string_view peer{};
    std::string_view token{};
    std::string_view method{};
    std::string_view target{};  // the path without its query, which may hold members
    std::string_view route{};
    int status = 0;
    std::size_t bytes = 0;
    std::int64_t micros = 0;
  };

  ~AccessLog();
  // Opens the file for appending. ERR if that fails.
  Status Open(const std::string& path);
  // Closes the file and opens it again, after it was moved away.
  void Reopen();
  [[nodiscard]] bool is_open() const { return is_open_; }
  void Write(const Line& line);
  // Writes out what is buffered.
  void Flush();

 private:
  void FlushLocked() LAUREL_REQUIRES(mutex_);

  std::string path_;
  bool is_open_ = false;
  base::Mutex mutex_;
  int file_ LAUREL_GUARDED_BY(mutex_) = -1;
  std::string buffer_ LAUREL_GUARDED_BY(mutex_);
};

}  // namespace laurel::server
