#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace laurel::base {

void AssertFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "laurel: broken invariant at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace laurel::base
