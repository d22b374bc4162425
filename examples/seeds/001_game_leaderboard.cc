// Seed 001 on Laurel: the leaderboard of a game, from set to delete.
//
// The seed has a session of sorted-set commands, in which user3 stands ahead of user2 because of
// its name. Its way out is score * 10^10 + (9999999999 - time), and it wishes for a sorted set of
// int64.
//
// - user2 reached 95 first and stands ahead of user3, also within one second.
// - Scores are all of int64. The formula is exact up to 900719.
// - Neighbours of a player take one call.
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <laurel/laurel.h>

namespace {

using Entries = std::vector<laurel::Entry>;

class GameLeaderboard {
 public:
  GameLeaderboard(laurel::Boards& boards, std::string_view name)
      : boards_(boards), board_(boards.Create(name).value()) {}

  void SetScore(std::string_view player, std::int64_t score) {
    static_cast<void>(board_.Set(player, {score}, Now()).value());
  }

  // Returns the new score. OVERFLOW if it would not fit.
  laurel::Result<std::int64_t> AddScore(std::string_view player, std::int64_t delta) {
    const auto verdict = board_.Increment(player, {delta}, Now());
    if (!verdict) return verdict.error();
    return (*verdict->score)[0];
  }

  // Its rank and score. None if the player is absent.
  [[nodiscard]] std::optional<laurel::Entry> RankAndScore(std::string_view player) const {
    return board_.Get(player);
  }

  [[nodiscard]] Entries Top(std::uint64_t count) const { return board_.Top(count); }

  // The player with up to count players on each side.
  [[nodiscard]] Entries Around(std::string_view player, std::uint64_t count) const {
    return board_.Around(player, count).value_or(Entries{});
  }

  bool Remove(std::string_view player) { return board_.Remove(std::array{player}) == 1; }

  // REQUIRES: no other call afterwards.
  void Delete() { boards_.Drop(std::string(board_.name())); }

 private:
  laurel::Moment Now() {
    const laurel::Stamp now = laurel::SystemNow();
    return {now, clock_.Take(now)};
  }

  laurel::Boards& boards_;
  laurel::Board board_;
  laurel::StampClock clock_;
};

void Show(const Entries& entries) {
  for (const laurel::Entry& entry : entries) {
    std::cout << "  " << *entry.rank << " " << entry.member << " " << entry.score[0] << "\n";
  }
}

const char* YesOrNo(bool holds) { return holds ? "yes" : "no"; }

}  // namespace

int main() {
  laurel::Boards boards;
  GameLeaderboard lb(boards, "seed:001");

  std::cout << "user2 sets 95 before user3\n";
  lb.SetScore("user1", 89);
  lb.SetScore("user2", 95);
  lb.SetScore("user3", 95);
  lb.SetScore("user4", 90);
  Show(lb.Top(10));

  std::cout << "user2 sends 95 again and keeps the place\n";
  lb.SetScore("user2", 95);
  std::cout << "user2: " << lb.RankAndScore("user2")->rank.value()
            << ", user3: " << lb.RankAndScore("user3")->rank.value() << "\n";

  std::cout << "user4 adds 6: " << lb.AddScore("user4", 6).value() << "\n";
  Show(lb.Top(3));
  std::cout << "user3 with one player on each side\n";
  Show(lb.Around("user3", 1));

  std::cout << "scores beyond 900719 and beyond 2^53\n";
  lb.SetScore("user5", 900720);
  lb.SetScore("user6", INT64_MAX);
  lb.SetScore("user7", INT64_MAX - 1);
  Show(lb.Top(3));
  const laurel::Result<std::int64_t> beyond = lb.AddScore("user6", 1);
  std::cout << "user6 adds 1: " << (beyond ? "accepted" : laurel::ErrorName(beyond.error().code))
            << "\n";

  const bool removed = lb.Remove("user6");
  std::cout << "user6 is removed: " << YesOrNo(removed)
            << ", once more: " << YesOrNo(lb.Remove("user6")) << "\n";
  std::cout << "user6: " << (lb.RankAndScore("user6") ? "present" : "absent") << "\n";
  lb.Delete();
  std::cout << "exists after delete: " << YesOrNo(boards.Find("seed:001").has_value()) << "\n";
}
