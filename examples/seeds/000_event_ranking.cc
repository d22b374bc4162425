// Seed 000 on Laurel: the ranking of an event that has a start and an end.
//
// The seed keeps value.countdown as the score of a sorted set. A Lua script adds to it, and every
// write sets EXPIRE again. Here the board adds, orders equal values and expires by itself. A long
// running program calls Boards::Advance when Due() is reached, which drops the expired board.
//
// - Two members that reach a value in the same second stand in the order in which they reached it.
// - Values are exact up to 2^63 - 1. In the seed they are up to 2^32 - 1 for an event of ten days,
//   and its reader takes 1000000 for 1.
// - Adding 0 costs no member its place. A retry with the same request id counts once. A write
//   outside the event is refused.
#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include <laurel/laurel.h>

namespace {

constexpr laurel::Stamp kSecond = 1'000'000;  // times are microseconds
constexpr laurel::Stamp kHour = 3600 * kSecond;
constexpr laurel::Stamp kDay = 24 * kHour;

class EventRanking {
 public:
  EventRanking(laurel::Boards& boards, std::string_view key, laurel::Stamp start, laurel::Stamp end,
               std::int64_t expire_us)
      : board_(boards.Create(key, EventSpec(start, end, expire_us)).value()) {}

  // Adds val to the user's value. Returns the new value.
  laurel::Result<std::int64_t> Update(std::string_view uid, std::int64_t val, laurel::Stamp at,
                                      std::optional<std::string_view> request_id = {}) {
    const laurel::Stamp now = laurel::SystemNow();
    const auto verdict = board_.Apply({.member = uid, .score = {val}, .at = at},
                                      {now, clock_.Take(now)}, {.id = request_id});
    if (!verdict) return verdict.error();
    return (*verdict->score)[0];
  }

  [[nodiscard]] std::vector<laurel::Entry> GetRankingList(std::uint64_t count) const {
    return board_.Top(count);
  }

  // From 0, as ZREVRANK counts. None if the user is absent.
  [[nodiscard]] std::optional<std::uint64_t> GetUserRank(std::string_view uid) const {
    const std::optional<laurel::Entry> entry = board_.Get(uid);
    if (!entry) return std::nullopt;
    return *entry->rank - 1;
  }

  [[nodiscard]] std::optional<std::int64_t> GetUserVal(std::string_view uid) const {
    const std::optional<laurel::Entry> entry = board_.Get(uid);
    if (!entry) return std::nullopt;
    return entry->score[0];
  }

  [[nodiscard]] std::uint64_t GetTotalCount() const { return board_.size(); }

 private:
  static laurel::Spec EventSpec(laurel::Stamp start, laurel::Stamp end, std::int64_t expire_us) {
    laurel::Spec spec;
    spec.policy = laurel::Policy::kSum;
    spec.start = start;
    spec.end = end;
    spec.expire_us = expire_us;
    return spec;
  }

  laurel::Board board_;
  laurel::StampClock clock_;
};

}  // namespace

int main() {
  laurel::Boards boards;
  const laurel::Stamp start = laurel::SystemNow() - kDay;
  EventRanking ranking(boards, "seed:000", start, start + 10 * kDay, 30 * kDay);

  const auto update = [&](std::string_view uid, std::int64_t val, laurel::Stamp at,
                          std::optional<std::string_view> request_id = {}) {
    const laurel::Result<std::int64_t> value = ranking.Update(uid, val, at, request_id);
    std::cout << uid << " adds " << val << ": ";
    if (value) {
      std::cout << *value << "\n";
    } else {
      std::cout << laurel::ErrorName(value.error().code) << "\n";
    }
  };
  const auto show = [&] {
    for (const laurel::Entry& entry : ranking.GetRankingList(10)) {
      std::cout << "  " << *entry.rank - 1 << " " << entry.member << " " << entry.score[0] << "\n";
    }
  };

  std::cout << "ann reaches 100 half a second before bob\n";
  update("ann", 60, start + 60 * kSecond);
  update("ann", 40, start + kHour);
  update("bob", 100, start + kHour + kSecond / 2);
  show();

  std::cout << "adding 0 does not cost ann her place\n";
  update("ann", 0, start + 2 * kHour);
  std::cout << "rank of ann: " << ranking.GetUserRank("ann").value() << "\n";

  std::cout << "a retry with the same request id counts once\n";
  update("bob", 5, start + 3 * kHour, "order-17");
  update("bob", 5, start + 3 * kHour, "order-17");

  std::cout << "2^53 and 2^53 + 1 are two values\n";
  update("cy", std::int64_t{1} << 53, start + 4 * kHour);
  update("dee", (std::int64_t{1} << 53) + 1, start + 5 * kHour);
  show();

  std::cout << "a write before the event is refused\n";
  update("eve", 1, start - kSecond);

  std::cout << "value of cy: " << ranking.GetUserVal("cy").value() << "\n";
  std::cout << "value of eve: " << (ranking.GetUserVal("eve") ? "some" : "none") << "\n";
  std::cout << "users: " << ranking.GetTotalCount() << "\n";
}
