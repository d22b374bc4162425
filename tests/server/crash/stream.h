// What one writer of the crash test sends: an endless stream of random steps on boards that are its
// own, and on boards that all writers share. The same seed gives the same stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "server/resp_client.h"

namespace laurel::black_box {

// What is applied as a whole or not at all: one command, or MULTI … EXEC.
struct Step {
  enum class Kind : std::uint8_t {
    kOwn,      // on the writer's boards: the reply can be foretold
    kStamped,  // the same, and the verdict tells the stamp that the member has then
    kMarker,   // its number among the writer's steps, as a score
    kShared,   // one more of everything on the shared boards
    kBrief,    // makes a board that expires at once
  };

  Kind kind = Kind::kOwn;
  std::uint64_t number = 0;  // 1, 2, 3 … over all rounds
  std::vector<Arguments> commands;

  // Noted when it was sent: as many as commands once it is acknowledged.
  std::vector<Value> replies;
  std::chrono::steady_clock::time_point acknowledged_at{};

  bool acknowledged() const { return replies.size() == commands.size(); }
};

// Each shared step adds one to all of these members, in one EXEC: to "total" and to the writer's
// own member, so that the boards show whether an EXEC was applied in part.
inline constexpr const char* kSharedSet = "shared:set";
inline constexpr const char* kSharedBoard = "shared:board";
inline constexpr const char* kTotal = "total";

class Stream {
 public:
  static constexpr int kMembers = 24;  // "m0" to "m23"

  Stream(int writer, std::uint64_t seed);

  // The first ones declare the leaderboards.
  Step Next();

  // Begins every name of its boards.
  const std::string& prefix() const { return prefix_; }
  // Its boards but marker and brief one, whether they exist or not.
  const std::vector<std::string>& boards() const { return boards_; }
  std::string marker() const { return prefix_ + "marker"; }
  std::string brief() const { return prefix_ + "brief"; }
  std::string stamped() const { return prefix_ + "stamped"; }

 private:
  Arguments OwnCommand();
  Arguments SortedSetCommand(const std::string& board);
  Arguments LeaderboardCommand(const std::string& board);
  Arguments ManyBoardsCommand();
  Arguments DeclarationCommand();
  Arguments StampedCommand();
  void AddSpec(Arguments* command);

  template <typename T>
  const T& Any(const std::vector<T>& from) {
    return from[random_.Below(from.size())];
  }
  std::string Number(std::uint64_t bound) { return std::to_string(random_.Below(bound)); }
  std::string Member() { return "m" + Number(kMembers); }

  base::Random random_;
  std::string prefix_;
  std::vector<std::string> sets_;
  std::vector<std::string> leaderboards_;
  std::vector<std::string> boards_;
  std::vector<Arguments> declarations_;
  std::uint64_t steps_ = 0;
};

}  // namespace laurel::black_box
