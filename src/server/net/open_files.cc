#include "server/net/open_files.h"

#include <algorithm>
#include <string>

#include <sys/resource.h>

namespace laurel::server {

std::size_t RaiseOpenFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return SIZE_MAX;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  // Some systems show a hard limit that they do not grant.
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
  return limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : static_cast<std::size_t>(limit.rlim_cur);
}

Result<std::uint32_t> ClientsWithin(std::size_t open_files, std::size_t threads,
                                    std::uint32_t wanted) {
  const std::size_t reserved = kReservedFiles + threads * kFilesPerThread;
  if (open_files > reserved) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(wanted, open_files - reserved));
  }
  return Error{ErrorCode::kErr, "the limit of open files is " + std::to_string(open_files) +
                                    " (ulimit -n): at least " + std::to_string(reserved + 1) +
                                    " are needed"};
}

}  // namespace laurel::server
