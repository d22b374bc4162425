// Memory per entry, of Laurel and of Redis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/core/workload.h"

namespace laurel::bench {

enum class Filling : std::uint8_t {
  kInserts,   // one by one in random order
  kUpdates,   // the same, then as many random updates
  kBulkLoad,  // Load() from sorted input
};

// Growth of the process' resident memory over `entries` entries on one board, per entry, with the
// slack of the allocator. Measured in a child process. REQUIRES: this process has not freed large
// blocks yet, since the child inherits the heap and would grow into its holes unmeasured. The
// figure is that of a server that was just started.
double BytesPerEntry(Distribution distribution, MemberStyle style, std::uint64_t entries,
                     Filling filling);

// The same for many boards of a few integer members each.
double BytesPerEntryOfSmallBoards(std::uint64_t boards, std::uint64_t entries_each);

// The kernel's policy for huge pages, the active one in brackets: "always [madvise] never". A huge
// page is resident as a whole once one of its bytes is touched.
std::string HugePagePolicy();

// Memory of redis-server as it reports it (used_memory). ok() is false if it cannot be started.
class RedisMemory {
 public:
  RedisMemory();
  ~RedisMemory();

  [[nodiscard]] bool ok() const { return socket_ >= 0; }
  [[nodiscard]] const std::string& version() const { return version_; }
  // Bytes per entry of `boards` sorted sets of `entries_each` members.
  double BytesPerEntry(MemberStyle style, std::uint64_t boards, std::uint64_t entries_each);

 private:
  void Send(const std::string& commands) const;
  std::string Info(const std::string& section, const std::string& name);
  // Reads and discards `count` replies.
  void AwaitReplies(std::uint64_t count);

  int process_ = -1;
  int socket_ = -1;
  std::string folder_;
  std::string version_ = "none";
};

}  // namespace laurel::bench
