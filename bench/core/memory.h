// Memory per entry, of Laurel and of Redis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/core/workload.h"

namespace laurel::bench {

enum class Filling : std::uint8_t {
  kInserts,   // one by one in random order
  kUpdates,   // inserts, then as many random updates
  kBulkLoad,  // Load() from sorted input
};

// Returns the growth of the process' resident memory per entry, over `entries` entries on one
// board, including the allocator's slack. Measured in a child process. REQUIRES: this process has
// not freed large blocks yet, because the child inherits the heap and would grow into its holes
// unmeasured. The figure is that of a freshly started server.
double BytesPerEntry(Distribution distribution, MemberStyle style, std::uint64_t entries,
                     Filling filling);

// Like BytesPerEntry, for many boards of a few integer members each.
double BytesPerEntryOfSmallBoards(std::uint64_t boards, std::uint64_t entries_each);

// Returns the kernel's policy for huge pages, the active one in brackets: "always [madvise] never".
// A huge page is resident as a whole once one of its bytes is touched.
std::string HugePagePolicy();

// The memory that redis-server reports (used_memory). ok() is false if it cannot be started.
class RedisMemory {
 public:
  RedisMemory();
  ~RedisMemory();

  [[nodiscard]] bool ok() const { return socket_ >= 0; }
  [[nodiscard]] const std::string& version() const { return version_; }
  // Returns the bytes per entry of `boards` sorted sets of `entries_each` members.
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
