// Seed 002 on Laurel: the top list of a campaign, with a cap.
//
// The seed writes the score as score.(9999999999 - time) and asks for the size and the last score
// before it adds a member. It removes none, so the set grows, and two pods may both see room.
//
// - The cap holds after every write: the board drops the last member by itself.
// - A write that does not enter says what it would have needed.
// - Equal scores keep the order of arrival above 524287 too, where the seed's seconds merge.
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <laurel/laurel.h>

namespace {

class ScoreRankService {
 public:
  // Shows count members, and keeps ten more for the case that some are removed.
  ScoreRankService(laurel::Boards& boards, std::string_view key, std::uint64_t count)
      : count_(count), board_(boards.Create(key, CappedSpec(count + 10)).value()) {}

  // The verdict has the status kNotRanked if the member does not enter, and then what it needs.
  laurel::WriteVerdict InsertMember(std::string_view member, std::int64_t score) {
    const laurel::Stamp now = laurel::SystemNow();
    return board_.Submit(member, {score}, {now, clock_.Take(now)}).value();
  }

  [[nodiscard]] std::vector<laurel::Entry> GetMemberList() const { return board_.Top(count_); }

  [[nodiscard]] std::uint64_t GetScoreRankCount() const { return board_.size(); }

  // 0 if the board is empty.
  [[nodiscard]] std::int64_t GetLastMemberScore() const {
    const auto last = board_.At(board_.size());
    return last ? last->score[0] : 0;
  }

 private:
  static laurel::Spec CappedSpec(std::uint64_t cap) {
    laurel::Spec spec;
    spec.cap = cap;
    return spec;
  }

  std::uint64_t count_;
  laurel::Board board_;
  laurel::StampClock clock_;
};

}  // namespace

int main() {
  laurel::Boards boards;
  ScoreRankService service(boards, "seed:002", 3);

  const auto insert = [&](std::string_view member, std::int64_t score) {
    const laurel::WriteVerdict verdict = service.InsertMember(member, score);
    std::cout << member << " " << score << ": ";
    if (verdict.needs) {
      std::cout << "needs " << (*verdict.needs)[0] << "\n";
    } else {
      std::cout << "on the board\n";
    }
  };
  const auto show = [&] {
    std::cout << service.GetScoreRankCount() << " members, the last has "
              << service.GetLastMemberScore() << "\n";
    for (const laurel::Entry& entry : service.GetMemberList()) {
      std::cout << "  " << entry.member << " " << entry.score[0] << "\n";
    }
  };

  show();
  std::cout << "twenty members reach 100, and thirteen places are free\n";
  int entered = 0;
  for (int number = 1; number <= 20; ++number) {
    const std::string member = (number < 10 ? "m0" : "m") + std::to_string(number);
    const laurel::WriteVerdict verdict = service.InsertMember(member, 100);
    entered += verdict.status == laurel::WriteStatus::kNotRanked ? 0 : 1;
  }
  std::cout << entered << " of them enter\n";
  show();

  std::cout << "a late 100 stays out, 101 enters and the last one leaves\n";
  insert("late", 100);
  insert("late", 101);
  show();

  std::cout << "three members reach 600000 one after another\n";
  insert("zoe", 600000);
  insert("abe", 600000);
  insert("kim", 600000);
  show();
}
