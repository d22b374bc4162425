// Random streams of commands: the sorted-set family, keys and transactions, with every option, and
// about one command in six wrong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "server/differential/random_values.h"
#include "server/differential/step.h"

namespace laurel::differential {

class RandomStream {
 public:
  // The same seed gives the same stream.
  explicit RandomStream(std::uint64_t seed);

  // At least `commands` commands, from a state without keys.
  Stream Generate(std::size_t commands);

 private:
  Step NextStep(std::size_t connection);
  Step SeveralCommands();
  Step LexicographicRanges();
  Step PopWithData();
  Step RandomChoice();
  Step Iteration();
  Step Waiting();

  Arguments OneCommand();
  Arguments Mistaken(Arguments command);

  Arguments Transaction();
  Arguments Write();
  Arguments Read();
  Arguments KeyCommand();
  Arguments Other();

  Arguments Zadd();
  Arguments BulkZadd();
  Arguments Zrange();
  Arguments ZrangeLegacy();
  Arguments ZrangeByScore();
  Arguments RangeOptions();
  Arguments Zrangestore();
  Arguments Mpop();
  Arguments SetOperation(bool store);
  Arguments Zintercard();
  Arguments Expire();
  Arguments Copy();
  Arguments LexCommand(const std::string& key);
  Arguments BlockingPop(const std::string& key, const std::string& timeout);
  Arguments ServingCommand(const Arguments& keys);

  void AddKeys(Arguments* command, std::size_t count);
  std::string Timeout();

  base::Random random_;
  RandomValues values_;
  std::size_t longest_run_;
  // Connections that MULTI was sent to, and no EXEC since: kept short, as one mistake spoils all.
  std::array<bool, kStreamConnections> queueing_{};
};

}  // namespace laurel::differential
