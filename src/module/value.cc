#include "module/value.h"

#include <optional>
#include <string>
#include <utility>

#include "base/byte_cursor.h"
#include "base/hash_chain.h"
#include "leaderboard/loader.h"
#include "module/host_effects.h"
#include "module/limits.h"

namespace laurel::module {
namespace {

using leaderboard::EffectReader;
using leaderboard::EffectWriter;
using leaderboard::kFirstHostEffect;

// Reads effects up to and including the creation of a leaderboard.
class CreationReader : public EffectReader {
 public:
  std::optional<Spec> spec;

 protected:
  Status OnCreate(const Spec& created) override {
    spec = created;
    return Err("the creation is read");  // ends the reading
  }
};

bool IsHostEffect(const base::ByteCursor& cursor) { return cursor.Peek() >= kFirstHostEffect; }

// Applies the part of a module effect that changes only the value.
Status ApplyOwn(const ReadHostEffect& effect, Value* value) {
  switch (effect.kind) {
    case kExpiryEffect:
    case kKnownExpiryEffect:
      value->expiry_ms = effect.at_ms;
      return Ok{};
    case kFeedEffect:
      if (effect.number == 0) {
        value->feed.reset();
      } else if (value->feed) {
        value->feed->SetCapacity(effect.number);
      } else {
        value->feed = std::make_unique<Feed>(effect.number);
      }
      return Ok{};
    case kLoadEffect:
      value->loading =
          std::make_unique<Loading>(Loading{std::string(effect.board), effect.progress});
      return Ok{};
    case kLoadedEffect:
      value->loading.reset();
      return Ok{};
    case kTermEffect:
    case kFeedHistoryEffect:
    case kEventEffect:
      break;
  }
  if (!value->feed) return Err("an event of a board without a feed");
  if (effect.kind == kTermEffect) value->feed->BeginTerm(effect.number, /*own=*/false);
  if (effect.kind == kFeedHistoryEffect) value->feed->Restore(effect.number, effect.terms);
  if (effect.kind == kEventEffect && !value->feed->Append(effect.event)) {
    return Err("an event is malformed");
  }
  return Ok{};
}

}  // namespace

Value::Value(const Spec& spec, core::Environment* environment,
             std::shared_ptr<const Calendar> calendar, core::Total* boards)
    : board(spec, environment, std::move(calendar)), boards_(*boards) {
  ++boards_;
}

Value::~Value() { --boards_; }

std::size_t Value::MemoryUsage() const {
  return sizeof(Value) - sizeof(board) + board.MemoryUsage() + (feed ? feed->MemoryUsage() : 0) +
         (loading ? sizeof(Loading) + loading->board.size() : 0);
}

std::size_t Value::FreeEffort() const {
  std::uint64_t effort =
      1 + board.standings().entries().size() + board.standings().hidden_entries();
  for (const auto& stored : board.instances()) {
    effort += 1 + stored->standings.entries().size() + stored->standings.hidden_entries();
  }
  if (board.requests() != nullptr) effort += board.requests()->size();
  if (board.marks() != nullptr) effort += board.marks()->size();
  return effort;
}

std::uint64_t Value::Digest() const {
  base::HashChain chain(board.Digest());
  if (feed) chain.Add(feed->Digest());
  if (loading) chain.Add(loading->progress.next);
  chain.Add(expiry_ms);
  return chain.state();
}

// Applying ----------------------------------------------------------------------------------------

Result<Spec> ReadCreation(std::string_view* effects) {
  CreationReader reader;
  base::ByteCursor cursor(*effects);
  (void)reader.Read(&cursor);
  if (!reader.spec || cursor.failed()) return Err("the board is not created yet");
  if (reader.spec->kind != BoardKind::kLeaderboard) return Err("this is no leaderboard");
  *effects = cursor.rest();
  return *reader.spec;
}

Status CheckEffects(std::string_view effects) {
  base::ByteCursor cursor(effects);
  while (!cursor.empty()) {
    if (IsHostEffect(cursor)) {
      ReadOwnEffect(&cursor);
      if (cursor.failed()) return Err("an effect of the module is malformed or of a newer version");
    } else if (Status read = EffectReader::Skip(&cursor); !read.ok()) {
      return read;
    }
  }
  return Ok{};
}

Status ApplyEffects(std::string_view effects, Value* value, Applied* applied) {
  value->due_at = Value::kNotKnown;
  value->may_exceed_cap = true;
  base::ByteCursor cursor(effects);
  while (!cursor.empty()) {
    if (!IsHostEffect(cursor)) {
      const std::string_view before = cursor.rest();
      if (Status status =
              value->board.Apply(&cursor, /*lenient=*/false, &applied->summary, kLatestStamp);
          !status.ok()) {
        return status;
      }
      if (!value->feed) continue;
      value->feed->EndOwnTerm();
      applied->events += value->feed->Note(before.substr(0, before.size() - cursor.rest().size()));
      continue;
    }
    const ReadHostEffect effect = ReadOwnEffect(&cursor);
    if (cursor.failed()) return Err("an effect of the module is malformed");
    if (Status status = ApplyOwn(effect, value); !status.ok()) return status;
    if (effect.kind == kExpiryEffect) applied->expiry_ms = effect.at_ms;
    if (effect.kind == kEventEffect) ++applied->events;
    if (effect.kind == kFeedEffect) applied->summary.declared = true;
  }
  return Ok{};
}

// Walking -----------------------------------------------------------------------------------------

bool ValueWalk::Next(std::string* chunk) {
  const std::size_t before = chunk->size();
  EffectWriter to(chunk);
  const auto full = [&] { return chunk->size() - before + kMostWalkedBytes > kChunkBytes; };
  if (part_ == Part::kCreation) {
    to.Create(value_.spec());
    part_ = Part::kBoard;
  }
  while (part_ == Part::kBoard && !full()) {
    using Phase = leaderboard::Leaderboard::WalkCursor::Phase;
    if (!value_.board.Walk(&cursor_, kWalkedAtOnce, &to)) part_ = Part::kHost;
    if (!whole_ && cursor_.phase == Phase::kRequests) part_ = Part::kHost;
  }
  if (part_ == Part::kHost && !full()) {
    if (value_.expiry_ms != 0) WriteExpiry(/*known_only=*/true, value_.expiry_ms, &to);
    if (value_.loading) WriteLoad(value_.loading->board, value_.loading->progress, &to);
    part_ = Part::kDone;
    if (value_.feed) {
      WriteFeed(value_.feed->capacity(), &to);
      if (whole_) {
        WriteHistory(value_.feed->Oldest().sequence, value_.feed->terms(), &to);
        part_ = Part::kEvents;
      }
    }
  }
  if (part_ == Part::kEvents && !full()) {
    std::uint64_t index = 0;
    bool left = false;
    value_.feed->VisitBytes([&](std::string_view event) {
      if (index++ < events_written_) return;
      left = left || full();
      if (left) return;
      WriteEvent(event, &to);
      ++events_written_;
    });
    if (!left) part_ = Part::kDone;
  }
  return chunk->size() > before;
}

// Loading -----------------------------------------------------------------------------------------

class ValueLoader::State {
 public:
  explicit State(leaderboard::Leaderboard* into) : loader(into, kLatestStamp) {}
  leaderboard::Loader loader;
};

ValueLoader::ValueLoader(Value* into)
    : into_(*into), state_(std::make_unique<State>(&into->board)) {}
ValueLoader::~ValueLoader() = default;

Status ValueLoader::Read(std::string_view chunk) {
  base::ByteCursor cursor(chunk);
  while (!cursor.empty()) {
    if (!IsHostEffect(cursor)) {
      if (Status read = state_->loader.Read(&cursor); !read.ok()) return read;
      continue;
    }
    const ReadHostEffect effect = ReadOwnEffect(&cursor);
    if (cursor.failed()) return Err("an effect of the module is malformed or of a newer version");
    if (Status status = ApplyOwn(effect, &into_); !status.ok()) return status;
  }
  return Ok{};
}

void ValueLoader::Finish() {
  state_->loader.Finish();
  into_.board.Reconcile();  // changes only a damaged payload
  into_.may_exceed_cap = into_.board.ExceedsCap();
}

}  // namespace laurel::module
