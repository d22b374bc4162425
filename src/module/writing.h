// Executes a write to one key, from the decision to the replication.
//
//   Advance   turns due changes of time into effects, and evictions beyond the cap
//   Decide    the leaderboard decides the operation
//   Commit    applies the effects and answers
//   Finish    expiry, feed, LB.APPLY to replicas and AOF, WATCH, waiting readers, notifications
//
// One LB.APPLY carries all effects of a command, so that a replica never shows half of it. Its size
// is bounded by the members that the request names, times the instances (max-work), or by the
// removals that one range lists (Shape::listed_removals).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "leaderboard/answer.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/operation.h"
#include "module/redis_api.h"
#include "module/value.h"

namespace laurel::module {

class KeyWrite {
 public:
  // `key` is opened for writing under `name`; the destructor closes it.
  KeyWrite(Context* context, Key* key, String* name, Stamp now);
  ~KeyWrite();
  KeyWrite(const KeyWrite&) = delete;
  KeyWrite& operator=(const KeyWrite&) = delete;

  // Returns the board under the key. Null if there is none, or if its own EXPIRE has passed; the
  // key is then deleted, also on replicas.
  [[nodiscard]] Value* value() const { return value_; }
  // Whether the key holds a value of another type.
  [[nodiscard]] bool IsOther() const { return other_; }

  // Sets a new board. Finish stores it under the key if the write changes anything, with `always`
  // in any case. REQUIRES: value() is null, and the key is empty.
  void Use(std::unique_ptr<Value> fresh, std::uint64_t feed, bool always);

  // Executes the operation. `event`: name of the keyspace notification. `feed`: the new FEED, set
  // if the operation is accepted. May be called once.
  void Execute(const leaderboard::WriteOperation& operation, leaderboard::Answer* answer,
               const char* event, std::optional<std::uint64_t> feed = std::nullopt);
  // Applies the due changes of time, at most kAdvancedAtOnce instances and ids, on a primary only.
  // Returns whether more is left. Called by Execute.
  bool Advance();
  // Deletes the key with its board, also on replicas. `kind`, `event`: those of the notification.
  void Delete(int kind, const char* event);
  // Stores the board that was passed to Use with `always`, without an operation.
  void FinishCreation(const char* event);
  // Turns the value under `name`, which LB.LOAD has filled, into a board, and publishes it.
  // REQUIRES: the value is marked as loading.
  static void FinishLoad(Context* context, String* name, Stamp now, const char* event);
  // Publishes the changes. Called by Execute and FinishCreation.
  void Finish(const char* event);

 private:
  [[nodiscard]] bool IsPrimary();
  [[nodiscard]] std::string CloseNote();
  void BeginTerm();
  void EvictExcess();
  void SetFeed(std::uint64_t events);
  void UpdateExpiry(bool accepted);

  Context* context_;
  Key* key_;
  String* name_;
  Stamp now_;
  std::optional<bool> primary_;  // cached when first needed, which is rare
  bool other_ = false;
  Value* value_ = nullptr;
  std::unique_ptr<Value> fresh_;  // owns value_ until it is stored
  bool stores_ = false;           // fresh_ is stored even if Execute changes nothing
  std::uint64_t fresh_feed_ = 0;
  std::uint64_t term_ = 0;  // chosen for this write, not yet begun; 0: none
  bool advanced_ = false;
  bool changed_ = false;  // there is a change that WATCH must see
  bool feed_changed_ = false;
  std::int64_t expiry_ms_ = -1;    // the new Value::expiry_ms; -1: unchanged
  bool keeps_key_expiry_ = false;  // expiry_ms_ does not change the key's expiry
  std::string& head_;              // effects before those of the leaderboard
  std::string& body_;              // effects of the leaderboard
  leaderboard::EffectWriter effects_;
};

// Frees the memory that writes reuse. Does nothing while a KeyWrite exists.
void ForgetWriteScratch();

// Executes LB.APPLY key bytes.
int Apply(Context* context, String** arguments, int count) noexcept;

}  // namespace laurel::module
