// A client of the crash test. It sends its stream until the server is gone, then verifies what the
// restarted server holds.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "server/crash/stream.h"
#include "server/resp_client.h"

namespace laurel::black_box {

class Writer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The result of Verify.
  struct Outcome {
    std::string problem;           // empty if the contents are right
    std::size_t acknowledged = 0;  // acknowledged steps
    std::size_t beyond = 0;        // steps that were applied, but not acknowledged
    std::size_t lost = 0;          // steps acknowledged after `promised`, and not applied
  };

  Writer(int number, std::uint64_t seed) : stream_(number, seed), random_(seed + 1) {}

  // Sends steps in pipelines of random length until the connection ends. On any thread.
  void SendUntilTheEnd(int port);

  // Checks that `recovered` holds exactly the effects of the first n steps sent, for some n that
  // covers at least all steps acknowledged up to `promised`. `oracle` holds the contents of the
  // last Verify; Verify applies the same n steps to it, so that it then holds what `recovered`
  // does. Acknowledged stamps must not have changed.
  Outcome Verify(RespClient* recovered, RespClient* oracle, Time promised);

  const Stream& stream() const { return stream_; }
  // The number of the last step that was sent.
  std::uint64_t sent() const { return sent_; }

 private:
  // Reads the marker of `recovered`. Returns the number of steps that `recovered` must hold at
  // least, given that the first `promised` steps must be there. Sets `problem` if the marker is too
  // old or was never sent.
  std::size_t AtLeast(RespClient* recovered, std::size_t promised, std::string* problem);
  // Applies steps [first, last) to the oracle. An acknowledged reply must equal the oracle's,
  // except those of shared and brief steps. Returns a problem, or empty.
  std::string Apply(RespClient* oracle, std::size_t first, std::size_t last);
  // Describes the writer's own boards and its own members of the shared boards.
  std::vector<std::string> Own(RespClient* client) const;
  std::string VerifyStamps(RespClient* recovered, std::size_t applied);

  Stream stream_;
  base::Random random_;
  std::vector<Step> steps_;  // sent since the last Verify
  std::uint64_t sent_ = 0;
  std::uint64_t marker_ = 0;                    // as of the last Verify
  std::map<std::string, std::int64_t> stamps_;  // of the stamped board, as of the last Verify
};

}  // namespace laurel::black_box
