#include "core/decide.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "base/time_text.h"
#include "core/combine.h"
#include "core/store/member.h"
#include "core/store/spec_checks.h"

namespace laurel::core {
namespace {

Error WrongType(std::string message) { return {ErrorCode::kWrongType, std::move(message)}; }

// A member's entry before a write, visible or hidden. `found`: the location of the visible entry.
Present Look(const Standings& standings, std::string_view member, Location found) {
  Present present;
  if (found != kNowhere) {
    present.exists = true;
    present.words = standings.entries().WordsAt(found);
    present.meta = standings.entries().MetaAt(found);
  } else if (standings.IsHidden(member)) {
    present.hidden = true;
    if (const Standings::HiddenEntry* entry = standings.FindHidden(member)) {
      present.exists = true;
      present.words = entry->words;
      present.meta = entry->meta;
    }
  }
  return present;
}

Location FindVisible(const Standings& standings, std::string_view member) {
  return standings.entries().Find(MemberKey(member));
}

// A visible entry that a command is about to store.
struct Incoming {
  std::string_view member;
  Words words;
};

struct Staying {
  std::string member;
  Words words;
};

// The entries that must be evicted, present or incoming, so that the cap holds after a command.
class Eviction {
 public:
  // `written`: members whose present visible entry is replaced by one of `incoming`.
  Eviction(const Standings& standings, std::vector<Incoming> incoming, const MemberSet& written,
           std::uint64_t cap)
      : evicted_incoming_(0, standings.hasher()) {
    LAUREL_ASSERT(cap > 0 && written.size() <= standings.entries().size());
    const std::uint64_t staying = standings.entries().size() - written.size();
    const std::uint64_t total = staying + incoming.size();
    if (total <= cap) return;
    const auto ahead = [&standings](const Words& a, std::string_view a_member, const Words& b,
                                    std::string_view b_member) {
      const int order = standings.layout().CompareOrder(a, b);
      return order != 0 ? order < 0 : a_member < b_member;
    };
    std::sort(incoming.begin(), incoming.end(), [&](const Incoming& a, const Incoming& b) {
      return ahead(a.words, a.member, b.words, b.member);
    });
    // Merges present and incoming entries, worst first, and evicts until no excess is left. The
    // next entry is the last that stays: newcomers must beat it.
    std::uint64_t excess = total - cap;
    standings.entries().ForRange(
        standings.entries().size() - 1, standings.entries().size(), true,
        [&](const EntryView& view) {
          if (written.contains(view.member)) return true;
          while (!incoming.empty() &&
                 !ahead(incoming.back().words, incoming.back().member, view.words, view.member)) {
            if (!Take(incoming.back().member, incoming.back().words, &excess)) return false;
            evicted_incoming_.insert(incoming.back().member);
            incoming.pop_back();
          }
          if (!Take(view.member, view.words, &excess)) return false;
          evicted_present_.emplace_back(view.member);
          return true;
        });
    while (!incoming.empty() && Take(incoming.back().member, incoming.back().words, &excess)) {
      evicted_incoming_.insert(incoming.back().member);
      incoming.pop_back();
    }
    LAUREL_ASSERT(excess == 0 && last_staying_.has_value());  // a cap lets at least one entry stay
  }

  [[nodiscard]] bool Evicts(std::string_view incoming) const {
    return evicted_incoming_.contains(incoming);
  }
  [[nodiscard]] const std::vector<std::string>& evicted_present() const { return evicted_present_; }
  // The worst entry that stays. REQUIRES: some entry of `incoming` was evicted.
  [[nodiscard]] const Staying& last_staying() const {
    LAUREL_ASSERT(last_staying_.has_value());
    return *last_staying_;
  }

 private:
  // Takes the next entry in worst-first order. Returns true if it is evicted; false if no excess is
  // left, and then the entry is the last that stays.
  bool Take(std::string_view member, const Words& words, std::uint64_t* excess) {
    if (*excess == 0) {
      if (!last_staying_) last_staying_ = Staying{std::string(member), words};
      return false;
    }
    --*excess;
    return true;
  }

  MemberSet evicted_incoming_;
  std::vector<std::string> evicted_present_;
  std::optional<Staying> last_staying_;
};

std::string TimeOr(const std::optional<Stamp>& time, std::string_view otherwise) {
  return time ? base::FormatIsoTime(*time) : std::string(otherwise);
}

}  // namespace

Status RefuseSortedSet(const Standings& standings, std::string_view what) {
  if (standings.spec().kind != BoardKind::kSortedSet) return Ok{};
  return WrongType("a sorted set has no " + std::string(what));
}

Status CheckMember(const Standings& standings, std::string_view member) {
  const std::size_t most =
      standings.spec().kind == BoardKind::kSortedSet ? kMaxSortedSetMemberBytes : kMaxMemberBytes;
  if (member.size() <= most) return Ok{};
  return Error{ErrorCode::kLimit,
               "member " + base::Quote(member) + " exceeds " + std::to_string(most) + " bytes"};
}

std::string DescribeTimes(std::optional<Stamp> at, Stamp now) {
  const std::string clock = "now " + base::FormatIsoTime(now);
  return at ? "AT " + base::FormatIsoTime(*at) + ", " + clock : clock;
}

Status CheckWindow(const Spec& spec, std::optional<Stamp> at, Stamp now) {
  if (!spec.start && !spec.end) return Ok{};
  const Stamp time = at.value_or(now);
  const bool inside = (!spec.start || time >= *spec.start) && (!spec.end || time < *spec.end);
  if (inside && (!spec.end || now < *spec.end + spec.grace_us)) return Ok{};
  return Error{ErrorCode::kClosed, "the window is open from START " + TimeOr(spec.start, "none") +
                                       " to END " + TimeOr(spec.end, "none") + ", GRACE " +
                                       base::FormatDuration(spec.grace_us) + "; " +
                                       DescribeTimes(at, now)};
}

namespace {

Status CheckWrite(const Standings& standings, const Write& write, Moment moment) {
  const Spec& spec = standings.spec();
  if (write.score.size() != spec.fields.size()) {
    return WrongValueCount(spec, write.score.size());
  }
  if (spec.kind == BoardKind::kSortedSet) {
    if (write.at) return WrongType("a sorted set has no stamps");
    if (write.meta) return WrongType("a sorted set has no meta");
    if (std::isnan(write.score.AsDouble())) {
      return Error{ErrorCode::kErr, "a score is not a number (NaN)"};
    }
  }
  if (Status member = CheckMember(standings, write.member); !member.ok()) return member;
  if (write.meta && write.meta->size() > kMaxMetaBytes) {
    return Error{ErrorCode::kLimit, "meta exceeds 4096 bytes"};
  }
  Stamp latest = 0;
  if (__builtin_add_overflow(moment.now, kMaxStampLeadMicros, &latest)) latest = INT64_MAX;
  if (write.at && *write.at > latest) {
    return Error{ErrorCode::kBadTime, "AT is more than a second ahead of the clock: " +
                                          DescribeTimes(write.at, moment.now)};
  }
  if (write.mode == WriteMode::kRestore || write.mode == WriteMode::kFold) {
    if (!write.at) return Error{ErrorCode::kErr, "an entry that is restored needs its stamp"};
  } else {
    if (Status open = CheckWindow(spec, write.at, moment.now); !open.ok()) return open;
  }
  if (spec.cap > 0 && write.mode == WriteMode::kIncrement) {
    return Error{ErrorCode::kErr, "a capped board takes no increments: it would forget totals"};
  }
  return Ok{};
}

// Adds the member to the error of one write in a list.
Error WithMember(const Error& error, std::span<const Write> writes, std::size_t i) {
  if (writes.size() == 1) return error;
  return {error.code, error.message + " (" + base::Quote(writes[i].member) + ")"};
}

// The error if the board has no room for `writes` writes at once.
Error BoardIsFull(const Standings& standings, std::size_t writes = 1) {
  if (!standings.entries().HasRoom()) {
    return {ErrorCode::kLimit, "the board holds as much as a board can"};
  }
  return {ErrorCode::kLimit, "the board is nearly full and may not have room for " +
                                 std::to_string(writes) + " writes: send fewer at a time"};
}

// The verdict of a combined write, without ranks.
Result<Verdict> MakeVerdict(const Standings& standings, const Present& before,
                            const Combined& outcome) {
  const KeyLayout& layout = standings.layout();
  Result<Verdict> result{Verdict()};
  Verdict& verdict = *result;
  verdict.status = outcome.status;
  verdict.hidden = before.hidden;
  if (before.exists) verdict.previous_score = layout.ScoreOf(before.words);
  if (outcome.exists) {
    verdict.score = layout.ScoreOf(outcome.words);
    if (layout.stamped()) verdict.stamp = layout.StampOf(outcome.words);
  }
  return result;
}

// The least score with which the write would have stayed on the board. The score of the last entry
// is enough if the tie rule puts the write ahead. Otherwise the write needs the next better score:
// the score words, read as one long number, minus one. None if the last entry has the best score
// possible.
std::optional<Score> ScoreNeeded(const KeyLayout& layout, const Incoming& write,
                                 const Staying& last) {
  Words needed = write.words;
  std::copy_n(last.words.begin(), layout.fields(), needed.begin());
  const int order = layout.CompareOrder(needed, last.words);
  if (order < 0 || (order == 0 && write.member < last.member)) return layout.ScoreOf(needed);
  for (unsigned i = layout.fields(); i > 0; --i) {
    if (needed[i - 1]-- != 0) return layout.ScoreOf(needed);
  }
  return std::nullopt;
}

void MakeNotRanked(const Standings& standings, const Incoming& write, const Staying& last,
                   Verdict* verdict) {
  LAUREL_ASSERT(!verdict->hidden);  // the cap counts visible entries
  verdict->status = WriteStatus::kNotRanked;
  verdict->score.reset();
  verdict->stamp.reset();
  verdict->needs = ScoreNeeded(standings.layout(), write, last);
}

// The entries that a command has written so far, in the state after its latest write.
class Overlay {
 public:
  struct Item {
    std::string_view member;
    Present now;
    std::string meta;  // the bytes of now.meta
    bool was_visible = false;
    bool changed = false;
    bool stamp_not_from_clock = false;  // of the last change
  };

  explicit Overlay(MemberHash hasher) : by_member_(0, hasher) {}

  Item& Get(const Standings& standings, std::string_view member) {
    const auto [place, fresh] = by_member_.try_emplace(member, items_.size());
    if (fresh) {
      const Location found = FindVisible(standings, member);
      Item& item = items_.emplace_back();
      item.member = member;
      item.now = Look(standings, member, found);
      item.meta = item.now.meta;
      item.was_visible = found != kNowhere;
    }
    Item& item = items_[place->second];
    item.now.meta = item.meta;
    return item;
  }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
  std::unordered_map<std::string_view, std::size_t, MemberHash> by_member_;
};

Eviction EvictFor(const Standings& standings, const Overlay& overlay) {
  std::vector<Incoming> incoming;
  MemberSet written(0, standings.hasher());
  for (const Overlay::Item& item : overlay.items()) {
    if (!item.changed || item.now.hidden) continue;
    incoming.push_back({item.member, item.now.words});
    if (item.was_visible) written.insert(item.member);
  }
  return {standings, std::move(incoming), written, standings.spec().cap};
}

// Puts an entry that keeps its stamp.
Effect PutEffect(std::string_view member, const Words& words, std::string_view meta,
                 Location found = kNowhere) {
  Effect effect;
  effect.kind = Effect::Kind::kPut;
  effect.stamp_not_from_clock = true;
  effect.member = member;
  effect.words = words;
  effect.meta = meta;
  effect.found_at = found;
  return effect;
}

// Whether a write took its stamp from the clock, not from AT or from the score it builds on.
bool IsFromClock(const Standings& standings, const Write& write, const Words& words, Stamp clock) {
  const KeyLayout& layout = standings.layout();
  return !write.at && (!layout.stamped() || layout.StampOf(words) == clock);
}

// Puts an entry that a write has changed.
Effect StampedPut(const Standings& standings, const Write& write, const Words& words,
                  std::string_view meta, Stamp clock, Location found) {
  Effect effect = PutEffect(write.member, words, meta, found);
  effect.stamp_not_from_clock = !IsFromClock(standings, write, words, clock);
  return effect;
}

Effect MemberEffect(Effect::Kind kind, std::string_view member) {
  Effect effect;
  effect.kind = kind;
  effect.member = member;
  return effect;
}

Effect EvictEffect(std::string_view member) {
  Effect effect = MemberEffect(Effect::Kind::kDelete, member);
  effect.evicted = true;
  return effect;
}

// Removes the visible entries [first, first + count), cut off at the end of the board.
std::uint64_t RemoveNeighbours(const Standings& standings, std::uint64_t first, std::uint64_t count,
                               bool evicted, EffectBatch* effects) {
  const EntryStore& entries = standings.entries();
  if (first >= entries.size()) return 0;
  count = std::min(count, entries.size() - first);
  if (count <= standings.shape().listed_removals) {
    entries.ForRange(first, count, false, [&](const EntryView& view) {
      const std::string_view member = effects->Own(view.member);
      effects->Add(evicted ? EvictEffect(member) : MemberEffect(Effect::Kind::kDelete, member));
      return true;
    });
    return count;
  }
  EntryView from;
  EntryView to;
  entries.Read(entries.At(first), &from);
  entries.Read(entries.At(first + count - 1), &to);
  Effect effect = MemberEffect(Effect::Kind::kDeleteRange, {});
  effect.range = effects->Own(KeyRange{from.words, from.member, to.words, to.member, count});
  effect.evicted = evicted;
  effects->Add(effect);
  return count;
}

}  // namespace

Result<Verdict> DecideWrite(const Standings& standings, const Write& write, Moment moment,
                            EffectBatch* effects) {
  return DecideWrite(standings, write, moment, FindVisible(standings, write.member), effects);
}

Result<Verdict> DecideWrite(const Standings& standings, const Write& write, Moment moment,
                            Location found, EffectBatch* effects) {
  if (const Status status = CheckWrite(standings, write, moment); !status.ok())
    return status.error();
  if ((found == kNowhere || write.meta) && !standings.entries().HasRoom())
    return BoardIsFull(standings);
  const Present before = Look(standings, write.member, found);
  const Result<Combined> outcome = Combine(standings.type(), before, write, moment.stamp);
  if (!outcome.ok()) return outcome.error();
  Result<Verdict> verdict = MakeVerdict(standings, before, *outcome);
  if (!outcome->changed) return verdict;

  const std::uint64_t cap = standings.spec().cap;
  if (cap > 0 && !before.exists && !before.hidden && standings.entries().size() >= cap) {
    const MemberSet none(0, standings.hasher());
    const Eviction eviction(standings, {{write.member, outcome->words}}, none, cap);
    if (eviction.Evicts(write.member)) {
      MakeNotRanked(standings, {write.member, outcome->words}, eviction.last_staying(), &*verdict);
      return verdict;
    }
    effects->Add(StampedPut(standings, write, outcome->words, effects->Own(outcome->meta),
                            moment.stamp, kNowhere));
    for (const std::string& member : eviction.evicted_present()) {
      effects->Add(EvictEffect(effects->Own(member)));
    }
    return verdict;
  }
  effects->Add(StampedPut(standings, write, outcome->words, effects->Own(outcome->meta),
                          moment.stamp, found));
  return verdict;
}

Result<std::vector<Verdict>> DecideWrites(const Standings& standings, std::span<const Write> writes,
                                          Moment moment, EffectBatch* effects) {
  std::size_t bytes = 0;
  for (const Write& write : writes) {
    bytes += write.member.size() + (write.meta ? write.meta->size() : 0);
  }
  if (!standings.entries().HasRoom(writes.size(), bytes))
    return BoardIsFull(standings, writes.size());
  Overlay overlay(standings.hasher());
  std::vector<Verdict> verdicts;
  verdicts.reserve(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const Write& write = writes[i];
    if (const Status status = CheckWrite(standings, write, moment); !status.ok()) {
      return WithMember(status.error(), writes, i);
    }
    Overlay::Item& item = overlay.Get(standings, write.member);
    const auto stamp = moment.stamp + static_cast<Stamp>(i);
    const Result<Combined> outcome = Combine(standings.type(), item.now, write, stamp);
    if (!outcome.ok()) return WithMember(outcome.error(), writes, i);
    verdicts.push_back(*MakeVerdict(standings, item.now, *outcome));
    if (!outcome->changed) continue;
    item.changed = true;
    item.stamp_not_from_clock = !IsFromClock(standings, write, outcome->words, stamp);
    item.now.exists = true;
    item.now.words = outcome->words;
    item.meta = std::string(outcome->meta);
  }

  std::optional<Eviction> eviction;
  if (standings.spec().cap > 0) eviction.emplace(EvictFor(standings, overlay));
  for (const Overlay::Item& item : overlay.items()) {
    if (eviction && item.changed && eviction->Evicts(item.member)) {
      if (item.was_visible) effects->Add(EvictEffect(item.member));
    } else if (item.changed) {
      Effect put = PutEffect(item.member, item.now.words, effects->Own(item.meta));
      put.stamp_not_from_clock = item.stamp_not_from_clock;
      effects->Add(put);
    }
  }
  if (!eviction) return verdicts;
  LAUREL_ASSERT(standings.layout().stamped());  // sorted sets have no cap
  MemberSet gone(0, standings.hasher());
  for (const std::string& member : eviction->evicted_present()) {
    effects->Add(EvictEffect(effects->Own(member)));
    gone.insert(member);
  }
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const std::string_view member = writes[i].member;
    if (verdicts[i].hidden || (!gone.contains(member) && !eviction->Evicts(member))) continue;
    if (!verdicts[i].score) continue;  // a skipped write of a member that was absent
    const Words words = standings.layout().Encode(*verdicts[i].score, *verdicts[i].stamp);
    MakeNotRanked(standings, {member, words}, eviction->last_staying(), &verdicts[i]);
  }
  return verdicts;
}

Words PredictWords(const Standings& standings, const Write& write, const Words* present,
                   Stamp stamp) {
  Present before;
  if (present != nullptr) {
    before.exists = true;
    before.words = *present;
  }
  const bool needs_time = write.mode == WriteMode::kRestore || write.mode == WriteMode::kFold;
  const bool is_refused = write.score.size() != standings.spec().fields.size() ||
                          (needs_time && !(write.at && standings.layout().stamped()));
  if (is_refused) return before.words;
  const Result<Combined> outcome = Combine(standings.type(), before, write, stamp);
  return outcome.ok() && outcome->exists ? outcome->words : before.words;
}

Result<bool> DecideSetMeta(const Standings& standings, std::string_view member,
                           std::string_view meta, EffectBatch* effects) {
  if (const Status status = RefuseSortedSet(standings, "meta"); !status.ok()) return status.error();
  if (meta.size() > kMaxMetaBytes) return Error{ErrorCode::kLimit, "meta exceeds 4096 bytes"};
  if (!meta.empty() && !standings.entries().HasRoom()) return BoardIsFull(standings);
  const Location found = FindVisible(standings, member);
  const Present present = Look(standings, member, found);
  if (!present.exists) return false;
  if (present.meta != meta) effects->Add(PutEffect(member, present.words, meta, found));
  return true;
}

std::uint64_t DecideRemove(const Standings& standings, std::span<const std::string_view> members,
                           EffectBatch* effects) {
  MemberSet seen(0, standings.hasher());
  std::uint64_t removed = 0;
  for (const std::string_view member : members) {
    if (members.size() > 1 && !seen.insert(member).second) continue;
    const Location found = FindVisible(standings, member);
    if (found == kNowhere && standings.FindHidden(member) == nullptr) continue;
    effects->Add(MemberEffect(Effect::Kind::kDelete, member));
    ++removed;
  }
  return removed;
}

std::uint64_t DecideRemoveRange(const Standings& standings, std::uint64_t first,
                                std::uint64_t count, EffectBatch* effects) {
  return RemoveNeighbours(standings, first, count, /*evicted=*/false, effects);
}

std::uint64_t DecideClear(const Standings& standings, EffectBatch* effects) {
  const std::uint64_t count = standings.entries().size() + standings.hidden_entries();
  if (count > 0) effects->Add(MemberEffect(Effect::Kind::kClear, {}));
  return count;
}

Result<std::uint64_t> DecideHide(const Standings& standings,
                                 std::span<const std::string_view> members, EffectBatch* effects) {
  if (const Status status = RefuseSortedSet(standings, "hidden members"); !status.ok()) {
    return status.error();
  }
  for (const std::string_view member : members) {
    if (const Status status = CheckMember(standings, member); !status.ok()) return status.error();
  }
  MemberSet newly(0, standings.hasher());
  for (const std::string_view member : members) {
    if (standings.IsHidden(member) || !newly.insert(member).second) continue;
    const Location found = FindVisible(standings, member);
    if (found == kNowhere) continue;
    Effect effect = MemberEffect(Effect::Kind::kHide, member);
    effect.words = standings.entries().WordsAt(found);
    effect.meta = effects->Own(standings.entries().MetaAt(found));
    effects->Add(effect);
  }
  return newly.size();
}

Result<std::uint64_t> DecideShow(const Standings& standings,
                                 std::span<const std::string_view> members, EffectBatch* effects) {
  if (const Status status = RefuseSortedSet(standings, "hidden members"); !status.ok()) {
    return status.error();
  }
  std::size_t bytes = 0;
  for (const std::string_view member : members) bytes += member.size() + kMaxMetaBytes;
  if (!standings.entries().HasRoom(members.size(), bytes))
    return BoardIsFull(standings, members.size());
  MemberSet shown(0, standings.hasher());
  std::vector<Incoming> incoming;
  for (const std::string_view member : members) {
    if (!standings.IsHidden(member) || !shown.insert(member).second) continue;
    const Standings::HiddenEntry* entry = standings.FindHidden(member);
    if (entry == nullptr) continue;
    effects->Add(MemberEffect(Effect::Kind::kShow, member));
    // kShow alone would lose the entry on replay to a state that never held it hidden.
    effects->Add(PutEffect(member, entry->words, effects->Own(entry->meta)));
    incoming.push_back({member, entry->words});
  }
  if (standings.spec().cap > 0) {
    const std::vector<Incoming> shown_entries = incoming;
    const MemberSet none(0, standings.hasher());
    const Eviction eviction(standings, std::move(incoming), none, standings.spec().cap);
    for (const Incoming& entry : shown_entries) {
      if (!eviction.Evicts(entry.member)) continue;
      effects->Add(EvictEffect(entry.member));
    }
    for (const std::string& member : eviction.evicted_present()) {
      effects->Add(EvictEffect(effects->Own(member)));
    }
  }
  return shown.size();
}

void DecideCap(const Standings& standings, std::uint64_t cap, EffectBatch* effects) {
  if (cap > 0) RemoveNeighbours(standings, cap, UINT64_MAX, /*evicted=*/true, effects);
}

}  // namespace laurel::core
