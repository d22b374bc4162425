#include "bench/pauses/probe.h"

#include <algorithm>
#include <thread>

#include "bench/server/connection.h"

namespace laurel::bench {
namespace {

double Milliseconds(Probe::Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

Probe::Probe(const Target& target)
    : thread_(std::async(std::launch::async, [this, target] { Run(target); })) {}

Probe::~Probe() {
  stops_ = true;
  thread_.wait();
}

void Probe::Run(const Target& target) {
  Connection connection(target);
  const std::string ping = Encode({"PING"});
  const std::string add = Encode({"ZADD", "probe", "1", "member"});
  for (bool pings = true; !stops_; pings = !pings) {
    {
      const std::lock_guard lock(mutex_);
      sent_ = Clock::now();
      waiting_ = true;
    }
    connection.Send(pings ? ping : add);
    connection.ReadReply();
    {
      const std::lock_guard lock(mutex_);
      waiting_ = false;
      waits_.push_back({sent_, Milliseconds(Clock::now() - sent_)});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

double Probe::LongestSince(Clock::time_point since) {
  if (thread_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) thread_.get();
  const std::lock_guard lock(mutex_);
  double longest = 0;
  // A request sent before `since` counts too if its reply came later.
  for (const Wait& wait : waits_) {
    if (Milliseconds(since - wait.sent) < wait.ms) longest = std::max(longest, wait.ms);
  }
  if (waiting_) longest = std::max(longest, Milliseconds(Clock::now() - sent_));
  return longest;
}

}  // namespace laurel::bench
