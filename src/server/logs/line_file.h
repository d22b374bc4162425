// A file that gets one line per event, such as the audit log. A separate thread writes the lines,
// so that no I/O thread waits for the disk.
//
// Lines are written within half a second, and before the destructor returns. If the disk refuses
// them or is too slow, lines are lost: they are counted, and the administrative log says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "laurel/result.h"
#include "server/logs/server_log.h"

namespace laurel::server {

// The limit of lines that wait for the disk; lines above it are lost.
inline constexpr std::size_t kMaxWaitingLineBytes = std::size_t{4} << 20;

class LineFile {
 public:
  // `name` is the name of the option, for messages.
  explicit LineFile(std::string name) : name_(std::move(name)) {}
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Opens the file for appending, creates it if needed, and starts the thread. ERR with a message
  // that names the option, the file and the cause. REQUIRES: not open.
  Status Open(const std::string& path);
  // False until Open has succeeded. Does not change while clients are served.
  [[nodiscard]] bool is_open() const { return file_ >= 0; }

  // The methods below may be called from any thread. REQUIRES: is_open().

  // `line` has no newline.
  void Append(std::string_view line);
  // Reopens the path after the lines so far are written, because the file may have been renamed
  // (log rotation). If that fails, lines go to the old file, and the log says why.
  void Reopen();
  // Returns the number of lines that were lost.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  void Run();
  // Waits for work. False if the thread must end.
  bool AwaitWork() LAUREL_REQUIRES(mutex_);
  void Write(std::string_view lines);
  void OpenAgain();
  void ReportLost(std::uint64_t lines, const std::string& cause);

  const std::string name_;
  std::string path_;
  int file_ = -1;      // only the thread uses it once it runs
  bool torn_ = false;  // the last line in the file lacks its end
  LogRate lost_log_rate_{10'000'000};
  std::atomic<std::uint64_t> lost_{0};

  base::Mutex mutex_;
  base::CondVar changed_;
  std::string waiting_ LAUREL_GUARDED_BY(mutex_);
  std::uint64_t overflowed_ LAUREL_GUARDED_BY(mutex_) = 0;  // lines that did not fit
  bool reopens_ LAUREL_GUARDED_BY(mutex_) = false;
  bool ends_ LAUREL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace laurel::server
