// Live readers: subscribers that follow the top of a board, or the entries of some members, while
// they change.
//
// The engine does not send a reader a stream of events. It notifies the reader that there is a new
// state (OnReady); the reader then takes the difference from the state it took last (Engine::Take).
// A slow reader skips the states in between, and the engine keeps only a version number for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/access.h"
#include "laurel/entry.h"
#include "laurel/spec.h"
#include "wire/error_texts.h"

namespace laurel::engine {

// What a reader follows. Limits: engine/limits.h.
struct LiveQuery {
  // A board, or an instance such as "lb@day", which always means the current instance. The bare
  // name of a board with periods means the current instance of its first period.
  std::string board;
  std::uint32_t top = 0;             // how many of the best entries to follow
  std::vector<std::string> members;  // members whose entries to follow
  Access access{};  // the subscriber's; updates are `gone` while it does not open the board
  const wire::WaysOut* ways_out = &wire::kRespWaysOut;  // for errors
};

// The entry of a followed member. Null if the member has no entry; a hidden member has no rank.
struct LivePlace {
  std::string member;
  std::shared_ptr<const Entry> entry;
};

// What changed for a reader since its last update. With --fsync always an update contains only
// writes that are on disk; in the other modes it contains every acknowledged write.
struct LiveUpdate {
  std::uint64_t version = 0;  // rises from update to update
  // The update replaces everything sent before, and `top` and `places` are complete. Set on the
  // first update, and when the name means another board, the next instance or another spec.
  bool whole = false;
  // There is no such board now. The subscription stays; an update follows when there is one again.
  bool gone = false;
  std::string board;                 // the name of the board or of the instance
  std::shared_ptr<const Spec> spec;  // of the scores; null if `gone`
  // Number of entries of the board. A change of the size alone is an update for a reader that
  // follows a top.
  std::uint64_t size = 0;
  std::uint64_t top_size = 0;  // entries in the top; the reader drops entries at later ranks
  // The entries of the top that have changed, in order of rank. May include an entry that changed
  // and changed back.
  std::vector<std::shared_ptr<const Entry>> top;
  // The followed members whose rank or entry has changed, in the order of the query. The whole top
  // is read at one moment; a place may have been read some milliseconds later.
  std::vector<LivePlace> places;
};

class LiveReader {
 public:
  virtual ~LiveReader() = default;
  // There is an update to take. Not called again until the reader has called Engine::Take. If the
  // reader calls Take unprompted, it may cross an OnReady, after which there is nothing to take.
  // Runs on a thread that all readers share: return quickly, and call no engine function but Take.
  virtual void OnReady() = 0;
};

using LiveHandle = std::uint64_t;

}  // namespace laurel::engine
