#include "transfer/row_table.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "base/time_text.h"
#include "core/store/spec_checks.h"
#include "laurel/limits.h"
#include "laurel/stamp_clock.h"

namespace laurel::transfer {
namespace {

constexpr std::size_t kFirstSlots = 1024;
// Slots grow beyond this share in use.
constexpr std::size_t kFullNumerator = 7;
constexpr std::size_t kFullDenominator = 10;
// How many entries ahead operator[] and GiveStamps fetch memory.
constexpr std::size_t kAhead = 12;

Error Limit(std::string message) { return {ErrorCode::kLimit, std::move(message)}; }

Error NoRoom() { return Limit("the import has more members than one table can hold"); }

Status CheckRow(const Row& row) {
  if (row.member.size() > kMaxMemberBytes) {
    return Limit("member " + base::Quote(row.member) + " exceeds " +
                 std::to_string(kMaxMemberBytes) + " bytes");
  }
  if (row.meta.size() > kMaxMetaBytes) {
    return Limit("meta exceeds " + std::to_string(kMaxMetaBytes) + " bytes");
  }
  if (row.at && (*row.at < 0 || *row.at > base::kMaxTime)) {
    return Error{ErrorCode::kBadTime, "the time is not from 1970 to 9999"};
  }
  return Ok{};
}

}  // namespace

RowTable::RowTable(const Spec& spec, EqualRows equals, std::int64_t tick_us,
                   const std::optional<std::string>& period, std::optional<Stamp> now,
                   Folding folding)
    : spec_(spec),
      layout_(spec),
      equals_(equals),
      tick_us_(tick_us),
      folding_(folding),
      builds_(folding == Folding::kByPolicy &&
              (spec.policy == Policy::kSum || core::HasOperators(spec))),
      hash_seed_(base::SystemEntropy()),
      cells_(static_cast<unsigned>(spec.fields.size()), !spec.periods.empty(), builds_),
      slots_(kFirstSlots) {
  LAUREL_ASSERT(spec.kind == BoardKind::kLeaderboard && tick_us >= 1);
  if (spec.periods.empty()) return;
  placement_.emplace(Placement::Make(spec, period, now.value_or(SystemNow())));
}

// Adding ------------------------------------------------------------------------------------------

Status RowTable::Add(const Row& row) {
  LAUREL_ASSERT(!finished_);
  if (row.hidden && row.values.empty()) return AddMark(row);
  const Result<Parsed> parsed = Parse(row);
  if (!parsed.ok()) return parsed.error();
  if (rows_ + 1 == RowCells::kMaxSequence) return Limit("the import has too many rows");
  const Result<std::size_t> outside = Place(row);
  if (!outside.ok()) return outside.error();
  if (builds_ && instances_.size() > 1) {
    if (Status checked = CheckSums(row, *parsed); !checked.ok()) return checked;
  }
  for (const std::uint16_t instance : instances_) {
    if (Status added = AddTo(instance, row, *parsed); !added.ok()) return added;
  }
  placed_ += instances_.size();
  if (row.hidden) {
    has_hidden_ = has_hidden_ || !instances_.empty();
    // The entries of the member's other instances are hidden too.
    if (placement_) marks_.emplace(row.member);
  }
  outside_ += *outside;
  NoteRow(row, *parsed);
  return Ok{};
}

Status RowTable::AddMark(const Row& row) {
  if (Status checked = CheckRow(row); !checked.ok()) return checked;
  marks_.emplace(row.member);
  return Ok{};
}

Result<RowTable::Parsed> RowTable::Parse(const Row& row) const {
  if (const Status checked = CheckRow(row); !checked.ok()) return checked.error();
  const Result<Score> score = ParseScore(spec_, row.values);
  if (!score.ok()) return score.error();
  Parsed parsed;
  parsed.words = layout_.Encode(*score, 0);
  parsed.time = row.at.value_or(kUntimed);
  return parsed;
}

Result<std::size_t> RowTable::Place(const Row& row) {
  instances_.clear();
  if (!placement_) {
    if (!row.instance.empty()) {
      return Error{ErrorCode::kErr, base::Quote(row.instance) + ": the board has no periods"};
    }
    instances_.push_back(0);
    return std::size_t{0};
  }
  if (!placement_->ok()) return placement_->error();
  Placement& placement = **placement_;
  std::size_t outside = 0;
  if (row.instance.empty()) {
    outside = placement.At(row.at, &places_);
  } else {
    const Result<const Placement::Place*> named = placement.Named(row.instance);
    if (!named.ok()) return named.error();
    places_.clear();
    if (*named != nullptr) places_.push_back(*named);
    outside = *named == nullptr ? 1 : 0;
  }
  for (const Placement::Place* place : places_) instances_.push_back(place->number);
  return outside;
}

std::uint32_t RowTable::TagOf(std::uint16_t instance, std::string_view member) const {
  const std::uint64_t hash = base::HashBytes(member, hash_seed_);
  return static_cast<std::uint32_t>(instance == 0 ? hash : base::HashInteger(instance, hash));
}

Status RowTable::CheckSums(const Row& row, const Parsed& parsed) {
  for (const std::uint16_t instance : instances_) {
    const Slot* slot = FindSlot(TagOf(instance, row.member), instance, row.member);
    if (slot->handle == kNoCell) continue;
    const Result<core::Words> combined = Combined(parsed, slot->handle);
    if (!combined.ok()) return combined.error();
  }
  return Ok{};
}

Status RowTable::AddTo(std::uint16_t instance, const Row& row, const Parsed& parsed) {
  const std::uint32_t tag = TagOf(instance, row.member);
  Slot* slot = FindSlot(tag, instance, row.member);
  if (slot->handle == kNoCell) return Insert(instance, row, parsed, tag, slot);
  return Fold(row, parsed, slot);
}

void RowTable::NoteRow(const Row& row, const Parsed& parsed) {
  if (rows_ == 0) first_words_ = parsed.words;
  all_values_equal_ = all_values_equal_ && first_words_ == parsed.words;
  ++rows_;
  if (!row.at) {
    ++without_time_;
    return;
  }
  earliest_ = std::min(earliest_.value_or(*row.at), *row.at);
  latest_ = std::max(latest_.value_or(*row.at), *row.at);
}

RowTable::Slot* RowTable::FindSlot(std::uint32_t tag, std::uint16_t instance,
                                   std::string_view member) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = tag & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.handle == kNoCell) return &slot;
    if (slot.tag == tag && cells_.MemberOf(slot.handle) == member &&
        cells_.InstanceOf(slot.handle) == instance) {
      return &slot;
    }
  }
}

void RowTable::GrowSlots() {
  std::vector<Slot> grown(slots_.size() * 2);
  const std::size_t mask = grown.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.handle == kNoCell) continue;
    std::size_t at = slot.tag & mask;
    while (grown[at].handle != kNoCell) at = (at + 1) & mask;
    grown[at] = slot;
  }
  slots_ = std::move(grown);
}

Status RowTable::Insert(std::uint16_t instance, const Row& row, const Parsed& parsed,
                        std::uint32_t tag, Slot* slot) {
  Cell cell;
  cell.time = parsed.time;
  cell.sequence = rows_;
  cell.hidden = row.hidden;
  cell.instance = instance;
  cell.member = row.member;
  cell.meta = row.meta;
  cell.meta_time = parsed.time;
  const Handle handle = cells_.Create(cell, parsed.words);
  if (handle == kNoCell) return NoRoom();
  *slot = {tag, handle};
  if (++entries_ * kFullDenominator > slots_.size() * kFullNumerator) GrowSlots();
  return Ok{};
}

// Folding -----------------------------------------------------------------------------------------

Status RowTable::Fold(const Row& row, const Parsed& parsed, Slot* slot) {
  const Stamp time = cells_.TimeOf(slot->handle);
  Status folded = Ok{};
  if (builds_) {
    folded = Combine(row, parsed, slot);
  } else if (spec_.policy == Policy::kBest && folding_ == Folding::kByPolicy) {
    const core::Words present = cells_.WordsOf(slot->handle);
    const bool is_equal = layout_.SameScore(parsed.words, present);
    const bool is_better =
        is_equal ? parsed.time < time : layout_.BetterScore(parsed.words, present);
    if (is_better) folded = Replace(row, parsed, slot);
  } else if (parsed.time >= time) {
    folded = Replace(row, parsed, slot);
  }
  if (folded.ok() && row.hidden) cells_.Hide(slot->handle);
  return folded;
}

Result<core::Words> RowTable::Combined(const Parsed& parsed, Handle entry) const {
  const core::Words present = cells_.WordsOf(entry);
  const bool is_latest = parsed.time >= cells_.TimeOf(entry);
  core::Words combined{};
  for (unsigned i = 0; i < layout_.fields(); ++i) {
    std::int64_t value = layout_.FieldValue(i, present[i]);
    const std::int64_t given = layout_.FieldValue(i, parsed.words[i]);
    const Operator op = spec_.policy == Policy::kSum ? Operator::kSum : spec_.fields[i].op;
    switch (op) {
      case Operator::kSet:
        if (is_latest) value = given;
        break;
      case Operator::kSum:
        if (__builtin_add_overflow(value, given, &value)) {
          return Error{ErrorCode::kOverflow,
                       core::DescribeField(spec_.fields[i]) + ": the sum is out of range"};
        }
        break;
      case Operator::kMax:
        value = std::max(value, given);
        break;
      case Operator::kMin:
        value = std::min(value, given);
        break;
    }
    combined[i] = layout_.FieldWord(i, value);
  }
  return combined;
}

Status RowTable::Combine(const Row& row, const Parsed& parsed, Slot* slot) {
  const Result<core::Words> combined = Combined(parsed, slot->handle);
  if (!combined.ok()) return combined.error();
  const bool is_latest = parsed.time >= cells_.TimeOf(slot->handle);
  const bool takes_meta = !row.meta.empty() && (cells_.MetaOf(slot->handle).empty() ||
                                                parsed.time >= cells_.MetaTimeOf(slot->handle));
  if (takes_meta) {
    if (Status rewritten = Rewrite(slot, row.meta, parsed.time); !rewritten.ok()) return rewritten;
  }
  cells_.SetWords(slot->handle, *combined);
  if (is_latest) {
    cells_.SetTime(slot->handle, parsed.time);
    cells_.SetSequence(slot->handle, rows_);
  }
  return Ok{};
}

Status RowTable::Replace(const Row& row, const Parsed& parsed, Slot* slot) {
  if (row.meta != cells_.MetaOf(slot->handle)) {
    if (Status rewritten = Rewrite(slot, row.meta, parsed.time); !rewritten.ok()) return rewritten;
  }
  cells_.SetWords(slot->handle, parsed.words);
  cells_.SetTime(slot->handle, parsed.time);
  cells_.SetSequence(slot->handle, rows_);
  return Ok{};
}

Status RowTable::Rewrite(Slot* slot, std::string_view meta, Stamp meta_time) {
  Cell cell = cells_.Read(slot->handle);
  cell.meta = meta;
  cell.meta_time = meta_time;
  const Handle handle = cells_.Create(cell, cells_.WordsOf(slot->handle));
  if (handle == kNoCell) return NoRoom();
  cells_.Kill(slot->handle);
  slot->handle = handle;
  return Ok{};
}

// Finishing ---------------------------------------------------------------------------------------

RowTable::Report RowTable::Finish(Stamp now) {
  LAUREL_ASSERT(!finished_);
  finished_ = true;
  HideMarked();
  std::vector<Slot>().swap(slots_);
  Sort();
  Report report;
  report.rows = rows_;
  report.entries = entries_;
  report.folded = placed_ - entries_;
  report.outside = outside_;
  report.without_time = without_time_;
  report.earliest = earliest_;
  report.latest = latest_;
  report.all_values_equal = rows_ > 1 && all_values_equal_;
  report.all_times_equal = rows_ - without_time_ > 1 && earliest_ == latest_;
  GiveStamps(now, &report);
  return report;
}

void RowTable::HideMarked() {
  const std::size_t instances = placement_ && placement_->ok() ? (*placement_)->size() + 1 : 1;
  for (const std::string& member : marks_) {
    for (std::size_t i = 0; i < instances; ++i) {
      const auto instance = static_cast<std::uint16_t>(i);
      const Slot* slot = FindSlot(TagOf(instance, member), instance, member);
      if (slot->handle == kNoCell) continue;
      cells_.Hide(slot->handle);
      has_hidden_ = true;
    }
  }
}

void RowTable::Sort() {
  RowOrder order;
  order.tie = spec_.tie;
  order.equals = equals_;
  order_ = SortCells(cells_, entries_, layout_.fields(), order);
}

void RowTable::GiveStamps(Stamp now, Report* report) {
  const bool backward = spec_.tie == Tie::kLast;
  const auto handle_at = [&](std::size_t i) {
    return order_[backward ? order_.size() - 1 - i : i];
  };
  // By instance: the stamp of the next entry without a time.
  std::vector<Stamp> untimed;
  for (const Handle handle : order_) {
    if (cells_.TimeOf(handle) != kUntimed) continue;
    const std::size_t instance = cells_.InstanceOf(handle);
    if (untimed.size() <= instance) untimed.resize(instance + 1, now);
    --untimed[instance];
  }
  Handle before = kNoCell;
  Stamp time_before = 0;  // in the source
  Stamp stamp = 0;
  std::uint64_t in_tick = 0;
  bool crowded = false;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i + kAhead < order_.size()) cells_.Prefetch(handle_at(i + kAhead));
    const Handle handle = handle_at(i);
    const Stamp time = cells_.TimeOf(handle);
    const bool same_score = before != kNoCell && cells_.SameWords(before, handle) &&
                            cells_.InstanceOf(before) == cells_.InstanceOf(handle);
    const bool same_tick = same_score && time == time_before;
    if (!same_tick) in_tick = 0;
    crowded = crowded && same_tick;
    // The first entry of the tick counts when the second one is there.
    if (++in_tick > 1) report->ties += in_tick == 2 ? 2 : 1;
    const Stamp given = time == kUntimed ? untimed[cells_.InstanceOf(handle)]++ : time;
    Stamp least = INT64_MIN;
    if (same_score && spec_.tie != Tie::kMember) {
      const Handle ahead = backward ? handle : before;
      const Handle behind = backward ? before : handle;
      const bool by_member = tick_us_ == 1 && cells_.MemberOf(ahead) < cells_.MemberOf(behind);
      least = stamp + (by_member ? 0 : 1);
    }
    stamp = std::max(given, least);
    if (!crowded && time != kUntimed && stamp - time >= tick_us_) {
      crowded = true;
      ++report->crowded_ticks;
    }
    cells_.SetTime(handle, stamp);
    last_stamp_ = std::max(last_stamp_, stamp);
    before = handle;
    time_before = time;
  }
}

TableEntry RowTable::operator[](std::size_t i) const {
  LAUREL_ASSERT(finished_ && i < order_.size());
  if (i + kAhead < order_.size()) cells_.Prefetch(order_[i + kAhead]);
  const Cell cell = cells_.Read(order_[i]);
  TableEntry entry;
  entry.member = cell.member;
  entry.score = layout_.ScoreOf(cells_.WordsOf(order_[i]));
  entry.stamp = cell.time;
  entry.meta = cell.meta;
  entry.hidden = cell.hidden;
  if (cell.instance > 0) {
    const Placement::Place& place = (**placement_)[cell.instance];
    entry.instance = place.name;
    entry.span = &place.span;
  }
  return entry;
}

std::size_t RowTable::MemoryUsage() const {
  return cells_.MemoryUsage() + slots_.capacity() * sizeof(Slot) +
         order_.capacity() * sizeof(Handle);
}

}  // namespace laurel::transfer
