// Tests the thread rule of laurel::Board: any number of threads may read at once. Under --tsan it
// detects a hidden write in a read; elsewhere it checks that all readers get the same answers.
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/laurel.h"

namespace laurel {
namespace {

// Runs every kind of read of a ranking and folds the answers into one number.
std::uint64_t ReadEverything(const Ranking& board, const std::vector<std::string>& members) {
  std::uint64_t sum = board.size();
  std::vector<std::string_view> views(members.begin(), members.end());
  std::vector<std::optional<std::uint64_t>> ranks;
  board.Ranks(views, &ranks);
  for (std::size_t i = 0; i < members.size(); i += 7) {
    sum += ranks[i].value_or(0);
    sum += board.Get(members[i], RankKind::kDense)->rank.value_or(0);
    sum += board.Around(members[i], 3, RankKind::kCompetition)->size();
    sum += board.PercentileOf(members[i])->worse;
  }
  sum += board.Top(10).size() + board.Range(-5, -1)->size() + board.Among(views).size();
  sum += **board.RankOf(Score{50}) + board.Count(ScoreBound::AtLeast(10), ScoreBound::Below(90));
  sum += board.Histogram(10)->size() + board.RandomEntries(5, true, 1).size();
  sum += board.Quantile(50'000'000'000)->has_value() ? 1 : 0;
  for (std::uint64_t cursor = 0;;) {
    const ScanPage page = board.Scan(cursor, 100);
    sum += page.entries.size();
    cursor = page.cursor;
    if (cursor == 0) break;
  }
  board.ForEach(Board::End::kWorst, [&sum](const Entry& entry) {
    sum += entry.member.size();
    return true;
  });
  return sum;
}

// The same for a whole board: its present ranking, its periods, its description and its contents.
std::uint64_t ReadWhole(const Board& board, Stamp now, const std::vector<std::string>& members) {
  std::uint64_t sum = ReadEverything(board.Present(now).value(), members);
  const bool has_periods = !board.spec().periods.empty();
  if (has_periods) sum += ReadEverything(board.InPeriod("all", now).value(), members);
  sum += board.Periods(now).size() + board.Describe(now).size + board.Save().size();
  return sum + (board.Validate().empty() ? 0 : 1'000'000'000) + board.MemoryUsage();
}

void ExpectSameAnswers(std::size_t entries, const Spec& spec) {
  Boards boards;
  Board board = boards.Create("board", spec).value();
  std::vector<std::string> members;
  for (std::size_t i = 0; i < entries; ++i) {
    members.push_back(std::to_string(i));
    const auto stamp = static_cast<Stamp>(i);
    const Score score{static_cast<std::int64_t>(i % 100)};
    ASSERT_TRUE(board.Submit(members.back(), score, {stamp, stamp}).ok());
  }
  const auto now = static_cast<Stamp>(entries);
  const std::uint64_t expected = ReadWhole(board, now, members);
  std::vector<std::uint64_t> answers(4);
  std::vector<std::thread> readers;
  for (std::uint64_t& answer : answers) {
    readers.emplace_back([&] { answer = ReadWhole(board, now, members); });
  }
  for (std::thread& reader : readers) reader.join();
  for (const std::uint64_t answer : answers) EXPECT_EQ(answer, expected);
}

TEST(Readers, ConcurrentReadersGetTheSameAnswers) {
  ExpectSameAnswers(40, Spec());    // packed form
  ExpectSameAnswers(5000, Spec());  // tree form
}

TEST(Readers, ConcurrentReadersOfABoardWithPeriodsGetTheSameAnswers) {
  Spec spec;
  spec.periods = {Period::kDay, Period::kAll};
  ExpectSameAnswers(3000, spec);
}

}  // namespace
}  // namespace laurel
