#include "model/naive_board.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace laurel::model {
namespace {

Error Refusal(const std::set<ErrorCode>& codes) {
  std::string names;
  for (const ErrorCode code : codes) {
    if (!names.empty()) names += ' ';
    names += ErrorName(code);
  }
  return Error{*codes.begin(), names};
}

Error Refusal(ErrorCode code) { return Refusal(std::set<ErrorCode>{code}); }

bool Fits(Int128 value) { return value >= INT64_MIN && value <= INT64_MAX; }

bool WithinMin(const LexBound& min, std::string_view member) {
  switch (min.reach) {
    case LexBound::Reach::kLowest:
      return true;
    case LexBound::Reach::kHighest:
      return false;
    case LexBound::Reach::kInclusive:
      return member >= min.member;
    case LexBound::Reach::kExclusive:
      return member > min.member;
  }
  return false;
}

bool WithinMax(const LexBound& max, std::string_view member) {
  switch (max.reach) {
    case LexBound::Reach::kLowest:
      return false;
    case LexBound::Reach::kHighest:
      return true;
    case LexBound::Reach::kInclusive:
      return member <= max.member;
    case LexBound::Reach::kExclusive:
      return member < max.member;
  }
  return false;
}

// T is std::int64_t on a leaderboard, double on a sorted set.
template <typename T>
bool WithinMin(const ScoreBound& min, T bound, T value) {
  switch (min.reach) {
    case ScoreBound::Reach::kLowest:
      return true;
    case ScoreBound::Reach::kHighest:
      return false;
    case ScoreBound::Reach::kInclusive:
      return value >= bound;
    case ScoreBound::Reach::kExclusive:
      return value > bound;
  }
  return false;
}

template <typename T>
bool WithinMax(const ScoreBound& max, T bound, T value) {
  switch (max.reach) {
    case ScoreBound::Reach::kLowest:
      return false;
    case ScoreBound::Reach::kHighest:
      return true;
    case ScoreBound::Reach::kInclusive:
      return value <= bound;
    case ScoreBound::Reach::kExclusive:
      return value < bound;
  }
  return false;
}

bool Within(const Spec& spec, const ScoreBound& min, const ScoreBound& max, const Score& score) {
  if (spec.kind == BoardKind::kSortedSet) {
    return WithinMin(min, std::bit_cast<double>(min.value), score.AsDouble()) &&
           WithinMax(max, std::bit_cast<double>(max.value), score.AsDouble());
  }
  return WithinMin(min, min.value, score[0]) && WithinMax(max, max.value, score[0]);
}

std::vector<Entry> Page(std::vector<Entry> entries, std::uint64_t offset, std::uint64_t limit) {
  std::vector<Entry> page;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i >= offset && page.size() < limit) page.push_back(entries[i]);
  }
  return page;
}

}  // namespace

// The rules of order ----------------------------------------------------------------------------

int NaiveBoard::CompareScores(const Score& a, const Score& b) const {
  if (sorted_set()) {
    if (a.AsDouble() == b.AsDouble()) return 0;
    return a.AsDouble() < b.AsDouble() ? -1 : 1;
  }
  for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
    if (a[i] == b[i]) continue;
    const bool a_is_ahead =
        spec_.fields[i].direction == Direction::kDesc ? a[i] > b[i] : a[i] < b[i];
    return a_is_ahead ? -1 : 1;
  }
  return 0;
}

bool NaiveBoard::LessInField1(const Score& a, const Score& b) const {
  return sorted_set() ? a.AsDouble() < b.AsDouble() : a[0] < b[0];
}

bool NaiveBoard::Ahead(const Entry& a, const Entry& b) const {
  const int order = CompareScores(a.score, b.score);
  if (order != 0) return order < 0;
  if (!sorted_set() && a.stamp != b.stamp) {
    if (spec_.tie == Tie::kFirst) return a.stamp < b.stamp;
    if (spec_.tie == Tie::kLast) return a.stamp > b.stamp;
  }
  return a.member < b.member;
}

// Lookups -----------------------------------------------------------------------------------------

bool NaiveBoard::has_operators() const {
  return std::any_of(spec_.fields.begin(), spec_.fields.end(),
                     [](const Field& field) { return field.op != Operator::kSet; });
}

std::size_t NaiveBoard::max_member_bytes() const {
  return sorted_set() ? kMaxSortedSetMemberBytes : kMaxMemberBytes;
}

std::optional<std::size_t> NaiveBoard::IndexOf(std::string_view member) const {
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    if (visible_[i].member == member) return i;
  }
  return std::nullopt;
}

const Entry* NaiveBoard::Find(std::string_view member) const {
  const auto mark = hidden_.find(std::string(member));
  if (mark != hidden_.end()) return mark->second ? &*mark->second : nullptr;
  const std::optional<std::size_t> index = IndexOf(member);
  return index ? &visible_[*index] : nullptr;
}

std::optional<std::uint64_t> NaiveBoard::OrdinalRank(std::string_view member) const {
  const std::optional<std::size_t> index = IndexOf(member);
  if (!index) return std::nullopt;
  return *index + 1;
}

Entry NaiveBoard::WithRank(std::size_t index, RankKind kind) const {
  Entry entry = visible_[index];
  std::uint64_t ahead = 0;
  switch (kind) {
    case RankKind::kOrdinal:
      ahead = index;
      break;
    case RankKind::kCompetition:
      for (std::size_t i = 0; i < index; ++i) {
        if (CompareScores(visible_[i].score, entry.score) < 0) ++ahead;
      }
      break;
    case RankKind::kDense:
      for (std::size_t i = 1; i <= index; ++i) {
        if (CompareScores(visible_[i - 1].score, visible_[i].score) != 0) ++ahead;
      }
      break;
  }
  entry.rank = 1 + ahead;
  return entry;
}

std::vector<Entry> NaiveBoard::Slice(std::size_t begin, std::size_t end, RankKind kind) const {
  std::vector<Entry> entries;
  for (std::size_t i = begin; i < end; ++i) entries.push_back(WithRank(i, kind));
  return entries;
}

// Writes ------------------------------------------------------------------------------------------

// Whether the time of the write is in the window and the write arrives before END + GRACE.
bool NaiveBoard::Takes(const Write& write, Stamp now) const {
  const Stamp time = write.at.value_or(now);
  if (spec_.start && time < *spec_.start) return false;
  if (!spec_.end) return true;
  return time < *spec_.end && now < *spec_.end + spec_.grace_us;
}

std::set<ErrorCode> NaiveBoard::ValidationFaults(const Write& write, Moment moment) const {
  std::set<ErrorCode> faults;
  if (write.score.size() != spec_.fields.size()) faults.insert(ErrorCode::kErr);
  if (write.mode == WriteMode::kIncrement && spec_.cap > 0) faults.insert(ErrorCode::kErr);
  if (write.member.size() > max_member_bytes()) faults.insert(ErrorCode::kLimit);
  if (sorted_set()) {
    if (write.at || write.meta) faults.insert(ErrorCode::kWrongType);
  } else {
    if (write.meta && write.meta->size() > kMaxMetaBytes) faults.insert(ErrorCode::kLimit);
    if (write.at && *write.at > moment.now + kMaxStampLeadMicros) {
      faults.insert(ErrorCode::kBadTime);
    }
    const bool restores = write.mode == WriteMode::kRestore;
    if (restores && !write.at) faults.insert(ErrorCode::kErr);
    if (!restores && !Takes(write, moment.now)) faults.insert(ErrorCode::kClosed);
  }
  return faults;
}

// The score that the member would have after the write, without conditions and policy `best`.
Result<Score> NaiveBoard::Combine(const Write& write, const Entry* old) const {
  if (sorted_set()) {
    double value = write.score.AsDouble();
    if (write.mode == WriteMode::kIncrement && old != nullptr) value += old->score.AsDouble();
    if (std::isnan(value)) return Refusal(ErrorCode::kErr);
    if (value == 0) value = 0;  // -0 is stored as 0
    return Score::Double(value);
  }
  if (old == nullptr) return write.score;
  Score next = write.score;
  for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
    Operator op = Operator::kSet;
    if (write.mode == WriteMode::kIncrement) op = Operator::kSum;
    if (write.mode == WriteMode::kSubmit) {
      op = spec_.policy == Policy::kSum ? Operator::kSum : spec_.fields[i].op;
    }
    const std::int64_t before = old->score[i];
    if (op == Operator::kSum) {
      const Int128 sum = Int128{before} + Int128{write.score[i]};
      if (!Fits(sum)) return Refusal(ErrorCode::kOverflow);
      next[i] = static_cast<std::int64_t>(sum);
    }
    if (op == Operator::kMax) next[i] = std::max(before, write.score[i]);
    if (op == Operator::kMin) next[i] = std::min(before, write.score[i]);
  }
  return next;
}

Result<NaiveBoard::Decision> NaiveBoard::Decide(const Write& write, const Entry* old,
                                                Stamp own_stamp) const {
  const bool present = old != nullptr;
  if (write.condition == Write::If::kAbsent && present) return Decision{WriteStatus::kSkipped, {}};
  if (write.condition == Write::If::kPresent && !present)
    return Decision{WriteStatus::kSkipped, {}};

  const Result<Score> next = Combine(write, old);
  if (!next) return next.error();

  Entry entry;
  entry.member = std::string(write.member);
  entry.score = *next;
  entry.stamp = sorted_set() ? 0 : write.at.value_or(own_stamp);
  entry.meta = std::string(write.meta.value_or(present ? old->meta : ""));
  if (!present) return Decision{WriteStatus::kAccepted, entry};

  if (write.only == Write::Only::kGreater && !LessInField1(old->score, *next)) {
    return Decision{WriteStatus::kSkipped, {}};
  }
  if (write.only == Write::Only::kLess && !LessInField1(*next, old->score)) {
    return Decision{WriteStatus::kSkipped, {}};
  }

  if (write.mode == WriteMode::kRestore) {
    const bool same = CompareScores(*next, old->score) == 0 && entry.stamp == old->stamp &&
                      entry.meta == old->meta;
    return same ? Decision{WriteStatus::kUnchanged, {}} : Decision{WriteStatus::kAccepted, entry};
  }
  if (CompareScores(*next, old->score) == 0) {
    const bool corrects_stamp = write.mode == WriteMode::kSet && write.at;
    if (!corrects_stamp || *write.at == old->stamp) return Decision{WriteStatus::kUnchanged, {}};
    entry.meta = old->meta;
    return Decision{WriteStatus::kAccepted, entry};
  }

  const bool submit = write.mode == WriteMode::kSubmit;
  const bool old_is_better = CompareScores(old->score, *next) < 0;
  if (submit && spec_.policy == Policy::kBest && old_is_better) {
    return Decision{WriteStatus::kNotBest, {}};
  }
  const bool builds_on_old = write.mode == WriteMode::kIncrement ||
                             (submit && (spec_.policy == Policy::kSum || has_operators()));
  if (builds_on_old) entry.stamp = std::max(entry.stamp, old->stamp);
  return Decision{WriteStatus::kAccepted, entry};
}

Result<Verdict> NaiveBoard::Step(const Write& write, Stamp own_stamp) {
  const Entry* found = Find(write.member);
  const std::optional<Entry> old = found != nullptr ? std::optional(*found) : std::nullopt;
  const Result<Decision> decision = Decide(write, found, own_stamp);
  if (!decision) return decision.error();
  if (decision->entry) Store(*decision->entry);

  Verdict verdict;
  verdict.status = decision->status;
  verdict.hidden = hidden_.count(std::string(write.member)) > 0;
  if (old) verdict.previous_score = old->score;
  const std::optional<Entry> now = decision->entry ? decision->entry : old;
  if (now) verdict.score = now->score;
  if (now && !sorted_set()) verdict.stamp = now->stamp;
  return verdict;
}

void NaiveBoard::InsertVisible(Entry entry) {
  entry.rank.reset();
  const auto place = std::find_if(visible_.begin(), visible_.end(),
                                  [&](const Entry& other) { return Ahead(entry, other); });
  visible_.insert(place, std::move(entry));
}

void NaiveBoard::Store(Entry entry) {
  entry.rank.reset();
  const auto mark = hidden_.find(entry.member);
  if (mark != hidden_.end()) {
    mark->second = std::move(entry);
    return;
  }
  Erase(entry.member);
  InsertVisible(std::move(entry));
}

bool NaiveBoard::Erase(std::string_view member) {
  const auto mark = hidden_.find(std::string(member));
  if (mark != hidden_.end()) {
    const bool present = mark->second.has_value();
    mark->second.reset();
    return present;
  }
  const std::optional<std::size_t> index = IndexOf(member);
  if (!index) return false;
  visible_.erase(visible_.begin() + static_cast<std::ptrdiff_t>(*index));
  return true;
}

std::set<std::string> NaiveBoard::EvictBeyondCap() {
  std::set<std::string> evicted;
  while (spec_.cap > 0 && visible_.size() > spec_.cap) {
    evicted.insert(visible_.back().member);
    visible_.pop_back();
  }
  return evicted;
}

Result<std::vector<Verdict>> NaiveBoard::ApplyAll(std::span<const Write> writes, Moment moment) {
  // A failed single write changes nothing, so only a list needs a copy to roll back to.
  const bool one = writes.size() == 1;
  const std::vector<Entry> visible_before = one ? std::vector<Entry>() : visible_;
  const std::map<std::string, std::optional<Entry>> hidden_before =
      one ? std::map<std::string, std::optional<Entry>>() : hidden_;

  std::vector<std::optional<std::uint64_t>> previous_ranks;
  for (const Write& write : writes) previous_ranks.push_back(OrdinalRank(write.member));

  // Valid writes are applied even if others have faults, to collect every fault.
  std::set<ErrorCode> faults;
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    std::set<ErrorCode> own_faults = ValidationFaults(writes[i], moment);
    if (own_faults.empty()) {
      Result<Verdict> verdict = Step(writes[i], moment.stamp + static_cast<Stamp>(i));
      if (verdict) {
        verdicts.push_back(*verdict);
      } else {
        faults.insert(verdict.error().code);
      }
    } else if (writes[i].score.size() == spec_.fields.size()) {
      const Result<Score> next = Combine(writes[i], Find(writes[i].member));
      if (!next) faults.insert(next.error().code);
    }
    faults.merge(own_faults);
  }
  if (!faults.empty()) {
    if (!one) visible_ = visible_before;
    if (!one) hidden_ = hidden_before;
    return Refusal(faults);
  }

  const std::set<std::string> evicted = EvictBeyondCap();
  for (std::size_t i = 0; i < writes.size(); ++i) {
    Verdict& verdict = verdicts[i];
    verdict.previous_rank = previous_ranks[i];
    verdict.rank = OrdinalRank(writes[i].member);
    const bool was_there = verdict.score.has_value();
    if (was_there && evicted.count(std::string(writes[i].member)) > 0) {
      verdict.status = WriteStatus::kNotRanked;
      Entry entry;
      entry.member = writes[i].member;
      entry.stamp = *verdict.stamp;
      verdict.needs = ScoreToEnter(entry);
      verdict.score.reset();
      verdict.stamp.reset();
    }
  }
  return verdicts;
}

std::optional<Score> NaiveBoard::ScoreToEnter(Entry entry) const {
  const Entry& last = visible_.back();
  entry.score = last.score;
  if (Ahead(entry, last)) return entry.score;
  for (std::size_t i = spec_.fields.size(); i > 0; --i) {
    const bool desc = spec_.fields[i - 1].direction == Direction::kDesc;
    const std::int64_t best = desc ? INT64_MAX : INT64_MIN;
    if (entry.score[i - 1] != best) {
      entry.score[i - 1] += desc ? 1 : -1;
      return entry.score;
    }
    entry.score[i - 1] = desc ? INT64_MIN : INT64_MAX;
  }
  return std::nullopt;
}

Result<Verdict> NaiveBoard::Apply(const Write& write, Moment moment) {
  Result<std::vector<Verdict>> verdicts = ApplyAll(std::span(&write, 1), moment);
  if (!verdicts) return verdicts.error();
  return verdicts->front();
}

void NaiveBoard::ApplyBatch(std::span<const Write> writes, Moment moment,
                            std::vector<Result<Verdict>>* verdicts) {
  verdicts->clear();
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const Moment own{moment.now, moment.stamp + static_cast<Stamp>(i)};
    Result<Verdict> verdict = Apply(writes[i], own);
    if (verdict) {
      verdict->rank.reset();
      verdict->previous_rank.reset();
    }
    verdicts->push_back(std::move(verdict));
  }
}

Result<Verdict> NaiveBoard::Submit(std::string_view member, const Score& score, Moment moment) {
  Write write;
  write.member = member;
  write.score = score;
  write.mode = WriteMode::kSubmit;
  return Apply(write, moment);
}

Result<Verdict> NaiveBoard::Set(std::string_view member, const Score& score, Moment moment) {
  Write write;
  write.member = member;
  write.score = score;
  write.mode = WriteMode::kSet;
  return Apply(write, moment);
}

Result<Verdict> NaiveBoard::Increment(std::string_view member, const Score& score, Moment moment) {
  Write write;
  write.member = member;
  write.score = score;
  write.mode = WriteMode::kIncrement;
  return Apply(write, moment);
}

Result<bool> NaiveBoard::SetMeta(std::string_view member, std::string_view meta) {
  if (sorted_set()) return Refusal(ErrorCode::kWrongType);
  if (meta.size() > kMaxMetaBytes) return Refusal(ErrorCode::kLimit);
  const Entry* found = Find(member);
  if (found == nullptr) return false;
  Entry entry = *found;
  entry.meta = std::string(meta);
  Store(entry);
  return true;
}

std::uint64_t NaiveBoard::Remove(std::span<const std::string_view> members) {
  std::uint64_t removed = 0;
  for (const std::string_view member : members) removed += Erase(member) ? 1 : 0;
  return removed;
}

std::vector<Entry> NaiveBoard::Pop(std::uint64_t n, End end) {
  std::vector<Entry> popped;
  while (popped.size() < n && !visible_.empty()) {
    Entry entry = end == End::kBest ? visible_.front() : visible_.back();
    // The rank before the Pop: entries popped so far from the best end stood ahead of this one.
    entry.rank = end == End::kBest ? popped.size() + 1 : visible_.size();
    Erase(entry.member);
    popped.push_back(entry);
  }
  return popped;
}

std::uint64_t NaiveBoard::Trim(std::uint64_t n) {
  std::uint64_t gone = 0;
  while (visible_.size() > n) {
    visible_.pop_back();
    ++gone;
  }
  return gone;
}

std::uint64_t NaiveBoard::Clear() {
  std::uint64_t gone = visible_.size();
  visible_.clear();
  for (auto& [member, entry] : hidden_) {
    if (entry) ++gone;
    entry.reset();
  }
  return gone;
}

Result<std::uint64_t> NaiveBoard::Hide(std::span<const std::string_view> members) {
  if (sorted_set()) return Refusal(ErrorCode::kWrongType);
  for (const std::string_view member : members) {
    if (member.size() > max_member_bytes()) return Refusal(ErrorCode::kLimit);
  }
  std::uint64_t newly_hidden = 0;
  for (const std::string_view member : members) {
    if (hidden_.count(std::string(member)) > 0) continue;
    ++newly_hidden;
    const Entry* found = Find(member);
    const std::optional<Entry> entry = found != nullptr ? std::optional(*found) : std::nullopt;
    Erase(member);
    hidden_[std::string(member)] = entry;
  }
  return newly_hidden;
}

Result<std::uint64_t> NaiveBoard::Show(std::span<const std::string_view> members) {
  if (sorted_set()) return Refusal(ErrorCode::kWrongType);
  std::uint64_t shown = 0;
  for (const std::string_view member : members) {
    const auto mark = hidden_.find(std::string(member));
    if (mark == hidden_.end()) continue;
    ++shown;
    const std::optional<Entry> entry = mark->second;
    hidden_.erase(mark);
    if (entry) InsertVisible(*entry);
  }
  EvictBeyondCap();
  return shown;
}

Status NaiveBoard::AlterCap(std::uint64_t cap) {
  if (sorted_set()) return Refusal(ErrorCode::kWrongType);
  if (cap > 0 && (spec_.policy == Policy::kSum || has_operators())) {
    return Refusal(ErrorCode::kErr);
  }
  spec_.cap = cap;
  EvictBeyondCap();
  return Ok{};
}

void NaiveBoard::Alter(const Spec& spec) {
  spec_ = spec;
  EvictBeyondCap();
}

Status NaiveBoard::Load(std::span<const Entry> sorted) {
  bool empty = visible_.empty();
  for (const auto& [member, entry] : hidden_) empty = empty && !entry;

  std::set<ErrorCode> faults;
  if (!empty) faults.insert(ErrorCode::kErr);
  std::set<std::string> members;
  std::uint64_t visible = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Entry& entry = sorted[i];
    if (entry.score.size() != spec_.fields.size()) faults.insert(ErrorCode::kErr);
    if (entry.member.size() > max_member_bytes()) faults.insert(ErrorCode::kLimit);
    if (entry.meta.size() > kMaxMetaBytes) faults.insert(ErrorCode::kLimit);
    if (!members.insert(entry.member).second) faults.insert(ErrorCode::kErr);
    if (i > 0 && !Ahead(sorted[i - 1], entry)) faults.insert(ErrorCode::kErr);
    if (hidden_.count(entry.member) == 0) ++visible;
  }
  if (spec_.cap > 0 && visible > spec_.cap) faults.insert(ErrorCode::kErr);
  if (!faults.empty()) return Refusal(faults);

  for (Entry entry : sorted) {
    if (sorted_set()) entry.stamp = 0;
    Store(entry);
  }
  return Ok{};
}

// Reads -------------------------------------------------------------------------------------------

std::optional<Entry> NaiveBoard::Get(std::string_view member, RankKind kind) const {
  const std::optional<std::size_t> index = IndexOf(member);
  if (index) return WithRank(*index, kind);
  const Entry* found = Find(member);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

void NaiveBoard::Ranks(std::span<const std::string_view> members,
                       std::vector<std::optional<std::uint64_t>>* ranks) const {
  ranks->clear();
  for (const std::string_view member : members) ranks->push_back(OrdinalRank(member));
}

std::optional<Entry> NaiveBoard::At(std::uint64_t rank, RankKind kind) const {
  if (rank < 1 || rank > visible_.size()) return std::nullopt;
  return WithRank(rank - 1, kind);
}

std::vector<Entry> NaiveBoard::Top(std::uint64_t n, RankKind kind) const {
  return Slice(0, std::min<std::uint64_t>(n, visible_.size()), kind);
}

Result<std::vector<Entry>> NaiveBoard::Range(std::int64_t first, std::int64_t last,
                                             RankKind kind) const {
  if (first == 0 || last == 0) return Refusal(ErrorCode::kErr);
  const Int128 count = static_cast<Int128>(visible_.size());
  const Int128 first_rank = first > 0 ? Int128{first} : count + 1 + first;
  const Int128 last_rank = last > 0 ? Int128{last} : count + 1 + last;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    const Int128 rank = static_cast<Int128>(i) + 1;
    if (rank >= first_rank && rank <= last_rank) entries.push_back(WithRank(i, kind));
  }
  return entries;
}

std::optional<std::vector<Entry>> NaiveBoard::Around(std::string_view member, std::uint64_t m,
                                                     RankKind kind) const {
  const std::optional<std::size_t> index = IndexOf(member);
  if (!index) return std::nullopt;
  const std::uint64_t ahead = std::min<std::uint64_t>(m, *index);
  const std::uint64_t behind = std::min<std::uint64_t>(m, visible_.size() - *index - 1);
  return Slice(*index - ahead, *index + behind + 1, kind);
}

std::vector<AmongEntry> NaiveBoard::Among(std::span<const std::string_view> members,
                                          RankKind kind) const {
  const std::set<std::string_view> asked(members.begin(), members.end());
  std::vector<AmongEntry> list;
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    if (asked.count(visible_[i].member) == 0) continue;
    list.push_back({visible_[i].member, list.size() + 1, WithRank(i, kind)});
  }
  std::set<std::string_view> listed;
  for (const std::string_view member : members) {
    if (IndexOf(member) || !listed.insert(member).second) continue;
    list.push_back({std::string(member), std::nullopt, Get(member)});
  }
  return list;
}

Result<std::optional<std::uint64_t>> NaiveBoard::RankOf(const Score& score, RankKind kind) const {
  if (score.size() != spec_.fields.size()) return Refusal(ErrorCode::kErr);
  std::uint64_t better = 0;
  std::uint64_t equal = 0;
  std::uint64_t distinct_better = 0;
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    const int order = CompareScores(visible_[i].score, score);
    if (order == 0) ++equal;
    if (order >= 0) continue;
    ++better;
    const bool new_score = i == 0 || CompareScores(visible_[i - 1].score, visible_[i].score) != 0;
    if (new_score) ++distinct_better;
  }
  const bool before_equals = !sorted_set() && spec_.tie == Tie::kLast;
  const std::uint64_t place = 1 + better + (before_equals ? 0 : equal);
  if (spec_.cap > 0 && place > spec_.cap) return std::optional<std::uint64_t>();
  if (kind == RankKind::kCompetition) return std::optional(1 + better);
  if (kind == RankKind::kDense) return std::optional(1 + distinct_better);
  return std::optional(place);
}

std::uint64_t NaiveBoard::Count(const ScoreBound& min, const ScoreBound& max) const {
  std::uint64_t count = 0;
  for (const Entry& entry : visible_) count += Within(spec_, min, max, entry.score) ? 1 : 0;
  return count;
}

std::vector<Entry> NaiveBoard::Between(const ScoreBound& min, const ScoreBound& max,
                                       std::uint64_t offset, std::uint64_t limit,
                                       RankKind kind) const {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    if (Within(spec_, min, max, visible_[i].score)) entries.push_back(WithRank(i, kind));
  }
  return Page(std::move(entries), offset, limit);
}

std::uint64_t NaiveBoard::LexCount(const LexBound& min, const LexBound& max) const {
  return LexRange(min, max, 0, UINT64_MAX).size();
}

std::vector<Entry> NaiveBoard::LexRange(const LexBound& min, const LexBound& max,
                                        std::uint64_t offset, std::uint64_t limit) const {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    const std::string& member = visible_[i].member;
    if (!WithinMin(min, member) || !WithinMax(max, member)) continue;
    entries.push_back(WithRank(i, RankKind::kOrdinal));
  }
  return Page(std::move(entries), offset, limit);
}

std::optional<Percentile> NaiveBoard::PercentileOf(std::string_view member) const {
  const std::optional<std::size_t> index = IndexOf(member);
  if (!index) return std::nullopt;
  Percentile percentile;
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    const int order = CompareScores(visible_[i].score, visible_[*index].score);
    if (order > 0) ++percentile.worse;
    if (order == 0 && i != *index) ++percentile.equal;
  }
  percentile.count = visible_.size();
  percentile.ten_thousandths =
      percentile.count == 1 ? 1'000'000 : 100 * percentile.worse * 10'000 / (percentile.count - 1);
  return percentile;
}

Result<std::optional<Score>> NaiveBoard::Quantile(std::int64_t percent) const {
  const std::int64_t hundred = 100'000'000'000;
  if (percent < 0 || percent > hundred) return Refusal(ErrorCode::kErr);
  if (visible_.empty()) return std::optional<Score>();
  const Int128 count = static_cast<Int128>(visible_.size());
  Int128 from_the_worst = (Int128{percent} * count + hundred - 1) / hundred;
  if (from_the_worst < 1) from_the_worst = 1;
  return std::optional(visible_[static_cast<std::size_t>(count - from_the_worst)].score);
}

Result<std::vector<HistogramBucket>> NaiveBoard::Histogram(std::uint64_t buckets) const {
  if (sorted_set()) return Refusal(ErrorCode::kWrongType);
  if (buckets < 1 || buckets > kMaxHistogramBuckets) return Refusal(ErrorCode::kErr);
  std::vector<HistogramBucket> histogram;
  if (visible_.empty()) return histogram;
  Int128 min = visible_[0].score[0];
  Int128 max = min;
  for (const Entry& entry : visible_) {
    min = std::min(min, Int128{entry.score[0]});
    max = std::max(max, Int128{entry.score[0]});
  }
  const Int128 b = static_cast<Int128>(buckets);
  const Int128 width = (max - min + 1 + b - 1) / b;
  for (Int128 i = 0; i < b; ++i) histogram.push_back({min + i * width, min + (i + 1) * width, 0});
  for (const Entry& entry : visible_) {
    ++histogram[static_cast<std::size_t>((Int128{entry.score[0]} - min) / width)].count;
  }
  return histogram;
}

}  // namespace laurel::model
