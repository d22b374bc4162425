// Programmer errors end the process, in release builds too: a leaderboard that goes on with a
// broken invariant hands out wrong ranks and writes them to disk.
#pragma once

namespace laurel::base {

[[noreturn]] void AssertFailed(const char* condition, const char* file, int line);

}  // namespace laurel::base

#define LAUREL_ASSERT(condition)                     \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::laurel::base::AssertFailed(#condition, __FILE__, __LINE__))
