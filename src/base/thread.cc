#include "base/thread.h"

#include <string>
#include <system_error>
#include <utility>

namespace laurel::base {

Result<std::thread> StartThread(std::function<void()> run) {
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kLimit, "cannot start a thread: " + error.code().message()};
  }
}

}  // namespace laurel::base
