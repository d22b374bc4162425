// HTTP requests: the parser must keep its promises for any bytes (http_fuzz_body.h).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/http_fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string failure = laurel::fuzz::RunHttpRequest({data, size});
  if (failure.empty()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", failure.c_str());
  std::abort();
}
