// Background work of the module, on a timer of the server's main thread.
//
// On every server it frees the memory that commands have dropped, in slices. On a primary it also
// applies the changes that time causes (closes, instances beyond KEEP, old request ids), with a
// bound per tick. Replicas get the effects.
//
// A value does not store its key's name, so the sweep keeps hints: (time, database, key). A hint is
// verified when it is due, because the key may be gone, replaced, or not due. Notifications of
// RENAME, COPY and MOVE give boards hints under their new names, and SWAPDB renumbers the databases
// of hints. A slow scan over all keys finds boards that have no hint all the same, such as a COPY
// into another database, whose notification names the wrong one. If hints of deleted boards become
// many, they are dropped early.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "laurel/stamp.h"
#include "module/redis_api.h"

namespace laurel::module {

struct Value;

// The numbers of databases at the start of the server, by their present numbers. SWAPDB exchanges
// two databases in O(1), and so does this.
class DatabaseNumbers {
 public:
  [[nodiscard]] int AtStart(int now) const { return Find(at_start_, now); }
  [[nodiscard]] int Now(int at_start) const { return Find(now_, at_start); }
  void Swap(int first, int second);

 private:
  // Returns the number itself if it was never swapped.
  static int Find(const std::map<int, int>& numbers, int number) {
    const auto found = numbers.find(number);
    return found == numbers.end() ? number : found->second;
  }

  std::map<int, int> at_start_;
  std::map<int, int> now_;
};

class Sweep {
 public:
  // Starts the timer and subscribes to the events of keys and databases that move.
  void Start(Context* context);

  // Notes that the board under this key has work at `value->due_at`.
  void Hint(int database, std::string_view key, Value* value);
  // Notes a board that is being loaded; the sweep checks it soon.
  void HintLoaded(int database, std::string_view key, Value* value);

  // The time since the oldest pending work was due, in µs; 0 if none is.
  [[nodiscard]] std::int64_t Lag(Stamp now) const;
  // The number of boards that may have work by now, at most kMostCountedHints. Bounded, because a
  // replica may have a hint for each of its boards.
  [[nodiscard]] std::size_t DueCount(Stamp now) const;

 private:
  struct Hinted {
    Stamp due = 0;
    int database = 0;  // its number at the start of the server
    std::string key;
    // clang-tidy 14 takes the zero that <=> is compared with for a pointer.
    friend auto operator<=>(const Hinted&,
                            const Hinted&) = default;  // NOLINT(modernize-use-nullptr)
  };

  static int OnKeyspaceEvent(Context* context, int kind, const char* event, String* name) noexcept;
  static void OnSwap(Context* context, ServerEvent event, std::uint64_t kind, void* data) noexcept;
  static void OnTimer(Context* context, void* data) noexcept;
  void Tick(Context* context);
  void AdvanceDue(Context* context, Stamp now);
  void AdvanceOne(Context* context, const Hinted& place, Stamp now);
  void ScanSome(Context* context);
  [[nodiscard]] bool HasManyStale() const;
  void PruneSome(Context* context);
  bool IsStale(Context* context, const Hinted& place);
  static void OnScanned(Context* context, String* name, Key* key, void* data) noexcept;
  void WarnOfEviction(Context* context);

  std::set<Hinted> hints_;  // by due time
  DatabaseNumbers databases_;
  Hinted pruned_;  // the hint that PruneSome checked last
  ScanCursor* scan_ = nullptr;
  int scanned_database_ = 0;
  std::uint64_t ticks_ = 0;
  bool warned_of_eviction_ = false;
};

}  // namespace laurel::module
