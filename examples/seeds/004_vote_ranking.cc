// Seed 004 on Laurel: a ranking of votes that many requests add to at once.
//
// The seed shifts the points beside a countdown in one long, and adds by WATCH and MULTI, at most
// 15 times. Its second way adds points + 10^6 / time, so the member with more writes ranks ahead.
//
// - An increment is one atomic step. None is lost, and none fails because others write too.
// - Points are exact up to 2^63 - 1. The seed's are up to 524287, because Redis keeps a double.
// - A retry with the same request id counts once.
// - The time at which a score was reached is kept, in microseconds, whatever the end of the event.
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <laurel/laurel.h>

namespace {

constexpr laurel::Stamp kSecond = 1'000'000;            // stamps are microseconds
constexpr laurel::Stamp kNoon = 1'670'212'800'000'000;  // 2022-12-05T12:00:00+08:00

// Safe for any number of threads: reads share the lock, a write has it alone.
class VoteRanking {
 public:
  VoteRanking(laurel::Boards& boards, std::string_view key)
      : board_(boards.Create(key, Sums()).value()) {}

  void UpdateRanking(std::string_view user, std::int64_t add_point, laurel::Stamp at,
                     std::string_view request_id) {
    const std::unique_lock lock(mutex_);
    const laurel::Stamp now = laurel::SystemNow();
    static_cast<void>(board_
                          .Apply({.member = user, .score = {add_point}, .at = at},
                                 {now, clock_.Take(now)}, {.id = request_id})
                          .value());
  }

  // 0 if the user is absent.
  [[nodiscard]] std::int64_t GetPointByUser(std::string_view user) const {
    const std::shared_lock lock(mutex_);
    const auto entry = board_.Get(user);
    return entry ? entry->score[0] : 0;
  }

  // When the user reached the present points. REQUIRES: the user is present.
  [[nodiscard]] laurel::Stamp GetDateByUser(std::string_view user) const {
    const std::shared_lock lock(mutex_);
    return board_.Get(user)->stamp;
  }

  // From 1. -1 if the user is absent.
  [[nodiscard]] std::int64_t GetRankByUser(std::string_view user) const {
    const std::shared_lock lock(mutex_);
    const auto entry = board_.Get(user);
    return entry ? static_cast<std::int64_t>(*entry->rank) : -1;
  }

  // The best users with their points, best first.
  [[nodiscard]] std::vector<laurel::Entry> Rank(std::uint64_t count) const {
    const std::shared_lock lock(mutex_);
    return board_.Top(count);
  }

  // Removes no user, in the seed neither.
  [[nodiscard]] std::vector<laurel::Entry> PopTop(std::uint64_t count) const { return Rank(count); }

 private:
  static laurel::Spec Sums() {
    laurel::Spec spec;
    spec.policy = laurel::Policy::kSum;
    return spec;
  }

  mutable std::shared_mutex mutex_;
  laurel::Board board_;
  laurel::StampClock clock_;
};

// Each voter sends each vote twice, as after a lost reply.
void VoteAtOnce(VoteRanking& ranking, std::string_view user, int voters, int votes) {
  std::vector<std::thread> threads;
  for (int voter = 0; voter < voters; ++voter) {
    threads.emplace_back([&ranking, user, voter, votes] {
      for (int vote = 0; vote < 2 * votes; ++vote) {
        const std::string id = std::to_string(voter) + "-" + std::to_string(vote / 2);
        ranking.UpdateRanking(user, 1, kNoon, id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void Show(const VoteRanking& ranking, const std::vector<laurel::Entry>& entries) {
  for (const laurel::Entry& entry : entries) {
    // The local time in Beijing, as the time of a zone without an offset.
    const std::time_t local = ranking.GetDateByUser(entry.member) / kSecond + 8 * 3600;
    std::tm time{};
    gmtime_r(&local, &time);
    std::cout << "  " << ranking.GetRankByUser(entry.member) << " " << entry.member << " "
              << entry.score[0] << " " << std::put_time(&time, "%FT%T+08:00") << "\n";
  }
}

}  // namespace

int main() {
  laurel::Boards boards;
  VoteRanking ranking(boards, "seed:004");

  std::cout << "8 voters at once, 50 votes each, each vote sent twice\n";
  VoteAtOnce(ranking, "1001", 8, 50);
  std::cout << "points of 1001: " << ranking.GetPointByUser("1001") << "\n";

  std::cout << "1002 reaches 400 in two writes, a second later than 1001\n";
  ranking.UpdateRanking("1002", 150, kNoon - 3600 * kSecond, "a");
  ranking.UpdateRanking("1002", 250, kNoon + kSecond, "b");
  Show(ranking, ranking.Rank(10));

  std::cout << "points beyond 524287\n";
  const laurel::Stamp morning = kNoon + (20 * 3600 + 1800) * kSecond;
  ranking.UpdateRanking("1003", 10'000'000'000, morning, "c");
  ranking.UpdateRanking("1003", 1, morning + kSecond, "d");
  Show(ranking, ranking.PopTop(1));

  std::cout << "absent: rank " << ranking.GetRankByUser("1009") << ", points "
            << ranking.GetPointByUser("1009") << "\n";
}
