// The random steps that one writer of the crash test sends, on boards of its own and on boards that
// all writers share. The stream is endless; the same seed gives the same stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "server/resp_client.h"

namespace laurel::black_box {

// Applied as a whole or not at all: one command, or MULTI … EXEC.
struct Step {
  enum class Kind : std::uint8_t {
    kOwn,      // on the writer's own boards: the oracle predicts the reply
    kStamped,  // like kOwn, and the verdict has the new stamp of the member
    kMarker,   // stores the number of the step as a score
    kShared,   // adds one to each of the shared scores
    kBrief,    // creates a board that expires soon
  };

  Kind kind = Kind::kOwn;
  std::uint64_t number = 0;  // 1, 2, 3 … over all rounds
  std::vector<Arguments> commands;

  // As many as `commands` once the step is acknowledged, none before.
  std::vector<Value> replies;
  std::chrono::steady_clock::time_point acknowledged_at{};

  bool acknowledged() const { return replies.size() == commands.size(); }
};

// In one EXEC, each shared step adds one to "total" and to the writer's own member on both boards,
// so that the boards show if an EXEC was applied in part.
inline constexpr const char* kSharedSet = "shared:set";
inline constexpr const char* kSharedBoard = "shared:board";
inline constexpr const char* kTotal = "total";

class Stream {
 public:
  static constexpr int kMembers = 24;  // "m0" to "m23"

  Stream(int writer, std::uint64_t seed);

  // The first steps declare the leaderboards.
  Step Next();

  // The prefix of all its board names.
  const std::string& prefix() const { return prefix_; }
  // Its boards except marker() and brief(), whether they exist or not.
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
