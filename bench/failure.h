// The error of a bench program.
#pragma once

#include <stdexcept>

namespace laurel::bench {

// The bench cannot continue; what() gives the reason in one line. Unwinding stops the servers.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace laurel::bench
