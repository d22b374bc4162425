// What the robustness tests share: waiting, seeds, bytes in bulk.
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

// Sanitizers keep freed memory back and shadow all of it: resident bytes say nothing then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsMeasured = false;
#else
inline constexpr bool kMemoryIsMeasured = true;
#endif

inline constexpr std::size_t kMiB = std::size_t{1} << 20;
// Long enough for a loaded machine; what it waits for normally takes milliseconds.
inline constexpr std::chrono::seconds kPatience{30};

void SleepMs(int milliseconds);
// Asks again and again until it holds; false if it does not in the end.
bool Eventually(const std::function<bool()>& holds);

// Adds `count` members "member:000042" with scores 0, 1, 2, …
void FillBoard(RespClient* client, const std::string& board, int count);

// The value of a line "name:value" of INFO.
std::string InfoField(RespClient* client, const std::string& name);

// Reads what is left of a connection until the server ends it. Every reply must be whole and every
// error one line; `replies` counts them. False if the server does not end it, or ends it inside a
// reply.
bool DrainToEnd(RespClient* client, std::size_t* replies);

// Waits until the process has ended by itself and leaves it to be reaped: its exit code, or 128 +
// the signal; -1 if it still runs.
int AwaitExit(pid_t pid);

// The most memory that the process has had in RAM at one time.
std::size_t PeakResidentBytes(pid_t pid);

// Allows this process, and the servers it starts, so many open files. False if the system does not.
bool AllowOpenFiles(std::size_t count);

}  // namespace laurel::black_box
