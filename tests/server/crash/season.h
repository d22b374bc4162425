// A client of the crash test that writes to a board with periods, with request ids. After a restart
// it sends again the writes that may have been lost: each must count exactly once.
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

  // `keeps_log`: the server keeps enough of its log that the follower must not see a gap.
  Season(std::uint64_t seed, bool keeps_log) : random_(seed), keeps_log_(keeps_log) {}

  // Creates the board. Returns a problem, or empty.
  std::string Declare(RespClient* client);
  // Sends random writes in pipelines until the connection ends. On any thread.
  void SendUntilTheEnd(int port);
  // Reads the change feed so far, while writes go on.
  std::string Follow(RespClient* client) { return follower_.Follow(client); }

  // Checks the server after a restart. Returns a problem, or empty. `promised` as in Writer; `now`
  // is the server's clock, in µs.
  std::string Verify(RespClient* client, Time promised, std::int64_t now);

  // Acknowledged writes sent again.
  std::size_t retried() const { return retried_; }
  // Writes that might have been lost, but were applied.
  std::size_t found() const { return found_; }
  std::size_t closed() const { return follower_.closed().size(); }

 private:
  struct Request {
    Arguments command;
    bool has_id = false;
    bool is_acknowledged = false;
    Value reply;
    Time acknowledged_at{};
  };
  // An acknowledged write. Each retry must get the same reply.
  struct Acknowledged {
    Arguments command;
    std::string text;  // of the reply
    std::int64_t stamp = 0;
  };
  using Sums = std::map<std::string, std::int64_t>;  // by member

  Request Next();
  std::string VerifyChanges(RespClient* client);
  std::string VerifyRetries(RespClient* client, std::int64_t now);
  std::string SendAgain(RespClient* client, Time promised);
  std::string VerifySums(RespClient* client);
  std::string VerifyClosed(RespClient* client, bool all_kept);
  // Adds an acknowledged write to the expected sums.
  std::string Count(const Request& request);
  std::string CountOne(const std::string& member, const std::string& amount, const Value& verdict);
  std::string Member() { return "m" + std::to_string(random_.Below(12)); }

  base::Random random_;
  bool keeps_log_;
  Follower follower_{kBoard};
  std::uint64_t ids_ = 0;
  std::vector<Request> requests_;          // sent since the last Verify
  std::deque<Acknowledged> acknowledged_;  // the newest ones, for retries
  Sums all_;
  std::map<std::int64_t, Sums> hours_;  // by the begin of the hour, in µs
  // Hours whose sums are not checked: a write may belong to the hour or to its neighbour.
  std::set<std::int64_t> doubtful_;
  std::map<std::string, std::string> closed_at_;  // cursor of the close, by instance
  std::size_t retried_ = 0;
  std::size_t found_ = 0;
};

}  // namespace laurel::black_box
