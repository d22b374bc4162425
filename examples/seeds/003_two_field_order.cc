// Seed 003 on Laurel: more first, then earlier first, and orders by two fields.
//
// The seed puts the inverted time in front of the id, so that Redis orders equal scores by time. A
// writer must know the member that it wrote last, remove it and add another.
//
// - A member is its id, which may have any bytes. No old member is left behind when two writers
//   race.
// - An update is one call. It needs no script and no knowledge of the old time.
// - Values go beyond 2^53. A second field is a field, with a direction of its own.
#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include <laurel/laurel.h>

namespace {

constexpr laurel::Stamp kSecond = 1'000'000;  // stamps are microseconds

laurel::Moment Now(laurel::StampClock& clock, std::uint64_t writes = 1) {
  const laurel::Stamp now = laurel::SystemNow();
  return {now, clock.Take(now, writes)};
}

class RankByValueAndTime {
 public:
  RankByValueAndTime(laurel::Boards& boards, std::string_view key)
      : board_(boards.Create(key).value()) {}

  // Inserts or replaces the user's value, reached at this Unix time.
  void UpdateEntry(std::int64_t value, std::int64_t seconds, std::string_view uid) {
    Apply({.member = uid, .score = {value}, .mode = laurel::WriteMode::kSet}, seconds);
  }

  // Adds to the value of a present user. Returns the new value; none if the user is absent.
  std::optional<std::int64_t> Add(std::int64_t delta, std::int64_t seconds, std::string_view uid) {
    const laurel::WriteVerdict verdict = Apply({.member = uid,
                                                .score = {delta},
                                                .mode = laurel::WriteMode::kIncrement,
                                                .condition = laurel::Write::If::kPresent},
                                               seconds);
    if (verdict.status == laurel::WriteStatus::kSkipped) return std::nullopt;
    return (*verdict.score)[0];
  }

  [[nodiscard]] std::vector<laurel::Entry> Top(std::uint64_t count) const {
    return board_.Top(count);
  }

 private:
  laurel::WriteVerdict Apply(laurel::Write write, std::int64_t seconds) {
    write.at = seconds * kSecond;
    return board_.Apply(write, Now(clock_)).value();
  }

  laurel::Board board_;
  laurel::StampClock clock_;
};

// Members by income, more first, then by cost in the given direction.
void OrderByTwoFields(laurel::Direction second) {
  laurel::Boards boards;
  laurel::StampClock clock;
  laurel::Spec spec;
  spec.fields = {{.name = "income"}, {.name = "cost", .direction = second}};
  laurel::Board board = boards.Create("fields", spec).value();
  const std::vector<laurel::Write> writes = {{.member = "ann", .score = {70, 9}},
                                             {.member = "bob", .score = {70, 4}},
                                             {.member = "cy", .score = {80, 7}}};
  static_cast<void>(board.ApplyAll(writes, Now(clock, writes.size())).value());
  for (const laurel::Entry& entry : board.Top(3)) {
    std::cout << "  " << entry.member << " " << entry.score[0] << " " << entry.score[1] << "\n";
  }
}

}  // namespace

int main() {
  laurel::Boards boards;
  RankByValueAndTime rank(boards, "seed:003");
  const auto show = [&] {
    for (const laurel::Entry& entry : rank.Top(10)) {
      std::cout << "  " << entry.score[0] << " at " << entry.stamp / kSecond << " " << entry.member
                << "\n";
    }
  };

  std::cout << "equal values: the earlier one first, ids with a colon too\n";
  rank.UpdateEntry(9876543210, 1721059260, "user123");
  rank.UpdateEntry(9876543210, 1721059200, "guild:7");
  rank.UpdateEntry(100, 1721059200, "user9");
  show();

  std::cout << "an update takes one call and leaves one entry\n";
  rank.UpdateEntry(9876543210, 1721059100, "user123");
  show();

  std::cout << "user9 adds 2^53: " << rank.Add(std::int64_t{1} << 53, 1721059300, "user9").value()
            << "\n";
  std::cout << "user9 adds 1: " << rank.Add(1, 1721059301, "user9").value() << "\n";
  const std::optional<std::int64_t> absent = rank.Add(1, 1721059302, "absent");
  std::cout << "absent adds 1: " << (absent ? "a value" : "no such member") << "\n";
  show();

  std::cout << "income, more first, then cost, less first\n";
  OrderByTwoFields(laurel::Direction::kAsc);
  std::cout << "income, more first, then cost, more first\n";
  OrderByTwoFields(laurel::Direction::kDesc);
}
