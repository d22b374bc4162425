#include "model/naive_leaderboard.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "calendar/zone_calendar.h"
#include "core/store/score_key.h"
#include "laurel/limits.h"
#include "leaderboard/answer.h"
#include "leaderboard/entries.h"
#include "leaderboard/load.h"

namespace laurel::model {
namespace {

using leaderboard::Answer;
using leaderboard::InstanceSelector;
using leaderboard::Missing;

constexpr Stamp kDay = Stamp{24} * 3600 * 1'000'000;
constexpr std::size_t kMaxIdBytes = 128;
constexpr Stamp kForEver = INT64_MAX;

using Faults = std::set<std::string>;

// The instance before this one; the first instance returns itself.
Instance Previous(const Calendar& calendar, const Instance& span) {
  return span.begin == INT64_MIN ? span : calendar.At(span.period, span.begin - 1);
}

// The names of all codes in an error of the naive board.
Faults FaultsOf(const Error& error) {
  std::istringstream names(error.message);
  Faults faults;
  for (std::string name; names >> name;) faults.insert(name);
  return faults;
}

void Refuse(const Faults& faults, Answer* answer) {
  std::string names;
  for (const std::string& name : faults) names += (names.empty() ? "" : " ") + name;
  answer->Refused(Error{ErrorCode::kErr, names});
}

void Refuse(ErrorCode code, Answer* answer) { Refuse({std::string(ErrorName(code))}, answer); }

leaderboard::EntryLine LineOf(const Entry& entry) {
  return {entry.rank, entry.member, &entry.score, entry.stamp, entry.meta};
}

void AnswerEntries(const std::vector<Entry>& entries, const leaderboard::EntryShape& shape,
                   Answer* answer) {
  answer->BeginEntries(shape, entries.size());
  for (const Entry& entry : entries) answer->NextEntry(shape, LineOf(entry), std::nullopt);
}

// Parses a score that is given as texts; returns one that is given as numbers unchanged.
Result<Score> ReadScore(const Spec& spec, const leaderboard::Values& values) {
  return values.score != nullptr ? Result<Score>(*values.score) : ParseScore(spec, values.texts);
}

Stamp Later(Stamp moment, std::int64_t micros) {
  return moment == kForEver ? kForEver : moment + micros;
}

}  // namespace

NaiveLeaderboard::NaiveLeaderboard(const Spec& spec) : spec_(spec) {
  closed_through_.fill(INT64_MIN);
  if (has_periods()) {
    calendar_ = std::make_shared<calendar::ZoneCalendar>(
        *calendar::ZoneCalendar::Of(spec.zone, spec.turn_minutes));
  } else {
    instances_.push_back({Instance{}, EmptyBoard(), false});
  }
}

NaiveBoard NaiveLeaderboard::EmptyBoard() const {
  NaiveBoard board(InstanceSpec(spec_));
  const std::vector<std::string_view> hidden(marks_.begin(), marks_.end());
  (void)board.Hide(hidden).ok();
  return board;
}

// Time --------------------------------------------------------------------------------------------

bool NaiveLeaderboard::HasExpired(Stamp now) const {
  if (spec_.expire_us == 0) return false;
  if (spec_.end) return *spec_.end + spec_.expire_us <= now;
  return last_write_ != 0 && last_write_ + spec_.expire_us <= now;
}

void NaiveLeaderboard::Pass(Stamp now) {
  latest_ = std::max(latest_, now);
  if (!has_periods()) return;
  const Stamp time = CalendarTime(now);
  for (StoredInstance& stored : instances_) {
    const Stamp close = Later(stored.span.end, spec_.grace_us);
    if (stored.closed || close > time) continue;
    stored.closed = true;
    Stamp& through = closed_through_[static_cast<std::size_t>(stored.span.period)];
    through = std::max(through, stored.span.end);
    last_turn_ = std::max(last_turn_, close);
  }
  std::erase_if(instances_, [&](const StoredInstance& stored) {
    return stored.span.begin < OldestKept(stored.span.period, now);
  });
  for (const Period period : spec_.periods) {
    last_turn_ = std::max(last_turn_, calendar_->At(period, time).begin);
  }
}

// KEEP instances before the current one are kept. A turn counts once its GRACE is over.
Stamp NaiveLeaderboard::OldestKept(Period period, Stamp now) const {
  Instance span = calendar_->At(period, CalendarTime(now) - spec_.grace_us);
  for (std::uint64_t i = 0; i < spec_.keep; ++i) span = Previous(*calendar_, span);
  return span.begin;
}

NaiveLeaderboard::StoredInstance* NaiveLeaderboard::Find(const Instance& span) {
  for (StoredInstance& stored : instances_) {
    if (stored.span == span) return &stored;
  }
  return nullptr;
}

std::optional<Instance> NaiveLeaderboard::Select(const InstanceSelector& selector,
                                                 Stamp now) const {
  using Which = InstanceSelector::Which;
  const std::vector<Period>& declared = spec_.periods;
  const bool known = std::find(declared.begin(), declared.end(), selector.period) != declared.end();
  if (selector.which == Which::kNone || !known) return std::nullopt;
  const Instance present = calendar_->At(selector.period, CalendarTime(now));
  Instance span = present;
  if (selector.which == Which::kBefore) {
    const Stamp oldest = OldestKept(selector.period, now);
    for (std::uint64_t i = 0; i < selector.back; ++i) {
      if (span.begin <= oldest) return std::nullopt;
      span = Previous(*calendar_, span);
    }
  }
  if (selector.which == Which::kLabel) {
    const Result<Instance> labelled = calendar_->Find(selector.period, selector.label);
    if (!labelled) return std::nullopt;
    span = *labelled;
  }
  // An instance that has not begun exists once a write with AT has gone to it.
  if (span.begin > present.begin) {
    for (const StoredInstance& stored : instances_) {
      if (stored.span == span) return span;
    }
    return std::nullopt;
  }
  if (span.begin < OldestKept(selector.period, now)) return std::nullopt;
  return span;
}

// Requests ----------------------------------------------------------------------------------------

const NaiveLeaderboard::Request* NaiveLeaderboard::Remembered(std::string_view id,
                                                              Stamp now) const {
  for (auto request = requests_.rbegin(); request != requests_.rend(); ++request) {
    if (request->id == id) return request->at > now - kDay ? &*request : nullptr;
  }
  return nullptr;
}

bool NaiveLeaderboard::IsOpen(const leaderboard::WriteOperation& operation, Stamp now) const {
  std::optional<std::string_view> id;
  if (const auto* one = std::get_if<leaderboard::Submit>(&operation)) id = one->id;
  if (const auto* many = std::get_if<leaderboard::SubmitMany>(&operation)) id = many->id;
  if (!id) return false;
  const Request* request = Remembered(*id, now);
  return request != nullptr && request->at <= latest_ - kDay;
}

void NaiveLeaderboard::ForgetBeyondDedup() {
  while (requests_.size() > spec_.dedup) requests_.pop_front();
}

// Writes ------------------------------------------------------------------------------------------

class NaiveLeaderboard::Writing {
 public:
  Writing(NaiveLeaderboard* board, Stamp now, Stamp stamp, Answer* answer)
      : board_(*board), spec_(board->spec_), now_(now), stamp_(stamp), answer_(*answer) {}

  void operator()(const leaderboard::Submit& submit);
  void operator()(const leaderboard::SubmitMany& many);
  void operator()(const leaderboard::Restore& restore);
  void operator()(const leaderboard::SetMeta& meta);
  void operator()(const leaderboard::Remove& remove);
  void operator()(const leaderboard::RemoveRange& range);
  void operator()(const leaderboard::Hide& hide);
  void operator()(const leaderboard::Show& show);
  void operator()(const leaderboard::Pop& pop);
  void operator()(const leaderboard::Trim& trim);
  void operator()(const leaderboard::Clear& clear);
  void operator()(const leaderboard::Alter& alter);

 private:
  void Write(std::span<const laurel::Write> writes, bool ranks, bool many,
             std::optional<std::string_view> id, std::uint64_t other_boards_hash);
  static std::vector<OwnedWrite> OwnedWrites(std::span<const laurel::Write> writes);
  // Replaces the entries of the instance. One that is not stored yet is stored if the board is not
  // empty.
  void Store(const Instance& span, NaiveBoard board);
  // The instances that a write with this AT goes to, in the order of the periods.
  std::vector<Instance> InstancesFor(std::optional<Stamp> at) const;
  Faults TimeFaults(std::optional<Stamp> at) const;
  void ShowVerdicts(const std::vector<Verdict>& verdicts, bool many, bool duplicate) {
    answer_.Verdicts({&spec_, verdicts, !many, duplicate});
  }
  // The stored instances that an operation without AT changes: the named one, or all. Refuses the
  // operation and returns none if there is no such instance.
  std::optional<std::vector<StoredInstance*>> Targets(
      const std::optional<InstanceSelector>& instance);
  // The same for an operation on ranks, which needs the name of one instance.
  std::optional<std::vector<StoredInstance*>> OneTarget(
      const std::optional<InstanceSelector>& instance);
  void Accepted() {
    if (spec_.expire_us != 0 && !spec_.end) board_.last_write_ = now_;
  }

  NaiveLeaderboard& board_;
  Spec& spec_;
  const Stamp now_;
  const Stamp stamp_;
  Answer& answer_;
};

void NaiveLeaderboard::Writing::operator()(const leaderboard::Submit& submit) {
  const Result<Score> score = ReadScore(spec_, submit.values);
  if (!score) {
    Faults faults = TimeFaults(submit.at);
    faults.insert(std::string(ErrorName(score.error().code)));
    return Refuse(faults, &answer_);
  }
  laurel::Write write;
  write.member = submit.member;
  write.score = *score;
  write.mode = submit.mode;
  write.condition = submit.condition;
  write.only = submit.only;
  write.at = submit.at;
  write.meta = submit.meta;
  Write(std::span(&write, 1), submit.ranks, false, submit.id, 0);
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::SubmitMany& many) {
  std::vector<laurel::Write> writes(many.writes.begin(), many.writes.end());
  const std::size_t fields = spec_.fields.size();
  for (std::size_t i = 0; i + fields < many.texts.size(); i += fields + 1) {
    const Result<Score> score = ParseScore(spec_, many.texts.subspan(i + 1, fields));
    if (!score) return Refuse(score.error().code, &answer_);
    laurel::Write& write = writes.emplace_back();
    write.member = many.texts[i];
    write.score = *score;
    write.at = many.at;
  }
  if (writes.empty()) return Refuse(ErrorCode::kErr, &answer_);
  Write(writes, many.ranks, true, many.id, many.other_boards_hash);
}

std::vector<Instance> NaiveLeaderboard::Writing::InstancesFor(std::optional<Stamp> at) const {
  if (!board_.has_periods()) return {Instance{}};
  std::vector<Instance> spans;
  for (const Period period : spec_.periods) {
    spans.push_back(board_.calendar_->At(period, at.value_or(board_.CalendarTime(now_))));
  }
  return spans;
}

// CLOSED: the window and the periods. BADTIME: an AT ahead of the clock.
Faults NaiveLeaderboard::Writing::TimeFaults(std::optional<Stamp> at) const {
  Faults faults;
  if (at && *at > now_ + kMaxStampLeadMicros) faults.insert("BADTIME");
  const Stamp time = at.value_or(now_);
  const bool early = spec_.start && time < *spec_.start;
  const bool late = spec_.end && (time >= *spec_.end || now_ >= *spec_.end + spec_.grace_us);
  if (early || late) faults.insert("CLOSED");
  for (const Instance& span : InstancesFor(at)) {
    const bool over = Later(span.end, spec_.grace_us) <= board_.CalendarTime(now_);
    const bool closed = span.end <= board_.closed_through_[static_cast<std::size_t>(span.period)];
    if (over || closed) faults.insert("CLOSED");
  }
  return faults;
}

std::vector<NaiveLeaderboard::OwnedWrite> NaiveLeaderboard::Writing::OwnedWrites(
    std::span<const laurel::Write> writes) {
  std::vector<OwnedWrite> owned;
  for (const laurel::Write& write : writes) {
    owned.push_back({std::string(write.member), write.score, write.mode, write.condition,
                     write.only, write.at,
                     write.meta ? std::optional<std::string>(*write.meta) : std::nullopt});
  }
  return owned;
}

void NaiveLeaderboard::Writing::Store(const Instance& span, NaiveBoard board) {
  StoredInstance* stored = board_.Find(span);
  const bool holds_something =
      !board.visible().empty() || std::any_of(board.hidden().begin(), board.hidden().end(),
                                              [](const auto& mark) { return mark.second; });
  if (stored != nullptr) {
    stored->board = std::move(board);
  } else if (holds_something) {
    board_.instances_.push_back({span, std::move(board), false});
  }
}

void NaiveLeaderboard::Writing::Write(std::span<const laurel::Write> writes, bool ranks, bool many,
                                      std::optional<std::string_view> id,
                                      std::uint64_t other_boards_hash) {
  Request request{std::string(id.value_or("")), many, other_boards_hash,
                  OwnedWrites(writes),          {},   now_};
  Faults faults;
  if (id && spec_.dedup == 0) faults.insert("ERR");
  if (id && (id->empty() || id->size() > kMaxIdBytes)) faults.insert("LIMIT");
  if (id && faults.empty()) {
    if (const Request* first = board_.Remembered(*id, now_)) {
      if (!first->AsksTheSameAs(request)) return Refuse(ErrorCode::kReused, &answer_);
      return ShowVerdicts(first->verdicts, many, true);
    }
  }

  // All or nothing: writes to copies of the instances, which replace them at the end.
  const std::optional<Stamp> at = writes[0].at;
  faults.merge(TimeFaults(at));
  const std::vector<Instance> spans = InstancesFor(at);
  std::vector<NaiveBoard> copies;
  request.verdicts.resize(writes.size() * spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const StoredInstance* stored = board_.Find(spans[i]);
    NaiveBoard& copy = copies.emplace_back(stored != nullptr ? stored->board : board_.EmptyBoard());
    const Result<std::vector<Verdict>> verdicts = copy.ApplyAll(writes, {now_, stamp_});
    if (!verdicts) {
      faults.merge(FaultsOf(verdicts.error()));
      continue;
    }
    for (std::size_t write = 0; write < writes.size(); ++write) {
      Verdict verdict = (*verdicts)[write];
      if (!ranks) verdict.rank = verdict.previous_rank = std::nullopt;
      request.verdicts[write * spans.size() + i] = verdict;
    }
  }
  if (!faults.empty()) return Refuse(faults, &answer_);

  for (std::size_t i = 0; i < spans.size(); ++i) {
    Store(spans[i], std::move(copies[i]));
    if (board_.has_periods() && !at) {
      board_.last_turn_ = std::max(board_.last_turn_, spans[i].begin);
    }
  }
  Accepted();
  ShowVerdicts(request.verdicts, many, false);
  if (!id) return;
  board_.requests_.push_back(std::move(request));
  board_.ForgetBeyondDedup();
}

std::optional<std::vector<NaiveLeaderboard::StoredInstance*>> NaiveLeaderboard::Writing::Targets(
    const std::optional<InstanceSelector>& instance) {
  std::vector<StoredInstance*> targets;
  if (!instance) {
    for (StoredInstance& stored : board_.instances_) targets.push_back(&stored);
    return targets;
  }
  const std::optional<Instance> span = board_.Select(*instance, now_);
  if (!span) {
    Refuse(ErrorCode::kNoBoard, &answer_);
    return std::nullopt;
  }
  if (StoredInstance* stored = board_.Find(*span)) targets.push_back(stored);
  return targets;
}

std::optional<std::vector<NaiveLeaderboard::StoredInstance*>> NaiveLeaderboard::Writing::OneTarget(
    const std::optional<InstanceSelector>& instance) {
  if (instance || !board_.has_periods()) return Targets(instance);
  Refuse(ErrorCode::kErr, &answer_);
  return std::nullopt;
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::Restore& restore) {
  const auto parts =
      leaderboard::ReadEntries(restore.chunk, core::KeyLayout(spec_), restore.with_meta);
  if (!parts.ok()) return Refuse(parts.error().code, &answer_);
  std::vector<std::pair<Instance, NaiveBoard>> copies;
  std::uint64_t taken = 0;
  for (const leaderboard::ChunkSection& part : *parts) {
    if (part.instance.has_value() != board_.has_periods()) return Refuse(ErrorCode::kErr, &answer_);
    Instance span;
    if (part.instance) {
      const std::string name = leaderboard::InstanceName("", *part.instance).substr(1);
      const std::optional<Instance> selected =
          board_.Select(leaderboard::ParseSelector(name), now_);
      if (!selected) return Refuse(ErrorCode::kNoBoard, &answer_);
      span = *selected;
    }
    const StoredInstance* stored = board_.Find(span);
    copies.emplace_back(span, stored != nullptr ? stored->board : board_.EmptyBoard());
    const auto verdicts = copies.back().second.ApplyAll(part.writes, {now_, stamp_});
    if (!verdicts) return Refuse(FaultsOf(verdicts.error()), &answer_);
    for (const Verdict& verdict : *verdicts) taken += verdict.status != WriteStatus::kNotRanked;
  }
  for (auto& [span, copy] : copies) Store(span, std::move(copy));
  Accepted();
  answer_.Number(taken);
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::SetMeta& meta) {
  const auto targets = Targets(meta.instance);
  if (!targets) return;
  if (meta.meta.size() > kMaxMetaBytes) return Refuse(ErrorCode::kLimit, &answer_);
  bool found = false;
  for (StoredInstance* stored : *targets) found |= *stored->board.SetMeta(meta.member, meta.meta);
  Accepted();
  answer_.Number(found ? 1 : 0);
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::Remove& remove) {
  const auto targets = Targets(remove.instance);
  if (!targets) return;
  std::set<std::string_view> removed;
  for (StoredInstance* stored : *targets) {
    for (const std::string_view member : remove.members) {
      if (stored->board.Remove(std::span(&member, 1)) > 0) removed.insert(member);
    }
  }
  answer_.Number(removed.size());
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::RemoveRange& range) {
  const auto targets = OneTarget(range.instance);
  if (!targets) return;
  std::vector<std::string> members;
  for (StoredInstance* stored : *targets) {
    const std::vector<Entry>& visible = stored->board.visible();
    for (std::size_t i = 0; i < visible.size(); ++i) {
      if (i >= range.first && i - range.first < range.count) members.push_back(visible[i].member);
    }
    const std::vector<std::string_view> gone(members.begin(), members.end());
    stored->board.Remove(gone);
  }
  answer_.Number(members.size());
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::Pop& pop) {
  const auto targets = OneTarget(pop.instance);
  if (!targets) return;
  std::vector<Entry> popped;
  for (StoredInstance* stored : *targets) {
    popped = stored->board.Pop(pop.count, pop.worst ? Board::End::kWorst : Board::End::kBest);
  }
  AnswerEntries(popped, {&spec_, pop.with_meta, false, std::nullopt}, &answer_);
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::Trim& trim) {
  const auto targets = OneTarget(trim.instance);
  if (!targets) return;
  std::uint64_t gone = 0;
  for (StoredInstance* stored : *targets) gone += stored->board.Trim(trim.kept);
  answer_.Number(gone);
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::Clear& clear) {
  const auto targets = Targets(clear.instance);
  if (!targets) return;
  std::uint64_t gone = 0;
  for (StoredInstance* stored : *targets) gone += stored->board.Clear();
  answer_.Number(gone);
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::Hide& hide) {
  for (const std::string_view member : hide.members) {
    if (member.size() > kMaxMemberBytes) return Refuse(ErrorCode::kLimit, &answer_);
  }
  std::uint64_t hidden = 0;
  for (const std::string_view member : hide.members) {
    hidden += board_.marks_.insert(std::string(member)).second ? 1 : 0;
  }
  for (StoredInstance& stored : board_.instances_) (void)stored.board.Hide(hide.members).ok();
  answer_.Number(hidden);
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::Show& show) {
  std::uint64_t shown = 0;
  for (const std::string_view member : show.members) {
    shown += board_.marks_.erase(std::string(member));
  }
  for (StoredInstance& stored : board_.instances_) (void)stored.board.Show(show.members).ok();
  answer_.Number(shown);
}

void NaiveLeaderboard::Writing::operator()(const leaderboard::Alter& alter) {
  Spec wanted = *alter.spec;
  const bool fixed = wanted.kind == spec_.kind && wanted.fields == spec_.fields &&
                     wanted.tie == spec_.tie && wanted.periods == spec_.periods &&
                     wanted.zone == spec_.zone && wanted.turn_minutes == spec_.turn_minutes;
  if (!fixed || !CheckSpec(wanted).ok()) return Refuse(ErrorCode::kErr, &answer_);
  if (wanted == spec_) return answer_.Done();
  // GRACE without END and PERIODS may not be declared; a board that has it already keeps it.
  if (!CheckDeclaration(wanted).ok() && CheckDeclaration(spec_).ok()) {
    return Refuse(ErrorCode::kErr, &answer_);
  }
  // An alteration may not drop the board.
  const Stamp counted_from = wanted.end ? *wanted.end : board_.last_write_;
  if (wanted.expire_us != 0 && counted_from != 0 && counted_from + wanted.expire_us <= now_) {
    return Refuse(ErrorCode::kErr, &answer_);
  }
  const bool went_after_writes = spec_.expire_us != 0 && !spec_.end;
  const bool goes_after_writes = wanted.expire_us != 0 && !wanted.end;
  spec_ = wanted;
  bool holds_something = false;
  for (StoredInstance& stored : board_.instances_) {
    stored.board.Alter(InstanceSpec(spec_));
    holds_something |= !stored.board.visible().empty();
    for (const auto& [member, entry] : stored.board.hidden()) holds_something |= entry.has_value();
  }
  // If the board now expires after its last write and did not before, the time counts from now,
  // provided that it has entries.
  if (!goes_after_writes) board_.last_write_ = 0;
  if (goes_after_writes && !went_after_writes && holds_something) board_.last_write_ = now_;
  board_.ForgetBeyondDedup();
  answer_.Done();
}

// Reads -------------------------------------------------------------------------------------------

// Reads of one board.
class NaiveLeaderboard::Reading {
 public:
  Reading(const NaiveBoard& board, Answer* answer)
      : board_(board), spec_(board.spec()), answer_(*answer) {}

  void operator()(const leaderboard::Get& get) {
    const std::optional<Entry> entry = board_.Get(get.member, get.options.kind);
    if (!entry) return answer_.Absent(Missing::kEntry);
    answer_.OneEntry({&spec_, get.options.with_meta, false, board_.size()}, LineOf(*entry));
  }
  void operator()(const leaderboard::Top& top) {
    List(board_.Top(top.count, top.options.kind), top.options);
  }
  void operator()(const leaderboard::Range& range) {
    const auto entries = board_.Range(range.first, range.last, range.options.kind);
    entries ? List(*entries, range.options) : Refuse(FaultsOf(entries.error()), &answer_);
  }
  void operator()(const leaderboard::Around& around) {
    const auto entries = board_.Around(around.member, around.radius, around.options.kind);
    entries ? List(*entries, around.options) : answer_.Absent(Missing::kEntries);
  }
  void operator()(const leaderboard::Among& among) {
    const leaderboard::EntryShape shape{&spec_, among.options.with_meta, true, std::nullopt};
    const std::vector<AmongEntry> lines = board_.Among(among.members, among.options.kind);
    answer_.BeginEntries(shape, lines.size());
    for (const AmongEntry& line : lines) {
      leaderboard::EntryLine absent;
      absent.member = line.member;
      answer_.NextEntry(shape, line.entry ? LineOf(*line.entry) : absent, line.place);
    }
  }
  void operator()(const leaderboard::RankOf& rank_of) {
    const Result<Score> score = ReadScore(spec_, rank_of.values);
    if (!score) return Refuse(score.error().code, &answer_);
    const auto rank = board_.RankOf(*score, rank_of.options.kind);
    if (!rank) return Refuse(FaultsOf(rank.error()), &answer_);
    *rank ? answer_.Number(**rank) : answer_.Absent(Missing::kRank);
  }
  void operator()(const leaderboard::Count& count) {
    const auto bounds = ReadBounds(spec_, count.bounds);
    if (!bounds) return Refuse(bounds.error().code, &answer_);
    answer_.Number(board_.Count(bounds->min, bounds->max));
  }
  void operator()(const leaderboard::Between& between) {
    const auto bounds = ReadBounds(spec_, between.bounds);
    if (!bounds) return Refuse(bounds.error().code, &answer_);
    List(board_.Between(bounds->min, bounds->max, between.offset, between.limit,
                        between.options.kind),
         between.options);
  }
  void operator()(const leaderboard::Size&) { answer_.Number(board_.size()); }
  void operator()(const leaderboard::PercentileOf& percentile) {
    const auto found = board_.PercentileOf(percentile.member);
    found ? answer_.ShowPercentile(*found) : answer_.Absent(Missing::kPercentile);
  }
  void operator()(const leaderboard::Quantile& quantile) {
    const auto score = board_.Quantile(quantile.percent);
    if (!score) return Refuse(FaultsOf(score.error()), &answer_);
    *score ? answer_.ShowScore(spec_, **score) : answer_.Absent(Missing::kScore);
  }
  void operator()(const leaderboard::Histogram& histogram) {
    const auto buckets = board_.Histogram(histogram.buckets);
    buckets ? answer_.ShowHistogram(spec_, *buckets) : Refuse(FaultsOf(buckets.error()), &answer_);
  }

 private:
  void List(const std::vector<Entry>& entries, const leaderboard::ReadOptions& options) {
    AnswerEntries(entries, {&spec_, options.with_meta, false, std::nullopt}, &answer_);
  }

  const NaiveBoard& board_;
  const Spec& spec_;
  Answer& answer_;
};

void NaiveLeaderboard::Ask(const leaderboard::Operation& operation, Stamp now, Stamp stamp,
                           Answer* answer) {
  Pass(now);
  if (const auto* write = std::get_if<leaderboard::WriteOperation>(&operation)) {
    return std::visit(Writing(this, now, stamp, answer), *write);
  }
  const auto& read = std::get<leaderboard::ReadOperation>(operation);
  if (std::holds_alternative<leaderboard::ListPeriods>(read)) return ListPeriods(now, answer);
  std::visit([&](const auto& one) { Read(one, now, answer); }, read);
}

// Executes a read. Without a selector it reads the current instance of the first period; an
// instance without writes is an empty board.
template <typename Operation>
void NaiveLeaderboard::Read(const Operation& operation, Stamp now, Answer* answer) {
  std::optional<InstanceSelector> selector;
  if constexpr (requires { operation.options.instance; }) selector = operation.options.instance;
  if constexpr (requires { operation.instance; }) selector = operation.instance;
  Instance span;
  if (selector) {
    const std::optional<Instance> selected = Select(*selector, now);
    if (!selected) {
      // A host may check the other arguments first.
      Faults faults = {std::string(ErrorName(ErrorCode::kNoBoard))};
      if constexpr (requires { operation.bounds; }) {
        const auto bounds = ReadBounds(spec_, operation.bounds);
        if (!bounds) faults.insert(std::string(ErrorName(bounds.error().code)));
      }
      if constexpr (requires { operation.buckets; }) {
        const auto buckets = EmptyBoard().Histogram(operation.buckets);
        if (!buckets) faults.merge(FaultsOf(buckets.error()));
      }
      return Refuse(faults, answer);
    }
    span = *selected;
  } else if (has_periods()) {
    span = calendar_->At(spec_.periods[0], CalendarTime(now));
  }
  const StoredInstance* stored = Find(span);
  const NaiveBoard board = stored != nullptr ? stored->board : EmptyBoard();
  if constexpr (std::is_same_v<Operation, leaderboard::Describe>) {
    leaderboard::Description description;
    description.spec = selector ? &board.spec() : &spec_;
    description.declared = &spec_;
    if (selector) description.instance = span;
    description.ids = requests_.size();
    description.size = board.size();
    description.hidden = marks_.size();
    answer->ShowDescription(description);
  } else if constexpr (!std::is_same_v<Operation, leaderboard::ListPeriods>) {
    Reading(board, answer)(operation);
  }
}

// Lists, for each period in the order declared and latest first, the current instance and all
// others that were written to and are kept.
void NaiveLeaderboard::ListPeriods(Stamp now, Answer* answer) {
  std::vector<leaderboard::PeriodLine> lines;
  for (const Period period : spec_.periods) {
    const Instance present = calendar_->At(period, CalendarTime(now));
    std::vector<leaderboard::PeriodLine> of_period;
    if (Find(present) == nullptr) of_period.push_back({present, true, 0, false, {}});
    for (const StoredInstance& stored : instances_) {
      if (stored.span.period != period) continue;
      of_period.push_back(
          {stored.span, stored.span == present, stored.board.size(), stored.closed, {}});
    }
    std::sort(of_period.begin(), of_period.end(),
              [](const auto& a, const auto& b) { return a.span.begin > b.span.begin; });
    lines.insert(lines.end(), of_period.begin(), of_period.end());
  }
  answer->ShowPeriods(lines);
}

}  // namespace laurel::model
