// Bytes per entry, ours and Redis'.
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

// Growth of the process' resident memory over `entries` entries on one board, per entry: everything
// is in, slack of the allocator too. Measured in a child process. REQUIRES: this process has not
// freed large blocks yet. The child inherits the heap, and grows into its holes unseen; what a
// server that was just started takes is the same figure.
double BytesPerEntry(Distribution distribution, MemberStyle style, std::uint64_t entries,
                     Filling filling);

// The same for many boards of a few integer members each.
double BytesPerEntryOfSmallBoards(std::uint64_t boards, std::uint64_t entries_each);

// The kernel's policy, the chosen one in brackets: "always [madvise] never". A huge page is
// resident as a whole once a byte of it is touched.
std::string HugePagePolicy();

// What redis-server takes, by its own account (used_memory). None if it cannot be started.
class RedisMemory {
 public:
  RedisMemory();
  ~RedisMemory();

  [[nodiscard]] bool ok() const { return socket_ >= 0; }
  [[nodiscard]] const std::string& version() const { return version_; }
  // `boards` sorted sets of `entries_each` members.
  double BytesPerEntry(MemberStyle style, std::uint64_t boards, std::uint64_t entries_each);

 private:
  void Send(const std::string& commands) const;
  std::string Info(const std::string& section, const std::string& name);
  // Reads the replies of the commands sent so far and forgets them.
  void AwaitReplies(std::uint64_t count);

  int process_ = -1;
  int socket_ = -1;
  std::string folder_;
  std::string version_ = "none";
};

}  // namespace laurel::bench
