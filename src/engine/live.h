// Live readers: who follows the top of a board or the places of members while they change.
//
// A reader is not sent a stream of events. It is told that there is news, and takes the difference
// between what it took last and what is now, when it has time. So a slow one skips what was in
// between; nothing is kept for it meanwhile but the number of the state that it has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/access.h"
#include "laurel/entry.h"
#include "laurel/spec.h"

namespace laurel::engine {

// Bounds: engine/limits.h.
struct LiveQuery {
  // A board, or an instance such as "lb@day", which is the present one at any time. Of a board with
  // periods the name alone means the first period's present instance.
  std::string board;
  std::uint32_t top = 0;             // the first entries of the board
  std::vector<std::string> members;  // and these ones' places
  Access access{};  // of who asks; while the name means a board that is not open, it is `gone`
};

// A member that is followed. The entry is null if it has none; a hidden one has no rank.
struct LivePlace {
  std::string member;
  std::shared_ptr<const Entry> entry;
};

// What is new for a reader. Everything told is on disk, in the mode in which writes wait for that
// (--fsync always); in the other modes it is told as soon as a write is acknowledged.
struct LiveUpdate {
  std::uint64_t version = 0;  // rises from update to update
  // Forget what was told before: the first update, another board under the name, the next instance,
  // or another spec. `top` and `places` are complete then.
  bool whole = false;
  // There is no such board now. The reader stays and is told when there is one again.
  bool gone = false;
  std::string board;                 // what is shown: the board's name, or the instance's
  std::shared_ptr<const Spec> spec;  // of the scores; null if `gone`
  // Entries of the board. That they are more or fewer is no news by itself: it is told with the
  // next one.
  std::uint64_t size = 0;
  std::uint64_t top_size = 0;  // entries of the top; what was told at later ranks is gone
  // The ranks of the top that hold another entry, or another score, in order. One that changed and
  // changed back may be among them.
  std::vector<std::shared_ptr<const Entry>> top;
  // The followed members whose place or score is another, in the order of the query. The top is one
  // moment of the board; a place may be of a moment (milliseconds) later.
  std::vector<LivePlace> places;
};

class LiveReader {
 public:
  virtual ~LiveReader() = default;
  // There is news. Not called again before a Take that follows; one that comes without being asked
  // for may cross a call. On a thread that all readers share: be quick, and of the engine call Take
  // at most.
  virtual void OnReady() = 0;
};

using LiveHandle = std::uint64_t;

}  // namespace laurel::engine
