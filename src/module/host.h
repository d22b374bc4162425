// State that all boards of this server share: memory, time, settings, counters. Created when the
// module is loaded, never destroyed. Main thread only, except where stated.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "calendar/zone_calendar.h"
#include "core/store/environment.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "module/module_settings.h"
#include "module/redis_api.h"
#include "module/sweep.h"
#include "module/value.h"

namespace laurel::module {

class Host {
 public:
  explicit Host(Context* context);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // The time for boards: the system's clock, adjusted by the settings clock and clock-offset.
  [[nodiscard]] Stamp Now() const;
  // Converts a moment of the boards' time to the server's clock, in ms. Far in the future if the
  // boards' clock is stopped.
  [[nodiscard]] std::int64_t ServerMs(Stamp moment) const;

  // Makes a new board. If this system does not know its time zone, the board can be read but not
  // written: see Leaderboard.
  [[nodiscard]] std::unique_ptr<Value> Make(const Spec& spec);
  // ERR if the module cannot hold such a board: unknown zone, FEED too large.
  Status CheckSupported(const Spec& spec, std::uint64_t feed) const;

  // Frees all memory that commands have dropped, if memory is short. Does nothing on threads other
  // than the main thread.
  void ReclaimIfShort();

  // Returns why a board can be read but not written here, for the log; empty if it can be written.
  [[nodiscard]] std::string UnknownZoneWarning(const Spec& spec) const;

  // Returns the text for the log about a board with more entries than its cap.
  [[nodiscard]] static std::string ExcessWarning(const String* name, const Value& value);

  // Returns the value of an open key. Null if the key is empty or of another type; for most
  // commands also if LB.LOAD is filling the value.
  [[nodiscard]] Value* ValueOf(Key* key) const;
  // Like ValueOf, but also returns a value that LB.LOAD is filling.
  [[nodiscard]] Value* AnyValueOf(Key* key) const;

  [[nodiscard]] core::Environment& environment() { return environment_; }
  [[nodiscard]] const calendar::ZoneCalendars& calendars() const { return calendars_; }

  Type* type = nullptr;
  Settings settings;
  Sweep sweep;
  std::uint64_t changes = 0;                 // the last Value::changed_at given
  core::Total boards;                        // existing values; other threads free some
  std::uint64_t refused_applies = 0;         // since the data was loaded
  std::uint64_t refused_before_loading = 0;  // counted again if the loading fails

 private:
  calendar::ZoneCalendars calendars_;
  core::Environment environment_;
};

// REQUIRES: the module is loaded.
Host& TheHost();
// Must be called once, when the module is loaded.
void CreateHost(Context* context);

inline std::string_view TextOf(const String* text) {
  std::size_t bytes = 0;
  const char* data = Api().StringPtrLen(text, &bytes);
  return {data, bytes};
}

// Detects whether the server uses jemalloc. With jemalloc, blocks of more than 192 bytes are
// aligned to a cache line without slack, and a page of 64 KiB is a size class of the allocator.
// With other allocators an aligned block needs 64 bytes more. Must be called once, after Resolve
// and before the first board.
void ChooseAlignment(Context* context);

// Memory for pages and structures of boards. Thread-safe; never destroyed.
std::pmr::memory_resource* ServerMemory();

}  // namespace laurel::module
