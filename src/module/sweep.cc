#include "module/sweep.h"

#include <algorithm>
#include <string>

#include "base/assert.h"
#include "module/host.h"
#include "module/limits.h"
#include "module/writing.h"

namespace laurel::module {
namespace {

constexpr std::uint64_t kEvictionCheckTicks = 600;  // about once a minute

constexpr std::int64_t kLostHintUs = 1'000'000;

// Whether the passing of time can change the board.
bool CanBeDue(const Value& value) {
  return value.board.has_periods() || value.board.requests() != nullptr ||
         value.spec().expire_us != 0;
}

// Whether this server makes the changes that time causes. The cluster id is checked too, because a
// replica in a cluster starts without a link to its primary: its context has the flag of a primary
// until the cluster's own timer has run.
bool IsPrimary(Context* context) {
  if ((Api().GetContextFlags(context) & kFlagPrimary) == 0) return false;
  const char* id = Api().GetMyClusterID();
  if (id == nullptr) return true;
  const std::string ended(id, kNodeIdBytes);  // the server's id is not terminated
  int flags = 0;
  const int found =
      Api().GetClusterNodeInfo(context, ended.c_str(), nullptr, nullptr, nullptr, &flags);
  return found != kOk || (flags & kNodeReplica) == 0;
}

}  // namespace

void DatabaseNumbers::Swap(int first, int second) {
  const int first_at_start = AtStart(first);
  const int second_at_start = AtStart(second);
  at_start_[first] = second_at_start;
  at_start_[second] = first_at_start;
  now_[first_at_start] = second;
  now_[second_at_start] = first;
}

void Sweep::Start(Context* context) {
  scan_ = Api().ScanCursorCreate();
  Api().SubscribeToKeyspaceEvents(context, kNotifyGeneric, OnKeyspaceEvent);
  Api().SubscribeToServerEvent(context, kSwapEvent, OnSwap);
  Api().CreateTimer(context, kTickMs, OnTimer, this);
}

void Sweep::Hint(int database, std::string_view key, Value* value) {
  LAUREL_ASSERT(value->due_at != Value::kNotKnown);
  if (value->due_at == INT64_MAX) return;
  value->hinted_at = value->due_at;
  hints_.insert({value->due_at, databases_.AtStart(database), std::string(key)});
}

void Sweep::HintLoaded(int database, std::string_view key, Value* value) {
  if (value->hinted_at != INT64_MAX || !CanBeDue(*value)) return;
  value->hinted_at = 0;
  hints_.insert({0, databases_.AtStart(database), std::string(key)});
}

// The hint of a board that has moved is under its old name. The board gets one under the new name.
int Sweep::OnKeyspaceEvent(Context* context, int /*kind*/, const char* event,
                           String* name) noexcept {
  const std::string_view what(event);
  if (what != "rename_to" && what != "copy_to" && what != "move_to") return kOk;
  Host& host = TheHost();
  // Opened for writing, so that a missing key is not counted or notified as a miss.
  Key* key = Api().OpenKey(context, name, kOpenRead | kOpenWrite | kOpenNoTouch);
  if (Value* value = host.AnyValueOf(key)) {
    value->hinted_at = INT64_MAX;
    host.sweep.HintLoaded(Api().GetSelectedDb(context), TextOf(name), value);
  }
  Api().CloseKey(key);
  return kOk;
}

void Sweep::OnSwap(Context* /*context*/, ServerEvent /*event*/, std::uint64_t /*kind*/,
                   void* data) noexcept {
  const auto* swapped = static_cast<const SwappedDatabases*>(data);
  TheHost().sweep.databases_.Swap(swapped->first, swapped->second);
}

std::int64_t Sweep::Lag(Stamp now) const {
  const auto first = hints_.lower_bound({1, 0, ""});  // hints of loaded boards have time 0
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
  host.ReclaimIfShort();
  const bool more_memory = host.environment().Reclaim(kReclaimedPerTick);
  const Stamp now = host.Now();
  // During a handover to a replica the server must not get new effects (FAILOVER, CLIENT PAUSE).
  const bool paused = Api().AvoidReplicaTraffic != nullptr && Api().AvoidReplicaTraffic() != 0;
  const bool advances = IsPrimary(context) && !paused;
  if (advances) {
    AdvanceDue(context, now);
    ScanSome(context);
  }
  if (HasManyStale()) PruneSome(context);
  if (ticks_++ % kEvictionCheckTicks == 0) WarnOfEviction(context);
  const long long tick_ms = host.settings.tick_ms;
  const bool more_due = advances && !hints_.empty() && hints_.begin()->due <= now;
  const bool busy = more_memory || more_due || HasManyStale();
  Api().CreateTimer(context, busy ? std::min(kBusyTickMs, tick_ms) : tick_ms, OnTimer, this);
}

void Sweep::AdvanceDue(Context* context, Stamp now) {
  for (std::size_t i = 0; i < kBoardsPerTick && !hints_.empty(); ++i) {
    if (hints_.begin()->due > now) return;
    const auto first = hints_.extract(hints_.begin());
    AdvanceOne(context, first.value(), now);
  }
}

void Sweep::AdvanceOne(Context* context, const Hinted& place, Stamp now) {
  const int database = databases_.Now(place.database);
  if (Api().SelectDb(context, database) != kOk) return;
  String* name = Api().CreateString(context, place.key.data(), place.key.size());
  {
    KeyWrite write(context, Api().OpenKey(context, name, kOpenRead | kOpenWrite | kOpenNoTouch),
                   name, now);
    if (Value* value = write.value()) {
      value->hinted_at = INT64_MAX;
      write.Advance();
      if (value->due_at < value->hinted_at) Hint(database, place.key, value);
      write.Finish("lb.advance");  // the notification may delete the board
    }
  }
  Api().FreeString(context, name);
}

void Sweep::OnScanned(Context* context, String* name, Key* key, void* data) noexcept {
  Host& host = TheHost();
  Value* value = host.ValueOf(key);
  if (value == nullptr) return;
  // A hint that is long overdue was for another name, so the board has none.
  if (value->hinted_at < host.Now() - kLostHintUs) value->hinted_at = INT64_MAX;
  if (value->hinted_at != INT64_MAX || value->due_at == INT64_MAX) return;
  Sweep& sweep = *static_cast<Sweep*>(data);
  const int database = Api().GetSelectedDb(context);
  value->due_at == Value::kNotKnown ? sweep.HintLoaded(database, TextOf(name), value)
                                    : sweep.Hint(database, TextOf(name), value);
}

// Scans one database after another, and starts over after the last one.
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

bool Sweep::HasManyStale() const { return hints_.size() > 2 * TheHost().boards + kSpareHints; }

// Checks the next hints, whatever their time.
void Sweep::PruneSome(Context* context) {
  for (std::size_t i = 0; i < kPrunedPerTick && !hints_.empty(); ++i) {
    auto next = hints_.upper_bound(pruned_);
    if (next == hints_.end()) next = hints_.begin();
    pruned_ = *next;
    if (IsStale(context, pruned_)) hints_.erase(next);
  }
}

// Whether the hint belongs to no board.
bool Sweep::IsStale(Context* context, const Hinted& place) {
  if (Api().SelectDb(context, databases_.Now(place.database)) != kOk) return true;
  String* name = Api().CreateString(context, place.key.data(), place.key.size());
  // Opened for writing, so that a missing key is not counted or notified as a miss.
  Key* key = Api().OpenKey(context, name, kOpenRead | kOpenWrite | kOpenNoTouch);
  const Value* value = TheHost().ValueOf(key);
  const bool stale = value == nullptr || value->hinted_at != place.due;
  Api().CloseKey(key);
  Api().FreeString(context, name);
  return stale;
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
