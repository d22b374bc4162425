#include "module/writing.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/text.h"
#include "leaderboard/limits.h"
#include "module/feed.h"
#include "module/host.h"
#include "module/host_effects.h"
#include "module/limits.h"

namespace laurel::module {
namespace {

using leaderboard::EffectWriter;
using leaderboard::Summary;

// Memory that every write reuses. A write must not use it after NotifyKeyspaceEvent, because a
// subscriber may run another LB command from inside.
struct Scratch {
  std::string head;
  std::string body;
  leaderboard::Decision decision;
  Summary summary;
};

constinit Scratch* the_scratch = nullptr;
constinit int living_writes = 0;

Scratch& TheScratch() {
  if (the_scratch == nullptr) the_scratch = new Scratch;
  return *the_scratch;
}

std::int64_t ExpiryMs(const Value& value) {
  const Stamp ends = value.board.EndsAt();
  return ends == INT64_MAX ? 0 : TheHost().ServerMs(ends);
}

// Returns the key's expiry in the server; 0: none.
std::int64_t KeyExpiry(Key* key) {
  const long long at_ms = Api().GetAbsExpire(key);
  return at_ms == kNoExpire ? 0 : at_ms;
}

void SetKeyExpiry(Key* key, std::int64_t at_ms) {
  Api().SetAbsExpire(key, at_ms == 0 ? kNoExpire : at_ms);
}

}  // namespace

void ForgetWriteScratch() {
  if (living_writes > 0) return;
  delete the_scratch;
  the_scratch = nullptr;
}

KeyWrite::KeyWrite(Context* context, Key* key, String* name, Stamp now)
    : context_(context),
      key_(key),
      name_(name),
      now_(now),
      head_(TheScratch().head),
      body_(TheScratch().body),
      effects_(&body_) {
  ++living_writes;
  value_ = TheHost().ValueOf(key);
  other_ = value_ == nullptr && Api().KeyType(key) != kEmptyKey;
  // The server expires keys by its own clock. This check covers a clock-offset, and an expiry that
  // the server has not noticed yet. It is skipped if a user has changed the key's expiry.
  const bool ended = value_ != nullptr && value_->expiry_ms != 0 &&
                     value_->board.HasExpired(now_) && IsPrimary() &&
                     KeyExpiry(key_) == value_->expiry_ms;
  if (ended) Delete(kNotifyExpired, "expired");
  // Cleared here and not earlier, because Delete's notification may run another write, which uses
  // them.
  head_.clear();
  body_.clear();
  TheScratch().summary.Clear();
}

KeyWrite::~KeyWrite() {
  LAUREL_ASSERT(living_writes > 0);
  --living_writes;
  if (key_ != nullptr) Api().CloseKey(key_);
}

void KeyWrite::Use(std::unique_ptr<Value> fresh, std::uint64_t feed, bool always) {
  LAUREL_ASSERT(value_ == nullptr && !other_);
  LAUREL_ASSERT(fresh != nullptr && feed <= kMaxFeed);
  fresh_ = std::move(fresh);
  value_ = fresh_.get();
  fresh_feed_ = feed;
  stores_ = always;
  value_->board.Turn(now_, &effects_);
}

void KeyWrite::BeginTerm() {
  if (term_ != 0 || !value_->feed || value_->feed->IsOpen()) return;
  while (term_ == 0) {
    Api().GetRandomBytes(reinterpret_cast<unsigned char*>(&term_), sizeof(term_));
  }
}

std::string KeyWrite::CloseNote() {
  if (!value_->feed) return "";
  BeginTerm();
  const std::uint64_t term = term_ != 0 ? term_ : value_->feed->End().term;
  static_assert(2 * sizeof(std::uint64_t) <= leaderboard::kMaxCloseNoteBytes);
  std::string note(2 * sizeof(std::uint64_t), '\0');
  base::Store(note.data(), term);
  base::Store(note.data() + sizeof(term), value_->feed->End().sequence);
  return note;
}

bool KeyWrite::IsPrimary() {
  if (!primary_) primary_ = (Api().GetContextFlags(context_) & kFlagPrimary) != 0;
  return *primary_;
}

bool KeyWrite::Advance() {
  if (fresh_) return false;
  if (value_->due_at == Value::kNotKnown) value_->due_at = value_->board.Due(now_);
  if (value_->due_at > now_ || !IsPrimary()) return false;
  const Summary summary = value_->board.Advance(now_, kAdvancedAtOnce, CloseNote(), &effects_);
  advanced_ = true;
  changed_ = changed_ || summary.anything();
  value_->due_at = summary.more ? now_ : value_->board.Due(now_);
  // The board's own EXPIRE has passed: the key's expiry deletes it, unless a user has removed that.
  if (summary.ended) value_->due_at = INT64_MAX;
  return summary.more;
}

void KeyWrite::EvictExcess() {
  value_->may_exceed_cap = value_->excess_is_logged = false;
  if (!value_->board.EvictExcess(&effects_)) return;
  changed_ = true;
  const std::string key = base::Quote(TextOf(name_));
  Api().Log(context_, "warning",
            "laurel: %s had more entries than its CAP %llu: this write evicts the worst of them",
            key.c_str(), static_cast<unsigned long long>(value_->spec().cap));
}

void KeyWrite::SetFeed(std::uint64_t events) {
  if (events == value_->feed_events()) return;
  EffectWriter head(&head_);
  WriteFeed(events, &head);
  feed_changed_ = true;
  if (events == 0) {
    value_->feed.reset();
  } else if (value_->feed) {
    value_->feed->SetCapacity(events);
  } else {
    value_->feed = std::make_unique<Feed>(events);
  }
}

void KeyWrite::Execute(const leaderboard::WriteOperation& operation, leaderboard::Answer* answer,
                       const char* event, std::optional<std::uint64_t> feed) {
  Scratch& scratch = TheScratch();
  Advance();
  // An LB.ALTER of the cap evicts by the new one.
  const auto* alter = std::get_if<leaderboard::Alter>(&operation);
  const bool new_cap = alter != nullptr && alter->spec->cap != value_->spec().cap;
  if (value_->may_exceed_cap && !new_cap) EvictExcess();
  const Stamp stamp = std::max(now_, std::min(value_->board.last_stamp(), kMaxStamp) + 1);
  const std::string_view board = TextOf(name_);
  value_->board.Decide(operation, {board, now_, stamp}, &scratch.decision);
  const bool drops = fresh_ && !stores_ && !scratch.decision.changes();
  value_->board.Commit(&scratch.decision, answer, drops ? nullptr : &effects_, &scratch.summary);
  if (drops) {
    value_ = nullptr;
    fresh_.reset();
    return;
  }
  const Summary& summary = scratch.summary;
  changed_ = changed_ || summary.anything();
  if (summary.due_earlier || fresh_) value_->due_at = value_->board.Due(now_);
  // Work that becomes due by an LB.ALTER is done now, so that replicas get it with the change.
  if (summary.declared && value_->due_at <= now_) Advance();
  if (feed && summary.accepted) SetFeed(*feed);
  UpdateExpiry(summary.accepted);
  Finish(event);
}

void KeyWrite::FinishCreation(const char* event) {
  value_->due_at = value_->board.Due(now_);
  UpdateExpiry(/*accepted=*/true);
  Finish(event);
}

void KeyWrite::FinishLoad(Context* context, String* name, Stamp now, const char* event) {
  Key* key = Api().OpenKey(context, name, kOpenRead | kOpenWrite);
  Value* value = TheHost().AnyValueOf(key);
  if (value == nullptr) return Api().CloseKey(key);  // a subscriber of the rename has removed it
  value->loading.reset();
  KeyWrite write(context, key, name, now);
  if (write.value() == nullptr) return;  // its own EXPIRE has passed
  EffectWriter head(&write.head_);
  WriteLoaded(&head);
  write.changed_ = true;
  write.value_->board.Turn(now, &write.effects_);
  write.FinishCreation(event);
}

void KeyWrite::UpdateExpiry(bool accepted) {
  if (!accepted || (value_->spec().expire_us == 0 && value_->expiry_ms == 0)) return;
  const std::int64_t wanted = ExpiryMs(*value_);
  const std::int64_t present = fresh_ ? 0 : KeyExpiry(key_);
  if (wanted == present && wanted == value_->expiry_ms) return;
  // When EXPIRE is removed, the key's expiry is removed only if the board set it, not a user.
  const bool own = std::abs(present - value_->expiry_ms) <= kMovedExpiryMs;
  keeps_key_expiry_ = wanted == 0 && !own;
  value_->expiry_ms = wanted;
  expiry_ms_ = wanted;
}

void KeyWrite::Finish(const char* event) {
  if (value_ == nullptr) return;
  const bool creates = fresh_ != nullptr;
  if (!creates && body_.empty() && head_.empty() && expiry_ms_ < 0) return;
  std::string feed_head;  // rare: creation, FEED, the first write after a load
  EffectWriter head(&feed_head);
  std::size_t events = 0;
  if (creates) {
    head.Create(value_->spec());
    if (fresh_feed_ > 0) {
      WriteFeed(fresh_feed_, &head);
      value_->feed = std::make_unique<Feed>(fresh_feed_);
    }
  }
  feed_head += head_;
  // A feed gets a term at its creation, so that its cursors stay valid.
  if (value_->feed && (!body_.empty() || value_->feed->terms().empty())) {
    BeginTerm();
    if (term_ != 0) {
      WriteTerm(term_, &head);
      value_->feed->BeginTerm(term_, /*own=*/true);
    }
    if (creates) {
      const std::string created = Feed::CreatedEvent(value_->spec());
      WriteEvent(created, &head);
      events += value_->feed->Append(created) ? 1 : 0;
    }
    events += value_->feed->Note(body_);
  }
  if (!feed_head.empty()) body_.insert(0, feed_head);
  if (creates) {
    Api().ModuleTypeSetValue(key_, TheHost().type, fresh_.release());
    changed_ = true;
  }
  if (expiry_ms_ >= 0) {
    WriteExpiry(keeps_key_expiry_, expiry_ms_, &effects_);
    if (!keeps_key_expiry_) SetKeyExpiry(key_, expiry_ms_);
  }
  Api().Replicate(context_, "LB.APPLY", "sb", name_, body_.data(), body_.size());
  if (value_->due_at < value_->hinted_at) {
    TheHost().sweep.Hint(Api().GetSelectedDb(context_), TextOf(name_), value_);
  }
  if (events > 0) Api().SignalKeyAsReady(context_, name_);
  if (!changed_ && !feed_changed_) return;
  value_->changed_at = ++TheHost().changes;
  Api().SignalModifiedKey(context_, name_);
  if (event != nullptr) Api().NotifyKeyspaceEvent(context_, kNotifyModule, event, name_);
}

void KeyWrite::Delete(int kind, const char* event) {
  value_ = nullptr;
  Api().UnlinkKey(key_);
  Api().Replicate(context_, "UNLINK", "s", name_);
  Api().SignalModifiedKey(context_, name_);
  Api().NotifyKeyspaceEvent(context_, kind, event, name_);
}

// LB.APPLY ----------------------------------------------------------------------------------------

namespace {

constexpr const char* kApplyIsClosed =
    "ERR LB.APPLY is for replication and for the AOF; the setting laurel.apply opens it for tools "
    "that replay a log";

// Counts, logs and answers a refusal. A replica that refuses effects differs from the primary until
// a full synchronisation.
int Refuse(Context* context, String* name, const std::string& why) {
  ++TheHost().refused_applies;
  const std::string key = base::Quote(TextOf(name));
  Api().Log(context, "warning",
            "laurel: LB.APPLY of %s is refused: %s. This copy differs from its "
            "primary now: synchronise it anew, or restore the key",
            key.c_str(), why.c_str());
  const std::string error = "ERR LB.APPLY of " + key + ": " + why;
  return Api().ReplyWithError(context, error.c_str());
}

// Logs once if applied effects have left the board with more entries than its cap.
void WarnOfExcess(Context* context, const String* name, const Summary& summary, Value* value) {
  if (value->excess_is_logged || !value->board.ExceedsCap(summary.changed)) return;
  value->excess_is_logged = true;
  Api().Log(context, "warning", "%s", Host::ExcessWarning(name, *value).c_str());
}

}  // namespace

int Apply(Context* context, String** arguments, int count) noexcept {
  if (count != 3) return Api().WrongArity(context);
  Host& host = TheHost();
  const bool replicated = (Api().GetContextFlags(context) & (kFlagReplicated | kFlagLoading)) != 0;
  if (!replicated && !host.settings.apply_is_open) {
    return Api().ReplyWithError(context, kApplyIsClosed);
  }
  String* name = arguments[1];
  std::string_view effects = TextOf(arguments[2]);
  // A replica also writes refused effects to its AOF, so that a restart counts them again.
  if (const Status checked = CheckEffects(effects); !checked.ok()) {
    if (replicated) Api().ReplicateVerbatim(context);
    return Refuse(context, name, checked.error().message);
  }
  Key* key = Api().OpenKey(context, name, kOpenRead | kOpenWrite);
  Value* value = host.AnyValueOf(key);
  std::unique_ptr<Value> fresh;
  std::optional<Error> refused;
  if (value == nullptr && Api().KeyType(key) != kEmptyKey) {
    refused = Error{ErrorCode::kErr, "the key holds another type"};
  } else if (value == nullptr) {
    const Result<Spec> spec = ReadCreation(&effects);
    if (spec.ok()) {
      fresh = host.Make(*spec);
      value = fresh.get();
      const std::string warning = host.UnknownZoneWarning(*spec);
      if (!warning.empty()) Api().Log(context, "warning", "%s", warning.c_str());
    } else {
      refused = spec.error();
    }
  }
  Applied applied;
  if (!refused) {
    const Status status = ApplyEffects(effects, value, &applied);
    if (!status.ok()) refused = status.error();
  }
  if (refused && (fresh || value == nullptr)) {
    Api().CloseKey(key);
    if (replicated) Api().ReplicateVerbatim(context);
    return Refuse(context, name, refused->message);
  }
  // An existing board has applied the effects before the refused one. The AOF gets the same bytes,
  // so that a restart leads to the same state.
  const bool changed = fresh || applied.summary.anything();
  if (changed) value->changed_at = ++host.changes;
  if (fresh) Api().ModuleTypeSetValue(key, host.type, fresh.release());
  if (applied.expiry_ms >= 0) SetKeyExpiry(key, applied.expiry_ms);
  WarnOfExcess(context, name, applied.summary, value);
  Api().CloseKey(key);
  Api().ReplicateVerbatim(context);
  host.sweep.HintLoaded(Api().GetSelectedDb(context), TextOf(name), value);
  if (applied.events > 0) Api().SignalKeyAsReady(context, name);
  if (changed) {
    Api().SignalModifiedKey(context, name);
    Api().NotifyKeyspaceEvent(context, kNotifyModule, "lb.apply", name);
  }
  if (refused) return Refuse(context, name, refused->message);
  return Api().ReplyWithSimpleString(context, "OK");
}

}  // namespace laurel::module
