#include "module/sweep.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "module/host.h"
#include "module/limits.h"
#include "module/writing.h"

namespace laurel::module {
namespace {

constexpr std::uint64_t kEvictionCheckTicks = 600;  // about once a minute

constexpr std::int64_t kLostHintUs = 1'000'000;

// Whether time can do anything to the board.
bool CanBeDue(const Value& value) {
  return value.board.has_periods() || value.board.requests() != nullptr ||
         value.spec().expire_us != 0;
}

bool HasBoard(Context* context, int database, std::string_view key) {
  if (Api().SelectDb(context, database) != kOk) return false;
  String* name = Api().CreateString(context, key.data(), key.size());
  // For writing, because reads count in the server's statistics.
  Key* opened = Api().OpenKey(context, name, kOpenRead | kOpenWrite | kOpenNoTouch);
  const bool has = TheHost().ValueOf(opened) != nullptr;
  Api().CloseKey(opened);
  Api().FreeString(context, name);
  return has;
}

}  // namespace

void Sweep::Start(Context* context) {
  scan_ = Api().ScanCursorCreate();
  Api().CreateTimer(context, kTickMs, OnTimer, this);
}

void Sweep::Hint(int database, std::string_view key, Value* value) {
  if (value->due_at == INT64_MAX) return;
  value->hinted_at = value->due_at;
  Add(value->due_at, database, key);
}

void Sweep::HintLoaded(int database, std::string_view key, Value* value) {
  if (value->hinted_at != INT64_MAX || !CanBeDue(*value)) return;
  value->hinted_at = 0;
  Add(0, database, key);
}

void Sweep::Add(Stamp due, int database, std::string_view key) {
  hints_.insert({due, database, std::string(key)});
  unchecked_ += 2;
}

std::int64_t Sweep::Lag(Stamp now) const {
  const auto first = hints_.lower_bound({1, 0, {}});  // hints of loaded boards have no time
  return first == hints_.end() ? 0 : std::max<std::int64_t>(now - first->due, 0);
}

std::size_t Sweep::DueCount(Stamp now) const {
  std::size_t count = 0;
  for (auto hint = hints_.begin(); hint != hints_.end() && hint->due <= now; ++hint) {
    if (++count == kMostCountedHints) break;
  }
  return count;
}

void Sweep::OnTimer(Context* context, void* data) noexcept {
  static_cast<Sweep*>(data)->Tick(context);
}

void Sweep::Tick(Context* context) {
  Host& host = TheHost();
  const bool more_memory = host.environment().Reclaim(kReclaimedPerTick);
  const Stamp now = host.Now();
  // A server that hands over to a replica wants no new effects meanwhile (FAILOVER, CLIENT PAUSE).
  const bool paused = Api().AvoidReplicaTraffic != nullptr && Api().AvoidReplicaTraffic() != 0;
  const bool primary = (Api().GetContextFlags(context) & kFlagPrimary) != 0;
  if (primary && !paused) {
    AdvanceDue(context, now);
    ScanSome(context);
  }
  if (primary) {
    unchecked_ = 0;
  } else {
    DropHintsWithoutBoard(context);
  }
  if (ticks_++ % kEvictionCheckTicks == 0) WarnOfEviction(context);
  const long long tick_ms = host.settings.tick_ms;
  const bool more_due = primary && !hints_.empty() && hints_.begin()->due <= now;
  Api().CreateTimer(context, more_memory || more_due ? std::min(kBusyTickMs, tick_ms) : tick_ms,
                    OnTimer, this);
}

void Sweep::AdvanceDue(Context* context, Stamp now) {
  for (std::size_t i = 0; i < kBoardsPerTick && !hints_.empty(); ++i) {
    const auto first = hints_.begin();
    if (first->due > now) return;
    const Place place = std::move(hints_.extract(first).value());
    AdvanceOne(context, place, now);
  }
}

void Sweep::AdvanceOne(Context* context, const Place& place, Stamp now) {
  if (Api().SelectDb(context, place.database) != kOk) return;
  String* name = Api().CreateString(context, place.key.data(), place.key.size());
  {
    KeyWrite write(context, Api().OpenKey(context, name, kOpenRead | kOpenWrite | kOpenNoTouch),
                   name, now);
    if (Value* value = write.value()) {
      value->hinted_at = INT64_MAX;
      write.Advance();
      write.Finish("lb.advance");
      if (value->due_at < value->hinted_at) Hint(place.database, place.key, value);
    }
  }
  Api().FreeString(context, name);
}

void Sweep::DropHintsWithoutBoard(Context* context) {
  const std::size_t checks = std::min(unchecked_, kHintsCheckedPerTick);
  unchecked_ -= checks;
  auto hint = hints_.upper_bound(checked_);
  for (std::size_t i = 0; i < checks; ++i) {
    if (hint == hints_.end()) hint = hints_.begin();
    if (hint == hints_.end()) return;
    checked_ = *hint;
    hint = HasBoard(context, hint->database, hint->key) ? std::next(hint) : hints_.erase(hint);
  }
}

void Sweep::OnScanned(Context* context, String* name, Key* key, void* data) noexcept {
  Host& host = TheHost();
  Value* value = host.ValueOf(key);
  if (value == nullptr) return;
  // A hint whose time came long ago was under another name.
  if (value->hinted_at < host.Now() - kLostHintUs) value->hinted_at = INT64_MAX;
  if (value->hinted_at != INT64_MAX || value->due_at == INT64_MAX) return;
  Sweep& sweep = *static_cast<Sweep*>(data);
  const int database = Api().GetSelectedDb(context);
  value->due_at == Value::kNotKnown ? sweep.HintLoaded(database, TextOf(name), value)
                                    : sweep.Hint(database, TextOf(name), value);
}

// A scan of one database after the other. A server that has no further database starts over.
void Sweep::ScanSome(Context* context) {
  if (TheHost().boards == 0) return;
  for (std::size_t i = 0; i < kScannedPerTick; ++i) {
    if (Api().SelectDb(context, scanned_database_) != kOk) {
      scanned_database_ = 0;
      return;
    }
    if (Api().Scan(context, scan_, OnScanned, this) != 0) continue;
    ++scanned_database_;
    Api().ScanCursorRestart(scan_);
  }
}

void Sweep::WarnOfEviction(Context* context) {
  if (warned_of_eviction_ || TheHost().boards == 0) return;
  ServerInfo* info = Api().GetServerInfo(context, "memory");
  const char* policy = Api().ServerInfoGetFieldC(info, "maxmemory_policy");
  const char* limit = Api().ServerInfoGetFieldC(info, "maxmemory");
  const bool evicts = policy != nullptr && std::string_view(policy) != "noeviction" &&
                      limit != nullptr && std::string_view(limit) != "0";
  if (evicts) {
    warned_of_eviction_ = true;
    Api().Log(context, "warning",
              "laurel: maxmemory-policy %s may evict whole leaderboards; use noeviction, or a "
              "volatile policy and boards without expiry",
              policy);
  }
  Api().FreeServerInfo(context, info);
}

}  // namespace laurel::module
