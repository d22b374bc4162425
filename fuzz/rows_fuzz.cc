// Files to import: readers and writers must keep their promises for any bytes (rows_fuzz_body.h).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/rows_fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string failure = laurel::fuzz::RunRows({data, size});
  if (failure.empty()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", failure.c_str());
  std::abort();
}
