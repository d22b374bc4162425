// The module's own effects, which are mixed with those of a leaderboard
// (leaderboard/effect_codec.h).
//
// They are part of the format of RDB files, AOF and replication: numbers are never reused.
//
//   64  expiry        zigzag ms    the key expires then; 0: no more. Set by the board's EXPIRE
//   65  known expiry  zigzag ms    as 64, without touching the key: RDB and rewrite save TTLs
//   66  feed          n            the board keeps its last n events; 0 drops them
//   67  term          8 bytes      the events that follow belong to a new term
//   68  feed history  first sequence, count, (term, 8 bytes, first sequence)×count
//                                  replaces the feed's events by none, from this sequence on
//   69  event         bytes        appends an event as it was kept
//   70  load          board, next, entries, instances, digest, 8 bytes
//                                  LB.LOAD fills the value, for this board, up to here
//   71  loaded                     the value is a board from here on
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/byte_cursor.h"
#include "base/bytes.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/load.h"

namespace laurel::module {

enum HostEffect : std::uint8_t {
  kExpiryEffect = 64,
  kKnownExpiryEffect = 65,
  kFeedEffect = 66,
  kTermEffect = 67,
  kFeedHistoryEffect = 68,
  kEventEffect = 69,
  kLoadEffect = 70,
  kLoadedEffect = 71,
};
static_assert(kExpiryEffect >= leaderboard::kFirstHostEffect);

// A term of a board's events. The feed begins with a term, and so does the first write after a load
// or a promotion, because the server may have lost events that another one has already shown.
struct FeedTerm {
  std::uint64_t term = 0;   // random, or a hash for a copy (Feed::BeginAsCopy)
  std::uint64_t first = 0;  // sequence number of its first event
};

// A decoded effect of the module. Only the members of its kind are set.
struct ReadHostEffect {
  HostEffect kind = kExpiryEffect;
  std::int64_t at_ms = 0;
  std::uint64_t number = 0;  // feed: n; term: the term; history: the first sequence
  std::vector<FeedTerm> terms{};
  std::string_view event{};
  std::string_view board{};  // load
  leaderboard::LoadProgress progress{};
};

// Reads the effect at the cursor. Fails the cursor if it is unknown or malformed.
ReadHostEffect ReadOwnEffect(base::ByteCursor* cursor);

void WriteExpiry(bool known_only, std::int64_t at_ms, leaderboard::EffectWriter* to);
void WriteFeed(std::uint64_t events, leaderboard::EffectWriter* to);
void WriteTerm(std::uint64_t term, leaderboard::EffectWriter* to);
void WriteHistory(std::uint64_t first, const std::vector<FeedTerm>& terms,
                  leaderboard::EffectWriter* to);
void WriteEvent(std::string_view event, leaderboard::EffectWriter* to);
void WriteLoad(std::string_view board, const leaderboard::LoadProgress& progress,
               leaderboard::EffectWriter* to);
void WriteLoaded(leaderboard::EffectWriter* to);

}  // namespace laurel::module
