#include "module/sweep.h"

#include <algorithm>

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

// Whether this server decides what time does. A replica in a cluster starts without a link to its
// primary, so that its context has the flag of a primary until the cluster's own timer has run.
bool IsPrimary(Context* context) {
  if ((Api().GetContextFlags(context) & kFlagPrimary) == 0) return false;
  const char* id = Api().GetMyClusterID();
  if (id == nullptr) return true;
  const std::string ended(id, kNodeIdBytes);  // the server's has no end
  int flags = 0;
  const int found =
      Api().GetClusterNodeInfo(context, ended.c_str(), nullptr, nullptr, nullptr, &flags);
  return found != kOk || (flags & kNodeReplica) == 0;
}

}  // namespace

void Sweep::Start(Context* context) {
  scan_ = Api().ScanCursorCreate();
  Api().CreateTimer(context, kTickMs, OnTimer, this);
}

void Sweep::Hint(int database, std::string_view key, Value* value) {
  if (value->due_at == INT64_MAX) return;
  value->hinted_at = value->due_at;
  hints_.emplace(value->due_at, Place{database, std::string(key)});
}

void Sweep::HintLoaded(int database, std::string_view key, Value* value) {
  if (value->hinted_at != INT64_MAX || !CanBeDue(*value)) return;
  value->hinted_at = 0;
  hints_.emplace(0, Place{database, std::string(key)});
}

std::int64_t Sweep::Lag(Stamp now) const {
  const auto first = hints_.upper_bound(0);  // hints of loaded boards have no time
  return first == hints_.end() ? 0 : std::max<std::int64_t>(now - first->first, 0);
}

std::size_t Sweep::DueCount(Stamp now) const {
  const bool promoted = scans_all_ && (Api().GetContextFlags(nullptr) & kFlagPrimary) != 0;
  return static_cast<std::size_t>(std::distance(hints_.begin(), hints_.upper_bound(now))) +
         (promoted ? 1 : 0);
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
  bool more_due = false;
  if (!IsPrimary(context)) {
    hints_.clear();
    scans_all_ = true;
    scanned_database_ = 0;
    Api().ScanCursorRestart(scan_);
  } else if (!paused) {
    AdvanceDue(context, now);
    ScanSome(context, scans_all_ ? kScannedAtOnce : kScannedPerTick);
    more_due = scans_all_ || (!hints_.empty() && hints_.begin()->first <= now);
  }
  if (ticks_++ % kEvictionCheckTicks == 0) WarnOfEviction(context);
  const long long tick_ms = host.settings.tick_ms;
  Api().CreateTimer(context, more_memory || more_due ? std::min(kBusyTickMs, tick_ms) : tick_ms,
                    OnTimer, this);
}

void Sweep::AdvanceDue(Context* context, Stamp now) {
  for (std::size_t i = 0; i < kBoardsPerTick && !hints_.empty(); ++i) {
    const auto first = hints_.begin();
    if (first->first > now) return;
    const Place place = std::move(first->second);
    hints_.erase(first);
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

void Sweep::OnScanned(Context* context, String* name, Key* key, void* data) noexcept {
  Host& host = TheHost();
  Value* value = host.ValueOf(key);
  if (value == nullptr) return;
  Sweep& sweep = *static_cast<Sweep*>(data);
  // A hint whose time came long ago was under another name. A hint of a replica is gone.
  const bool lost = value->hinted_at < host.Now() - kLostHintUs;
  if (lost || sweep.scans_all_) value->hinted_at = INT64_MAX;
  if (value->hinted_at != INT64_MAX || value->due_at == INT64_MAX) return;
  const int database = Api().GetSelectedDb(context);
  value->due_at == Value::kNotKnown ? sweep.HintLoaded(database, TextOf(name), value)
                                    : sweep.Hint(database, TextOf(name), value);
}

// A scan of one database after the other. A server that has no further database starts over.
void Sweep::ScanSome(Context* context, std::size_t steps) {
  if (TheHost().boards == 0) {
    scans_all_ = false;
    return;
  }
  for (std::size_t i = 0; i < steps; ++i) {
    if (Api().SelectDb(context, scanned_database_) != kOk) {
      scanned_database_ = 0;
      scans_all_ = false;
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
