// Payloads of the module: what it reads must keep its promises for any bytes (module_fuzz_body.h).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/module_fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string failure = laurel::fuzz::RunModulePayload({data, size});
  if (failure.empty()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", failure.c_str());
  std::abort();
}
