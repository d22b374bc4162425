// Shared by the robustness tests: waiting, filling boards, INFO, figures and limits of processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

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
