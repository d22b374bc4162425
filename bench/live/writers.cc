#include "bench/live/writers.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <vector>

#include "base/random.h"
#include "bench/embedded/rig.h"
#include "bench/failure.h"
#include "bench/member_name.h"

namespace laurel::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the value that about `share` of the values do not exceed. Reorders them.
double Quantile(std::vector<float>* values, double share) {
  const auto at = values->begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(values->size() - 1));
  std::nth_element(values->begin(), at, values->end());
  return *at;
}

}  // namespace

WriteFigures MeasureWrites(engine::Engine* engine, const std::string& board, std::uint64_t members,
                           std::size_t threads, double seconds, std::uint64_t seed) {
  const Clock::time_point begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(seconds);
  const auto write = [&](std::uint64_t own_seed) {
    std::vector<float> latencies;  // µs
    testing::TestClient client;
    base::Random random(own_seed);
    std::vector<std::string> command = {"LB.SUBMIT", board, "", ""};
    for (Clock::time_point sent = begin; sent < end;) {
      command[2] = MemberName(random.Below(members));
      command[3] = std::to_string(random.Below(kScores));
      sent = Clock::now();
      const std::string reply = Ask(engine, &client, command);
      const std::chrono::duration<float, std::micro> taken = Clock::now() - sent;
      if (reply.find("accepted") == std::string::npos) throw Failure("not accepted: " + reply);
      latencies.push_back(taken.count());
    }
    return latencies;
  };
  std::vector<std::future<std::vector<float>>> writers;
  for (std::size_t t = 0; t < threads; ++t) {
    writers.push_back(std::async(std::launch::async, write, seed * threads + t));
  }
  std::vector<float> all;
  for (auto& writer : writers) {
    const std::vector<float> some = writer.get();
    all.insert(all.end(), some.begin(), some.end());
  }
  return {static_cast<double>(all.size()) / seconds, Quantile(&all, 0.5), Quantile(&all, 0.99)};
}

}  // namespace laurel::bench
