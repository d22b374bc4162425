// Random streams of commands: the sorted-set family, keys and transactions, with every option.
// About one command in six is wrong.
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

  // Generates at least `commands` commands, for servers that start empty.
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
  // Connections that got MULTI and no EXEC since. Transactions are kept short, because one mistake
  // aborts the whole.
  std::array<bool, kStreamConnections> queueing_{};
};

}  // namespace laurel::differential
