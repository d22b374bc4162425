// The grammar of the LB commands must keep its promises for any words (words_fuzz_body.h).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/words_fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  laurel::fuzz::AcceptedWords accepted{};
  const std::string failure = laurel::fuzz::RunWords({data, size}, &accepted);
  if (failure.empty()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", failure.c_str());
  std::abort();
}
