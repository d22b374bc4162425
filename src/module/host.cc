#include "module/host.h"

#include <algorithm>
#include <string>
#include <utility>

#include <pthread.h>

#include "base/assert.h"
#include "base/text.h"
#include "laurel/stamp_clock.h"
#include "module/limits.h"

namespace laurel::module {
namespace {

constexpr std::int64_t kFarMs = std::int64_t{100} * 366 * 24 * 3600 * 1000;

constinit Host* the_host = nullptr;
constinit pthread_t main_thread{};

bool IsMainThread() { return pthread_equal(pthread_self(), main_thread) != 0; }

bool MemoryIsShort() { return Api().GetUsedMemoryRatio() > kShortMemoryRatio; }

// Whether dropped memory may be freed later, in slices, by the main thread. Other threads of the
// server only free values, and free them whole. When memory is short the main thread frees at once:
// the server measures how much an eviction has freed, and would otherwise evict more boards; and a
// client that removes entries to make room may write right after that.
bool MayLeave() { return IsMainThread() && !MemoryIsShort(); }

std::uint64_t RandomSeed() {
  std::uint64_t seed = 0;
  Api().GetRandomBytes(reinterpret_cast<unsigned char*>(&seed), sizeof(seed));
  return seed;
}

}  // namespace

Host::Host(Context* context)
    : environment_((ChooseAlignment(context), ServerMemory()), RandomSeed(), core::Shape(),
                   {.direct_pages = true, .may_leave = MayLeave}) {}

Stamp Host::Now() const {
  return settings.clock_us != 0 ? settings.clock_us : SystemNow() + settings.clock_offset_ms * 1000;
}

std::int64_t Host::ServerMs(Stamp moment) const {
  if (settings.clock_us != 0) return moment / 1000 + kFarMs;
  // Rounded up, so that a board never expires early.
  return std::max<std::int64_t>((moment - settings.clock_offset_ms * 1000 + 999) / 1000, 1);
}

std::unique_ptr<Value> Host::Make(const Spec& spec) {
  std::shared_ptr<const Calendar> calendar;
  if (!spec.periods.empty()) {
    const auto found = calendars_.Of(spec.zone, spec.turn_minutes);
    if (found.ok()) calendar = *found;
  }
  auto value = std::make_unique<Value>(spec, &environment_, std::move(calendar), &boards);
  value->changed_at = ++changes;
  return value;
}

Status Host::CheckSupported(const Spec& spec, std::uint64_t feed) const {
  if (feed > kMaxFeed) {
    return Error{ErrorCode::kLimit, "FEED is at most " + std::to_string(kMaxFeed)};
  }
  if (spec.periods.empty()) return Ok{};
  const auto calendar = calendars_.Of(spec.zone, spec.turn_minutes);
  if (!calendar.ok()) return Error{ErrorCode::kErr, "TZ: " + calendar.error().message};
  return Ok{};
}

std::string Host::UnknownZoneWarning(const Spec& spec) const {
  if (CheckSupported(spec, 0).ok()) return "";
  return "laurel: this system does not know the time zone " + base::Quote(spec.zone) +
         " of a leaderboard, which can be read but not written: update tzdata and restart";
}

std::string Host::ExcessWarning(const String* name, const Value& value) {
  const std::string key = name != nullptr ? base::Quote(TextOf(name)) : "a leaderboard";
  return "laurel: " + key + " has more entries than its CAP " + std::to_string(value.spec().cap) +
         ", as on a replica that differs from its primary. The next write evicts the worst of them";
}

void Host::ReclaimIfShort() {
  if (IsMainThread() && MemoryIsShort()) environment_.Reclaim(SIZE_MAX);
}

Value* Host::ValueOf(Key* key) const {
  Value* value = AnyValueOf(key);
  return value != nullptr && value->loading ? nullptr : value;
}

Value* Host::AnyValueOf(Key* key) const {
  if (key == nullptr || Api().ModuleTypeGetType(key) != type) return nullptr;
  return static_cast<Value*>(Api().ModuleTypeGetValue(key));
}

Host& TheHost() {
  LAUREL_ASSERT(the_host != nullptr);
  return *the_host;
}

void CreateHost(Context* context) {
  main_thread = pthread_self();
  the_host = new Host(context);
}

}  // namespace laurel::module
