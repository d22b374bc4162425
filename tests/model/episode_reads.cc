// The read operations of Episode.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/episode.h"

namespace laurel::model {
namespace {

std::vector<Entry> Collect(const Board& board, Board::End from, std::uint64_t most) {
  std::vector<Entry> entries;
  board.ForEach(from, [&](const Entry& entry) {
    entries.push_back(entry);
    return entries.size() < most;
  });
  return entries;
}

}  // namespace

void Episode::RunGet() {
  const std::string_view member = LikelyMember();
  const RankKind kind = generator_.Kind();
  Compare([&] { return Quoted(member) + " " + Render(kind); }, board_->Get(member, kind),
          model_.Get(member, kind));
}

void Episode::RunRanks() {
  const Members members = LikelyMembers(random_.OneIn(4) ? 40 : 5);
  std::vector<std::optional<std::uint64_t>> board_ranks;
  std::vector<std::optional<std::uint64_t>> model_ranks;
  board_->Ranks(members, &board_ranks);
  model_.Ranks(members, &model_ranks);
  Compare([&] { return Render(members); }, board_ranks, model_ranks);
}

void Episode::RunAt() {
  const std::uint64_t rank =
      random_.OneIn(5) ? generator_.Amount(model_.size()) : random_.Below(model_.size() + 2);
  const RankKind kind = generator_.Kind();
  Compare([&] { return std::to_string(rank) + " " + Render(kind); }, board_->At(rank, kind),
          model_.At(rank, kind));
}

void Episode::RunTop() {
  const std::uint64_t n = generator_.Amount(model_.size());
  const RankKind kind = generator_.Kind();
  Compare([&] { return std::to_string(n) + " " + Render(kind); }, board_->Top(n, kind),
          model_.Top(n, kind));
}

void Episode::RunRange() {
  const auto size = static_cast<std::int64_t>(model_.size());
  const auto rank = [&]() -> std::int64_t {
    if (random_.OneIn(40)) return random_.OneIn(2) ? INT64_MIN : INT64_MAX;
    const auto any = static_cast<std::int64_t>(random_.Below(model_.size() + 4));
    return random_.OneIn(2) ? any : -any;
  };
  const std::int64_t first = rank();
  std::int64_t last = rank();
  // Most pages are short.
  const bool near = first > 0 && first <= size && !random_.OneIn(4);
  if (near) last = first + static_cast<std::int64_t>(random_.Below(10));
  const RankKind kind = generator_.Kind();
  Compare([&] { return std::to_string(first) + " " + std::to_string(last) + " " + Render(kind); },
          board_->Range(first, last, kind), model_.Range(first, last, kind));
}

void Episode::RunAround() {
  const std::string_view member = LikelyMember();
  const std::uint64_t m = generator_.Amount(model_.size());
  const RankKind kind = generator_.Kind();
  Compare([&] { return Quoted(member) + " " + std::to_string(m) + " " + Render(kind); },
          board_->Around(member, m, kind), model_.Around(member, m, kind));
}

void Episode::RunAmong() {
  const Members members = LikelyMembers(random_.OneIn(5) ? 40 : 6);
  const RankKind kind = generator_.Kind();
  Compare([&] { return Render(members) + " " + Render(kind); }, board_->Among(members, kind),
          model_.Among(members, kind));
}

void Episode::RunRankOf() {
  Score score = generator_.RandomScore();
  if (random_.OneIn(40)) score = Score();
  if (score.size() > 0 && model_.size() > 0 && random_.OneIn(3)) {
    score = model_.visible()[random_.Below(model_.size())].score;
  }
  const RankKind kind = generator_.Kind();
  Compare([&] { return Render(score) + " " + Render(kind); }, board_->RankOf(score, kind),
          model_.RankOf(score, kind));
}

void Episode::RunCount() {
  const ScoreBound min = generator_.RandomBound(BoundSide::kMin);
  const ScoreBound max = generator_.RandomBound(BoundSide::kMax);
  Compare([&] { return Render(min) + " " + Render(max); }, board_->Count(min, max),
          model_.Count(min, max));
}

void Episode::RunBetween() {
  const ScoreBound min = generator_.RandomBound(BoundSide::kMin);
  const ScoreBound max = generator_.RandomBound(BoundSide::kMax);
  const std::uint64_t offset = random_.OneIn(2) ? 0 : generator_.Amount(model_.size());
  const std::uint64_t limit = random_.OneIn(4) ? UINT64_MAX : generator_.Amount(model_.size());
  const RankKind kind = generator_.Kind();
  Compare(
      [&] {
        return Render(min) + " " + Render(max) + " offset " + std::to_string(offset) + " limit " +
               std::to_string(limit) + " " + Render(kind);
      },
      board_->Between(min, max, offset, limit, kind),
      model_.Between(min, max, offset, limit, kind));
}

void Episode::RunLexCount() {
  const LexBound min = generator_.RandomLexBound();
  const LexBound max = generator_.RandomLexBound();
  Compare([&] { return Render(min) + " " + Render(max); }, board_->LexCount(min, max),
          model_.LexCount(min, max));
}

void Episode::RunLexRange() {
  const LexBound min = generator_.RandomLexBound();
  const LexBound max = generator_.RandomLexBound();
  const std::uint64_t offset = random_.OneIn(2) ? 0 : generator_.Amount(model_.size());
  const std::uint64_t limit = random_.OneIn(4) ? UINT64_MAX : generator_.Amount(model_.size());
  Compare(
      [&] {
        return Render(min) + " " + Render(max) + " offset " + std::to_string(offset) + " limit " +
               std::to_string(limit);
      },
      board_->LexRange(min, max, offset, limit), model_.LexRange(min, max, offset, limit));
}

void Episode::RunPercentile() {
  const std::string_view member = LikelyMember();
  Compare([&] { return Quoted(member); }, board_->PercentileOf(member),
          model_.PercentileOf(member));
}

void Episode::RunQuantile() {
  constexpr std::int64_t kHundred = 100'000'000'000;
  auto percent = static_cast<std::int64_t>(random_.Below(kHundred + 1));
  if (random_.OneIn(3)) percent = static_cast<std::int64_t>(random_.Below(5)) * (kHundred / 4);
  if (random_.OneIn(20)) percent = random_.OneIn(2) ? -1 : kHundred + 1;
  Compare([&] { return std::to_string(percent); }, board_->Quantile(percent),
          model_.Quantile(percent));
}

void Episode::RunHistogram() {
  std::uint64_t buckets = 1 + random_.Below(random_.OneIn(10) ? kMaxHistogramBuckets : 12);
  const bool leaderboard = model_.spec().kind == BoardKind::kLeaderboard;
  if (leaderboard && random_.OneIn(20)) buckets = random_.OneIn(2) ? 0 : kMaxHistogramBuckets + 1;
  Compare([&] { return std::to_string(buckets); }, board_->Histogram(buckets),
          model_.Histogram(buckets));
}

void Episode::RunRandomEntries() {
  const std::uint64_t count = random_.Below(random_.OneIn(5) ? model_.size() + 5 : 6);
  const bool distinct = random_.OneIn(2);
  const std::uint64_t seed = random_.Next();
  const Arguments arguments = [&] {
    return std::to_string(count) + (distinct ? " distinct" : " independent") + " seed " +
           std::to_string(seed);
  };
  const std::vector<Entry> drawn = board_->RandomEntries(count, distinct, seed);
  std::uint64_t expected = distinct ? std::min(count, model_.size()) : count;
  if (model_.size() == 0) expected = 0;
  Compare(arguments, std::uint64_t{drawn.size()}, expected);
  std::set<std::string> members;
  for (const Entry& entry : drawn) {
    members.insert(entry.member);
    Compare(arguments, std::optional(entry), model_.Get(entry.member));
  }
  if (distinct) Compare(arguments, std::uint64_t{members.size()}, expected);
}

void Episode::RunForEach(Board::End from) {
  const std::uint64_t most = random_.OneIn(3) ? 1 + random_.Below(10) : UINT64_MAX;
  std::vector<Entry> expected = model_.Top(UINT64_MAX);
  if (from == Board::End::kWorst) std::reverse(expected.begin(), expected.end());
  if (expected.size() > most) expected.resize(most);
  Compare([&] { return "until " + std::to_string(most) + " are seen"; },
          Collect(*board_, from, most), expected);
}

// Skips hidden members: whether contains() is true for them is not specified.
void Episode::RunContains() {
  const std::string_view member = LikelyMember();
  if (model_.hidden().count(std::string(member)) > 0) return;
  Compare([&] { return Quoted(member); }, board_->contains(member), model_.Get(member).has_value());
}

// Scans -----------------------------------------------------------------------------------------

// Executes a write that never removes a member and adds it again, so a member that is present
// before and after it was present throughout.
void Episode::WriteDuringScan(std::set<std::string>* throughout) {
  constexpr std::array<Operation, 9> kWrites = {
      Operation::kApply,    Operation::kApply,  Operation::kSubmit,
      Operation::kApplyAll, Operation::kHide,   Operation::kPopWorst,
      Operation::kAlterCap, Operation::kRemove, Operation::kShow};
  Execute(kWrites[random_.Below(kWrites.size())]);
  std::set<std::string> present;
  for (const Entry& entry : model_.visible()) present.insert(entry.member);
  std::erase_if(*throughout, [&](const std::string& member) { return present.count(member) == 0; });
}

void Episode::CompareScanned(const std::vector<Entry>& page, std::map<std::string, int>* seen) {
  const Arguments arguments = [&] { return "page " + Render(page); };
  for (const Entry& entry : page) {
    ++(*seen)[entry.member];
    Compare(arguments, entry.rank, std::optional<std::uint64_t>());
    std::optional<Entry> expected;
    for (const Entry& candidate : model_.visible()) {
      if (candidate.member == entry.member) expected = candidate;
    }
    Compare(arguments, std::optional(entry), expected);
  }
}

void Episode::RunScan() {
  const bool undisturbed = random_.OneIn(3);
  std::uint64_t writes_left = undisturbed ? 0 : 1 + random_.Below(30);
  std::set<std::string> throughout;
  for (const Entry& entry : model_.visible()) throughout.insert(entry.member);

  const std::uint64_t count = 1 + random_.Below(random_.OneIn(2) ? 4 : 40);
  const std::uint64_t most_steps = 1000 + 10 * (model_.size() + plan_.members);
  std::map<std::string, int> seen;
  std::uint64_t cursor = 0;
  std::uint64_t steps = 0;
  do {
    const ScanPage page = board_->Scan(cursor, count);
    CompareScanned(page.entries, &seen);
    cursor = page.cursor;
    for (std::uint64_t i = random_.Below(4); i > 0 && writes_left > 0; --i, --writes_left) {
      if (cursor != 0 && failure_.empty()) WriteDuringScan(&throughout);
    }
    if (++steps > most_steps) return Fail("steps", std::to_string(steps), "an end to the scan");
  } while (cursor != 0 && failure_.empty());

  const Arguments arguments = [&] {
    return "count " + std::to_string(count) + (undisturbed ? ", undisturbed" : ", with writes");
  };
  for (const std::string& member : throughout) {
    Compare([&] { return arguments() + ": times " + Quoted(member) + " was returned"; },
            static_cast<std::uint64_t>(seen[member]), std::uint64_t{1});
  }
  if (undisturbed) Compare(arguments, std::uint64_t{seen.size()}, model_.size());
}

// The whole content -----------------------------------------------------------------------------

void Episode::CompareContents() {
  const Arguments arguments = [] { return "and then the whole content"; };
  Compare(arguments, board_->Validate(), std::string());
  Compare(arguments, board_->size(), model_.size());
  const std::vector<Entry> best_first = model_.Top(UINT64_MAX);
  Compare(arguments, Collect(*board_, Board::End::kBest, UINT64_MAX), best_first);
  const std::vector<Entry> worst_first(best_first.rbegin(), best_first.rend());
  Compare(arguments, Collect(*board_, Board::End::kWorst, UINT64_MAX), worst_first);
  for (const RankKind kind : {RankKind::kOrdinal, RankKind::kCompetition, RankKind::kDense}) {
    const std::vector<Entry> ranked = model_.Top(UINT64_MAX, kind);
    Compare(arguments, board_->Top(UINT64_MAX, kind), ranked);
    for (const Entry& entry : ranked) {
      Compare(arguments, board_->Get(entry.member, kind), std::optional(entry));
    }
  }
  for (const auto& [member, entry] : model_.hidden()) {
    Compare(arguments, board_->Get(member), entry);
  }
}

}  // namespace laurel::model
