// The thread rule of laurel::Board: any number of threads may read at once. Meant for --tsan, which
// sees a hidden write in a read; elsewhere it checks that all readers get the same answers.
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/laurel.h"

namespace laurel {
namespace {

// Every kind of read, folded into one number.
std::uint64_t ReadEverything(const Board& board, const std::vector<std::string>& members) {
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
  return sum + (board.Validate().empty() ? 0 : 1'000'000'000) + board.MemoryUsage();
}

TEST(Readers, ManyAtOnceDisturbNothing) {
  Boards boards;
  for (const std::size_t entries : {std::size_t{40}, std::size_t{5000}}) {  // packed, and a tree
    Board board = boards.Create("board" + std::to_string(entries)).value();
    std::vector<std::string> members;
    for (std::size_t i = 0; i < entries; ++i) {
      members.push_back(std::to_string(i));
      const auto stamp = static_cast<Stamp>(i);
      ASSERT_TRUE(
          board.Submit(members.back(), Score{static_cast<std::int64_t>(i % 100)}, {stamp, stamp})
              .ok());
    }
    const std::uint64_t expected = ReadEverything(board, members);
    std::vector<std::uint64_t> answers(4);
    std::vector<std::thread> readers;
    for (std::uint64_t& answer : answers) {
      readers.emplace_back([&] { answer = ReadEverything(board, members); });
    }
    for (std::thread& reader : readers) reader.join();
    for (const std::uint64_t answer : answers) EXPECT_EQ(answer, expected);
  }
}

}  // namespace
}  // namespace laurel
