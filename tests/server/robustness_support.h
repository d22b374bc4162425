// Shared by the robustness tests: waiting, filling boards, INFO, figures and limits of processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "server/process.h"
#include "server/resp_client.h"

namespace laurel::black_box {

// Sanitizers delay the reuse of freed memory and add shadow memory, so that resident bytes say
// nothing about the server.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsMeasured = false;
#else
inline constexpr bool kMemoryIsMeasured = true;
#endif

inline constexpr std::size_t kMiB = std::size_t{1} << 20;
// Timeout of the waits below: long enough for a loaded machine. What they wait for normally takes
// milliseconds.
inline constexpr std::chrono::seconds kPatience{120};

// How quick a test is, compared with a timeout of the server.
class Pace {
 public:
  explicit Pace(int timeout_s) : timeout_(timeout_s) {}

  // The test has just used its clients: all timeouts begin anew.
  void Step();
  // The same, after a wait in which no client could time out.
  void Restart() { last_ = Clock::now(); }
  // True if a step, or the time since the last one, was as long as the timeout: the server may have
  // been right to close a client.
  bool IsTooSlow() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::chrono::seconds timeout_;
  Clock::time_point last_ = Clock::now();
  Clock::duration longest_{};
};

using TimedAttempt = std::function<std::string(int port, int timeout_s, Pace* pace)>;
// Checks how a server with the timeout `option` treats clients, however slow the machine is. Starts
// a server with `arguments` and this option, and calls `attempt`, which returns the first problem,
// or empty; a std::runtime_error is a problem too. If an attempt was too slow, its problem says
// nothing, and it is repeated with a longer timeout. Returns the problem, or empty.
std::string ProblemWithTimeout(const std::string& option, std::vector<std::string> arguments,
                               const TimedAttempt& attempt);

void SleepMs(int milliseconds);
// Polls `holds` until it is true. Returns false if it is still false after kPatience.
bool Eventually(const std::function<bool()>& holds);

// Adds `count` members "member:000042" with scores 0, 1, 2, …
void FillBoard(RespClient* client, const std::string& board, int count);

// The value of the line "name:value" of INFO. Throws if there is none.
std::string InfoField(RespClient* client, const std::string& name);

// Reads the rest of a connection until the server closes it. Every reply must be whole and every
// error one line; `replies` counts them. Returns false if the server does not close the connection,
// or closes it inside a reply.
bool DrainToEnd(RespClient* client, std::size_t* replies);

// Waits until the process has ended by itself, without reaping it. Returns its exit code, or 128 +
// the signal; -1 if it still runs after kPatience.
int AwaitExit(pid_t pid);

// The peak resident memory of the process.
std::size_t PeakResidentBytes(pid_t pid);

// Allows this process, and the servers it starts, `count` open files. Returns false if the system
// refuses.
bool AllowOpenFiles(std::size_t count);

}  // namespace laurel::black_box
