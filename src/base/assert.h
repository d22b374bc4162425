// Assertions end the process, in release builds too: a leaderboard that continues with a broken
// invariant would return wrong ranks and write them to disk.
#pragma once

namespace laurel::base {

[[noreturn]] void AssertFailed(const char* condition, const char* file, int line);

}  // namespace laurel::base

#define LAUREL_ASSERT(condition)                     \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::laurel::base::AssertFailed(#condition, __FILE__, __LINE__))
