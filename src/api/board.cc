#include "laurel/board.h"

#include "core/board.h"
#include "core/commands.h"
#include "core/decide.h"
#include "core/reads.h"

namespace laurel {

const Spec& Board::spec() const { return board_->spec(); }
std::uint64_t Board::size() const { return board_->entries().size(); }
bool Board::contains(std::string_view member) const {
  return board_->entries().Find(core::MemberKey(member)) != core::kNowhere ||
         board_->FindHidden(member) != nullptr;
}
std::size_t Board::MemoryUsage() const { return board_->MemoryUsage(); }
std::string Board::Validate() const { return board_->Validate(); }

Result<Verdict> Board::Apply(const Write& write, Moment moment) {
  const Result<std::vector<Verdict>> verdicts = core::ApplyWrites(board_, {&write, 1}, moment);
  if (!verdicts.ok()) return verdicts.error();
  return (*verdicts)[0];
}

Result<std::vector<Verdict>> Board::ApplyAll(std::span<const Write> writes, Moment moment) {
  return core::ApplyWrites(board_, writes, moment);
}

void Board::ApplyBatch(std::span<const Write> writes, Moment moment,
                       std::vector<Result<Verdict>>* verdicts) {
  verdicts->clear();
  verdicts->reserve(writes.size());
  core::ApplyBatch(board_, writes, moment,
                   [&](std::size_t, const Result<Verdict>& verdict, const core::EffectBatch&) {
                     verdicts->push_back(verdict);
                   });
}

Result<Verdict> Board::Submit(std::string_view member, const Score& score, Moment moment) {
  return Apply(Write{.member = member, .score = score, .mode = WriteMode::kSubmit}, moment);
}

Result<Verdict> Board::Set(std::string_view member, const Score& score, Moment moment) {
  return Apply(Write{.member = member, .score = score, .mode = WriteMode::kSet}, moment);
}

Result<Verdict> Board::Increment(std::string_view member, const Score& score, Moment moment) {
  return Apply(Write{.member = member, .score = score, .mode = WriteMode::kIncrement}, moment);
}

Result<bool> Board::SetMeta(std::string_view member, std::string_view meta) {
  core::EffectBatch effects;
  Result<bool> found = core::DecideSetMeta(*board_, member, meta, &effects);
  board_->Apply(effects);
  return found;
}

std::uint64_t Board::Remove(std::span<const std::string_view> members) {
  core::EffectBatch effects;
  const std::uint64_t removed = core::DecideRemove(*board_, members, &effects);
  board_->Apply(effects);
  return removed;
}

std::vector<Entry> Board::Pop(std::uint64_t n, End end) {
  return core::Pop(board_, n, end == End::kWorst);
}

std::uint64_t Board::Trim(std::uint64_t n) {
  core::EffectBatch effects;
  const std::uint64_t removed = core::DecideRemoveRange(*board_, n, UINT64_MAX, &effects);
  board_->Apply(effects);
  return removed;
}

std::uint64_t Board::Clear() {
  core::EffectBatch effects;
  const std::uint64_t removed = core::DecideClear(*board_, &effects);
  board_->Apply(effects);
  return removed;
}

Result<std::uint64_t> Board::Hide(std::span<const std::string_view> members) {
  core::EffectBatch effects;
  Result<std::uint64_t> hidden = core::DecideHide(*board_, members, &effects);
  board_->Apply(effects);
  return hidden;
}

Result<std::uint64_t> Board::Show(std::span<const std::string_view> members) {
  core::EffectBatch effects;
  Result<std::uint64_t> shown = core::DecideShow(*board_, members, &effects);
  board_->Apply(effects);
  return shown;
}

Status Board::AlterCap(std::uint64_t cap) {
  core::EffectBatch effects;
  Spec changed = board_->spec();
  changed.cap = cap;
  Status status = core::DecideAlter(*board_, changed, &effects);
  board_->Apply(effects);
  return status;
}

Status Board::Load(std::span<const Entry> sorted) { return core::Load(board_, sorted); }

std::optional<Entry> Board::Get(std::string_view member, RankKind kind) const {
  return core::Get(*board_, member, kind);
}

void Board::Ranks(std::span<const std::string_view> members,
                  std::vector<std::optional<std::uint64_t>>* ranks) const {
  core::Ranks(*board_, members, ranks);
}

std::optional<Entry> Board::At(std::uint64_t rank, RankKind kind) const {
  if (rank == 0 || rank > size()) return std::nullopt;
  return core::Page(*board_, rank - 1, 1, kind)[0];
}

std::vector<Entry> Board::Top(std::uint64_t n, RankKind kind) const {
  return core::Page(*board_, 0, n, kind);
}

Result<std::vector<Entry>> Board::Range(std::int64_t first, std::int64_t last,
                                        RankKind kind) const {
  const Result<core::IndexRange> range = core::BetweenRanks(*board_, first, last);
  if (!range.ok()) return range.error();
  return core::Page(*board_, range->first, range->count, kind);
}

std::optional<std::vector<Entry>> Board::Around(std::string_view member, std::uint64_t m,
                                                RankKind kind) const {
  const std::optional<core::IndexRange> range = core::Around(*board_, member, m);
  if (!range) return std::nullopt;
  return core::Page(*board_, range->first, range->count, kind);
}

std::vector<AmongEntry> Board::Among(std::span<const std::string_view> members,
                                     RankKind kind) const {
  return core::Among(*board_, members, kind);
}

Result<std::optional<std::uint64_t>> Board::RankOf(const Score& score, RankKind kind) const {
  return core::RankOf(*board_, score, kind);
}

std::uint64_t Board::Count(const ScoreBound& min, const ScoreBound& max) const {
  return core::Between(*board_, min, max).count;
}

namespace {

// The part of a run that LIMIT offset n lets through.
core::IndexRange Limited(core::IndexRange range, std::uint64_t offset, std::uint64_t limit) {
  if (offset >= range.count) return {};
  return {range.first + offset, std::min(limit, range.count - offset)};
}

}  // namespace

std::vector<Entry> Board::Between(const ScoreBound& min, const ScoreBound& max,
                                  std::uint64_t offset, std::uint64_t limit, RankKind kind) const {
  const core::IndexRange range = Limited(core::Between(*board_, min, max), offset, limit);
  return core::Page(*board_, range.first, range.count, kind);
}

std::uint64_t Board::LexCount(const LexBound& min, const LexBound& max) const {
  return core::LexBetween(*board_, min, max).count;
}

std::vector<Entry> Board::LexRange(const LexBound& min, const LexBound& max, std::uint64_t offset,
                                   std::uint64_t limit) const {
  const core::IndexRange range = Limited(core::LexBetween(*board_, min, max), offset, limit);
  return core::Page(*board_, range.first, range.count, RankKind::kOrdinal);
}

std::optional<Percentile> Board::PercentileOf(std::string_view member) const {
  return core::PercentileOf(*board_, member);
}

Result<std::optional<Score>> Board::Quantile(std::int64_t percent) const {
  return core::Quantile(*board_, percent);
}

Result<std::vector<HistogramBucket>> Board::Histogram(std::uint64_t buckets) const {
  return core::Histogram(*board_, buckets);
}

std::vector<Entry> Board::RandomEntries(std::uint64_t count, bool distinct,
                                        std::uint64_t seed) const {
  return core::RandomEntries(*board_, count, distinct, seed);
}

ScanPage Board::Scan(std::uint64_t cursor, std::uint64_t count) const {
  return core::Scan(*board_, cursor, count);
}

void Board::ForEach(End from, const std::function<bool(const Entry&)>& visit) const {
  core::ForEach(*board_, from == End::kWorst, visit);
}

}  // namespace laurel
