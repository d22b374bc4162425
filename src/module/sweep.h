// What the module does by itself, on a timer of the server's main thread.
//
// On every server: frees the memory that commands have dropped, in slices. On a primary: makes real
// what time has done to boards (closes, instances beyond KEEP, old request ids), bounded per tick.
// Replicas get the effects.
//
// A value does not know its key's name, so the sweep keeps hints: (time, database, key). A hint is
// verified when its time comes: the key may be gone, another, or not due. RENAME, MOVE and SWAPDB
// leave boards without a hint; a slow scan over all keys finds them again.
//
// A replica keeps no hints: it does not use them, so those of dropped boards would stay for ever.
// After its promotion a fast scan over all keys finds the boards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "laurel/stamp.h"
#include "module/redis_api.h"

namespace laurel::module {

struct Value;

class Sweep {
 public:
  // Starts the timer.
  void Start(Context* context);

  // The board under this key has work at `value->due_at`.
  void Hint(int database, std::string_view key, Value* value);
  // The same for a board that was loaded, whose time is not known: it is looked at soon.
  void HintLoaded(int database, std::string_view key, Value* value);

  // How long the oldest work has been due, in µs; 0 if none is.
  [[nodiscard]] std::int64_t Lag(Stamp now) const;
  // Boards that may have work by now; at least 1 until a promoted server has looked for them.
  [[nodiscard]] std::size_t DueCount(Stamp now) const;

 private:
  struct Place {
    int database;
    std::string key;
  };

  static void OnTimer(Context* context, void* data) noexcept;
  void Tick(Context* context);
  void AdvanceDue(Context* context, Stamp now);
  void AdvanceOne(Context* context, const Place& place, Stamp now);
  // Goes on with the scan by at most `steps`.
  void ScanSome(Context* context, std::size_t steps);
  static void OnScanned(Context* context, String* name, Key* key, void* data) noexcept;
  void WarnOfEviction(Context* context);

  std::multimap<Stamp, Place> hints_;  // by due time
  ScanCursor* scan_ = nullptr;
  // There are boards without hints: this server is a replica, or was one and has not yet scanned
  // all keys since.
  bool scans_all_ = false;
  int scanned_database_ = 0;
  std::uint64_t ticks_ = 0;
  bool warned_of_eviction_ = false;
};

}  // namespace laurel::module
