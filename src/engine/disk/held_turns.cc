#include "engine/disk/held_turns.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace laurel::engine {
namespace {

void TellUnknown(Turn* turn, const std::string& reason) {
  turn->unknown = "the write is applied, but it is not known to be on disk: " +
                  turn->client()->access.Shown(reason);
}

}  // namespace

void HeldTurns::Hold(Turn* turn, std::uint64_t number) {
  {
    const std::lock_guard lock(mutex_);
    if (!failed_ && number > durable_) {
      held_.push_back({turn, number});
      return;
    }
    if (failed_) TellUnknown(turn, reason_);
  }
  turn->Done();
}

void HeldTurns::Release(std::uint64_t durable) {
  std::vector<Turn*> released;
  {
    const std::lock_guard lock(mutex_);
    durable_ = durable;
    while (!held_.empty() && held_.front().number <= durable) {
      released.push_back(held_.front().turn);
      held_.pop_front();
    }
  }
  for (Turn* turn : released) turn->Done();
}

void HeldTurns::Fail(const std::string& reason) {
  std::deque<Held> failed;
  {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    reason_ = reason;
    failed.swap(held_);
  }
  for (const Held& held : failed) {
    TellUnknown(held.turn, reason);
    held.turn->Done();
  }
}

void HeldTurns::Mend(std::uint64_t durable) {
  const std::lock_guard lock(mutex_);
  failed_ = false;
  durable_ = std::max(durable_, durable);  // more may have been written since
}

std::size_t HeldTurns::size() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

}  // namespace laurel::engine
