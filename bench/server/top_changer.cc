#include "bench/server/top_changer.h"

#include "bench/member_name.h"
#include "bench/server/connection.h"

namespace laurel::bench {
namespace {

// The server answers about 50 to 300 reads between two changes.
constexpr std::chrono::microseconds kPause{500};
// More than the ten members that are read, so that each change puts another member on top.
constexpr std::uint64_t kMembers = 20;

}  // namespace

TopChanger::TopChanger(const Target& target, const std::string& board, std::uint64_t above)
    : thread_([this, target, board, above] { Run(target, board, above); }) {}

TopChanger::~TopChanger() {
  stopping_ = true;
  thread_.join();
}

double TopChanger::ChangesPerSecond() const {
  if (failed_) throw Failure("the client that changes the top of the board failed");
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  return static_cast<double>(changes_) / passed.count();
}

void TopChanger::Run(const Target& target, const std::string& board, std::uint64_t score) {
  try {
    Connection connection(target);
    while (!stopping_) {
      std::this_thread::sleep_for(kPause);
      ++score;
      connection.Ask({"ZADD", board, std::to_string(score), MemberName(score % kMembers)});
      ++changes_;
    }
  } catch (const Failure&) {
    failed_ = true;
  }
}

}  // namespace laurel::bench
