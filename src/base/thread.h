// Threads that are started while the process serves.
//
// std::thread throws if the system has no room for one more thread, and an exception on a thread
// that serves clients ends the process. A thread that is started before the process serves may
// throw: the start fails.
#pragma once

#include <functional>
#include <thread>

#include "laurel/result.h"

namespace laurel::base {

// Starts a thread that calls `run`. LIMIT with the system's reason if it cannot be started.
Result<std::thread> StartThread(std::function<void()> run);

}  // namespace laurel::base
