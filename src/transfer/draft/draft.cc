#include "transfer/draft/draft.h"

#include <algorithm>

#include "base/assert.h"
#include "base/byte_cursor.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/time_text.h"
#include "core/decide.h"
#include "core/store/spec_checks.h"
#include "laurel/limits.h"
#include "laurel/stamp_clock.h"
#include "leaderboard/effect_codec.h"

namespace laurel::transfer {
namespace {

constexpr std::size_t kQueued = core::EntryStore::kBatch;
// The draft compares the times of rows with no clock: rows of the future are rejected earlier, and
// rows without a time have a late one.
constexpr leaderboard::Call kAnyTime{{}, INT64_MAX, 0};

Spec WithoutCap(Spec spec) {
  spec.cap = 0;
  return spec;
}

// None if the board has no periods.
std::optional<Result<Placement>> PlacementOf(const Spec& spec,
                                             const std::optional<std::string>& period,
                                             std::optional<Stamp> now) {
  if (spec.periods.empty()) return std::nullopt;
  return Placement::Make(spec, period, now.value_or(SystemNow()));
}

Status CheckRow(const core::Standings& standings, const Row& row) {
  if (Status fits = core::CheckMember(standings, row.member); !fits.ok()) return fits;
  if (row.meta.size() > kMaxMetaBytes) {
    return Error{ErrorCode::kLimit, "meta exceeds " + std::to_string(kMaxMetaBytes) + " bytes"};
  }
  if (row.at && (*row.at < 0 || *row.at > base::kMaxTime)) {
    return Error{ErrorCode::kBadTime, "the time is not from 1970 to 9999"};
  }
  return Ok{};
}

}  // namespace

Draft::Draft(const Spec& spec, EqualRows equals, std::int64_t tick_us,
             const std::optional<std::string>& period, std::optional<Stamp> now, Folding folding)
    : spec_(spec),
      equals_(equals),
      tick_us_(tick_us),
      folding_(folding),
      builds_(folding == Folding::kByPolicy &&
              (spec.policy == Policy::kSum || core::HasOperators(spec))),
      placement_(PlacementOf(spec, period, now)),
      environment_(base::SystemMemory(), base::SystemEntropy()),
      board_(WithoutCap(spec), &environment_,
             placement_ && placement_->ok() ? (**placement_).calendar() : nullptr) {
  LAUREL_ASSERT(spec.kind == BoardKind::kLeaderboard && tick_us >= 1);
}

// Adding ------------------------------------------------------------------------------------------

Status Draft::Add(const Row& row) {
  LAUREL_ASSERT(!finished_);
  if (Status checked = CheckRow(board_.standings(), row); !checked.ok()) return checked;
  if (row.hidden && row.values.empty()) {
    marks_.emplace(row.member);
    return Ok{};
  }
  const Result<Score> score = ParseScore(spec_, row.values);
  if (!score.ok()) return score.error();
  if (full_) {
    return Error{ErrorCode::kLimit, "the import has more members than a board can hold"};
  }
  const Result<std::size_t> outside = Place(row);
  if (!outside.ok()) return outside.error();
  if (!builds_) {
    Queue(row, *score);
  } else if (Status summed = Sum(row, *score); !summed.ok()) {
    return summed;
  }
  placed_ += numbers_.size();
  report_.outside += *outside;
  if (row.hidden) marks_.emplace(row.member);
  NoteRow(row, *score);
  return Ok{};
}

Result<std::size_t> Draft::Place(const Row& row) {
  numbers_.clear();
  if (!placement_) {
    if (!row.instance.empty()) {
      return Error{ErrorCode::kErr, base::Quote(row.instance) + ": the board has no periods"};
    }
    numbers_.push_back(0);
    return std::size_t{0};
  }
  if (!placement_->ok()) return placement_->error();
  Placement& placement = **placement_;
  std::size_t outside = 0;
  if (row.instance.empty()) {
    outside = placement.At(row.at, &places_);
  } else {
    const Result<const Placement::PlacedInstance*> named = placement.Named(row.instance);
    if (!named.ok()) return named.error();
    places_.clear();
    if (*named != nullptr) places_.push_back(*named);
    outside = *named == nullptr ? 1 : 0;
  }
  for (const Placement::PlacedInstance* place : places_) numbers_.push_back(place->number);
  return outside;
}

void Draft::NoteRow(const Row& row, const Score& score) {
  if (!first_score_) first_score_ = score;
  report_.all_values_equal =
      (report_.rows == 0 || report_.all_values_equal) && *first_score_ == score;
  ++report_.rows;
  if (!row.at) {
    ++report_.without_time;
    return;
  }
  report_.earliest = std::min(report_.earliest.value_or(*row.at), *row.at);
  report_.latest = std::max(report_.latest.value_or(*row.at), *row.at);
}

void Draft::Queue(const Row& row, const Score& score) {
  for (const std::uint16_t number : numbers_) {
    queue_.push_back({number, score, row.at.value_or(kUntimed), report_.rows, bytes_.size(),
                      row.member.size(), row.meta.size()});
  }
  bytes_ += row.member;
  bytes_ += row.meta;
  if (queue_.size() >= kQueued) Flush();
}

void Draft::Flush() {
  const auto earlier = [](const Pending& a, const Pending& b) { return a.number < b.number; };
  std::stable_sort(queue_.begin(), queue_.end(), earlier);
  for (auto begin = queue_.begin(); begin != queue_.end();) {
    const auto end = std::upper_bound(begin, queue_.end(), *begin, earlier);
    WriteQueued({begin, end});
    begin = end;
  }
  queue_.clear();
  bytes_.clear();
}

void Draft::WriteQueued(std::span<const Pending> rows) {
  const std::uint16_t number = rows.front().number;
  Open(number);
  std::vector<Write> writes;
  writes.reserve(rows.size());
  for (const Pending& row : rows) {
    const std::string_view bytes = std::string_view(bytes_).substr(row.begin);
    Write& write = writes.emplace_back();
    write.member = bytes.substr(0, row.member_bytes);
    write.score = row.score;
    write.mode = folding_ == Folding::kLatest ? WriteMode::kRestore : WriteMode::kFold;
    write.at = row.time;
    write.meta = bytes.substr(row.member_bytes, row.meta_bytes);
  }
  const bool by_row = equals_ == EqualRows::kAsAdded && spec_.tie != Tie::kMember;
  const bool best = spec_.policy == Policy::kBest && folding_ == Folding::kByPolicy;
  const auto note = [&](std::size_t i, const Result<Verdict>& verdict) {
    LAUREL_ASSERT(verdict.ok());  // Add has checked the row and the room
    const bool is_kept =
        best ? verdict->status == WriteStatus::kAccepted : verdict->stamp == rows[i].time;
    if (by_row && is_kept) row_numbers_.Note(number, writes[i].member, rows[i].row);
  };
  board_.ApplyBatch(writes, kAnyTime, nullptr, note, number);
  row_numbers_.Trim(environment_.totals().entries);
  full_ = full_ || !StandingsOf(number)->entries().HasRoom(
                       2 * kQueued, 2 * kQueued * (kMaxMemberBytes + kMaxMetaBytes));
}

Status Draft::Sum(const Row& row, const Score& score) {
  Write write;
  write.member = row.member;
  write.score = score;
  write.mode = WriteMode::kFold;
  write.at = row.at.value_or(kUntimed);
  core::EffectBatch ignored;
  for (std::size_t i = 0; numbers_.size() > 1 && i < numbers_.size(); ++i) {
    const core::Standings* standings = StandingsOf(numbers_[i]);
    if (standings == nullptr) continue;
    const auto decided = core::DecideWrite(*standings, write, {kAnyTime.now, 0}, &ignored);
    if (!decided.ok()) return decided.error();
  }
  for (const std::uint16_t number : numbers_) {
    if (Status summed = SumInto(number, write, row.meta); !summed.ok()) return summed;
  }
  return Ok{};
}

Status Draft::SumInto(std::uint16_t number, Write write, std::string_view meta) {
  Open(number);
  const core::Standings& standings = *StandingsOf(number);
  const core::Location found = standings.entries().Find(core::MemberKey(write.member));
  std::pair<std::uint16_t, std::string> key(number, write.member);
  bool has_meta = false;
  Stamp stamp = *write.at;
  Stamp meta_time = stamp;
  if (found != core::kNowhere) {
    has_meta = !standings.entries().MetaAt(found).empty();
    stamp = standings.layout().StampOf(standings.entries().WordsAt(found));
    const auto known = meta_times_.find(key);
    meta_time = known == meta_times_.end() ? stamp : known->second;
  }
  if (!meta.empty() && (!has_meta || *write.at >= meta_time)) {
    write.meta = meta;
    meta_time = *write.at;
    has_meta = true;
  }
  Status done = Ok{};
  const auto note = [&](std::size_t, const Result<Verdict>& verdict) {
    if (!verdict.ok()) done = verdict.error();
  };
  board_.ApplyBatch({&write, 1}, kAnyTime, nullptr, note, number);
  row_numbers_.Trim(environment_.totals().entries);
  if (!done.ok()) return done;
  if (*write.at >= stamp) row_numbers_.Note(number, write.member, report_.rows);
  if (has_meta && meta_time != std::max(stamp, *write.at)) {
    meta_times_[std::move(key)] = meta_time;
  } else {
    meta_times_.erase(key);
  }
  return Ok{};
}

// Instances ---------------------------------------------------------------------------------------

const core::Standings* Draft::StandingsOf(std::uint16_t number) const {
  if (number == 0) return &board_.standings();
  return number <= opened_.size() ? opened_[number - 1U] : nullptr;
}

void Draft::Open(std::uint16_t number) {
  if (StandingsOf(number) != nullptr) return;
  Apply([&](leaderboard::EffectWriter* effects) {
    effects->CreateInstance(number, (**placement_)[number].span);
  });
  if (opened_.size() < number) opened_.resize(number);
  for (const auto& stored : board_.instances()) {
    if (stored->number == number) opened_[number - 1U] = &stored->standings;
  }
}

void Draft::Apply(const std::function<void(leaderboard::EffectWriter*)>& write) {
  std::string effects;
  leaderboard::EffectWriter writer(&effects);
  write(&writer);
  base::ByteCursor cursor(effects);
  leaderboard::Summary summary;
  const Status applied = board_.Apply(&cursor, /*lenient=*/false, &summary);
  LAUREL_ASSERT(applied.ok());
}

// Finishing ---------------------------------------------------------------------------------------

Draft::Report Draft::Finish(Stamp now) {
  LAUREL_ASSERT(!finished_);
  Flush();
  finished_ = true;
  std::vector<std::vector<core::EntryStore::Restamped>> orders(opened_.size() + 1);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto number = static_cast<std::uint16_t>(i);
    if (StandingsOf(number) == nullptr) continue;
    orders[i] = StampsOf(*StandingsOf(number), number, {equals_, tick_us_, now}, &row_numbers_,
                         &report_, &last_stamp_);
  }
  row_numbers_.Clear();
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!orders[i].empty()) board_.Restamp(static_cast<std::uint32_t>(i), orders[i]);
  }
  meta_times_.clear();
  Apply([&](leaderboard::EffectWriter* effects) {
    if (times_.last_stamp != 0) effects->Stamped(times_.last_stamp);
    effects->Written(times_.written_at != 0 ? times_.written_at : now);
    if (times_.turned_at != 0 && board_.has_periods()) effects->Turned(times_.turned_at);
    for (const std::string& member : marks_) effects->Mark(member);
  });
  report_.entries = size();
  report_.folded = placed_ - report_.entries;
  report_.all_values_equal = report_.rows > 1 && report_.all_values_equal;
  report_.all_times_equal =
      report_.rows - report_.without_time > 1 && report_.earliest == report_.latest;
  return report_;
}

std::uint64_t Draft::Settle(Stamp now) {
  LAUREL_ASSERT(finished_);
  board_.Advance(now, SIZE_MAX, "", nullptr);
  const std::size_t before = size();
  Apply([&](leaderboard::EffectWriter* effects) { effects->Alter(spec_); });
  std::string evictions;
  leaderboard::EffectWriter writer(&evictions);
  board_.EvictExcess(&writer);
  return over_cap_ += before - size();
}

}  // namespace laurel::transfer
