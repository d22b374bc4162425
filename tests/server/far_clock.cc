// Overrides clock_gettime so that the system clock is 300 years ahead. Loaded with LD_PRELOAD.
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += 300LL * 365 * 86'400;
  return static_cast<int>(result);
}
