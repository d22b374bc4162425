// A client of the crash test that writes to a board with periods and gives its writes ids. What it
// was not told about it sends again after the restart: each write counts once, whatever happened.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "server/crash/follower.h"
#include "server/resp_client.h"

namespace laurel::black_box {

class Season {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr const char* kBoard = "season";

  // `keeps_log`: the server keeps enough of it that a consumer misses nothing.
  Season(std::uint64_t seed, bool keeps_log) : random_(seed), keeps_log_(keeps_log) {}

  // A problem, or empty.
  std::string Declare(RespClient* client);
  // In pipelines, until the connection ends. On any thread.
  void SendUntilTheEnd(int port);
  // Reads the changes so far, beside the writes.
  std::string Follow(RespClient* client) { return follower_.Follow(client); }

  // After a restart. `promised` as in Writer; `now` is the server's clock, in µs.
  std::string Verify(RespClient* client, Time promised, std::int64_t now);

  std::size_t retried() const { return retried_; }  // that had been told
  std::size_t found() const { return found_; }      // applied, but not told
  std::size_t closed() const { return follower_.closed().size(); }

 private:
  struct Request {
    Arguments command;
    bool has_id = false;
    bool is_told = false;
    Value reply;
    Time told_at{};
  };
  // What a write said that was told for good.
  struct Told {
    Arguments command;
    std::string text;  // of the reply
    std::int64_t stamp = 0;
  };
  using Sums = std::map<std::string, std::int64_t>;  // by member

  Request Next();
  std::string VerifyChanges(RespClient* client);
  std::string VerifyTold(RespClient* client, std::int64_t now);
  std::string SendAgain(RespClient* client, Time promised);
  std::string VerifySums(RespClient* client);
  std::string VerifyClosed(RespClient* client, bool all_kept);
  // Adds what the write was told to the model.
  std::string Count(const Request& request);
  std::string CountOne(const std::string& member, const std::string& amount, const Value& verdict);
  std::string Member() { return "m" + std::to_string(random_.Below(12)); }

  base::Random random_;
  bool keeps_log_;
  Follower follower_{kBoard};
  std::uint64_t ids_ = 0;
  std::vector<Request> requests_;  // sent since the last Verify
  std::deque<Told> told_;          // the last ones
  Sums all_;
  std::map<std::int64_t, Sums> hours_;            // by their begin, in µs
  std::set<std::int64_t> doubtful_;               // hours that a write may belong to, or not
  std::map<std::string, std::string> closed_at_;  // cursors, by instance
  std::size_t retried_ = 0;
  std::size_t found_ = 0;
};

}  // namespace laurel::black_box
