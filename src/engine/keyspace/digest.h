// One number for all that boards hold: equal states have equal digests, whatever way they came
// about (live, from a snapshot, from the log alone), on whatever machine and by whatever build.
#pragma once

#include <cstdint>

#include "engine/keyspace/keyspace.h"

namespace laurel::engine {

struct Digest {
  std::uint64_t value = 0;
  std::uint64_t boards = 0;     // without instances
  std::uint64_t instances = 0;  // of boards with periods
  std::uint64_t closed = 0;     // of those
  std::uint64_t entries = 0;    // visible
  std::uint64_t hidden = 0;     // members that are marked, with an entry or without
  std::uint64_t requests = 0;   // that are remembered
};

// Of each board its name, expiry and Leaderboard::Digest, or the entries of a sorted set in order;
// and the templates that were declared by command. Neither ids nor the clock of stamps: a board
// dropped and made again is the same board. Also of a keyspace that is being restored. O(n).
Digest DigestOf(Keyspace* keys);

}  // namespace laurel::engine
