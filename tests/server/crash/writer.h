// A client of the crash test: sends its stream until the server is gone, and knows afterwards what
// a server that was started again must hold.
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

  // What Verify found.
  struct Outcome {
    std::string problem;           // empty: all is as it must be
    std::size_t acknowledged = 0;  // steps
    std::size_t beyond = 0;        // applied, but not acknowledged
    std::size_t lost = 0;          // acknowledged after `promised`, and not applied
  };

  Writer(int number, std::uint64_t seed) : stream_(number, seed), random_(seed + 1) {}

  // In pipelines of random length, until the connection ends. On any thread.
  void SendUntilTheEnd(int port);

  // `recovered` must hold exactly what the steps that were acknowledged up to `promised` made of
  // it, and whole steps behind them in the order they were sent, none left out. `oracle` holds what
  // the last Verify found; it is told the same steps, and holds afterwards what `recovered` does.
  // Stamps that were told must not have changed.
  Outcome Verify(RespClient* recovered, RespClient* oracle, Time promised);

  const Stream& stream() const { return stream_; }
  // The number of the last step that was sent.
  std::uint64_t sent() const { return sent_; }

 private:
  // Whether the steps of which `recovered` keeps the marker are those that it may hold. The count
  // of steps that it must hold at least, or a problem.
  std::size_t AtLeast(RespClient* recovered, std::size_t promised, std::string* problem);
  // Tells the oracle the steps; an acknowledged reply must have been its reply.
  std::string Apply(RespClient* oracle, std::size_t first, std::size_t last);
  // What is the writer's alone, its part of the shared boards included.
  std::vector<std::string> Own(RespClient* client) const;
  std::string VerifyStamps(RespClient* recovered, std::size_t applied);

  Stream stream_;
  base::Random random_;
  std::vector<Step> steps_;  // sent since the last Verify
  std::uint64_t sent_ = 0;
  std::uint64_t marker_ = 0;                    // as the last Verify found it
  std::map<std::string, std::int64_t> stamps_;  // of the stamped board, then
};

}  // namespace laurel::black_box
