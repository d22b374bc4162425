// A digest of the state of all boards. Equal states have equal digests, however they came about
// (live, from a snapshot, from the log alone), on every machine and with every build.
#pragma once

#include <cstdint>

#include "engine/keyspace/keyspace.h"

namespace laurel::engine {

struct Digest {
  std::uint64_t value = 0;
  std::uint64_t boards = 0;     // a board with periods counts once
  std::uint64_t instances = 0;  // of boards with periods
  std::uint64_t closed = 0;     // closed instances
  std::uint64_t entries = 0;    // visible entries
  std::uint64_t hidden = 0;     // hidden marks, of members with and without an entry
  std::uint64_t requests = 0;   // remembered request ids
};

// The digest covers the name, the expiry and Leaderboard::Digest of each leaderboard; the name, the
// expiry and the entries in order of each sorted set; and the templates set by command. It leaves
// out board ids and the stamp clock, so a board that was dropped and created again is the same
// board. May be called during a restore. O(n).
Digest DigestOf(Keyspace* keys);

}  // namespace laurel::engine
