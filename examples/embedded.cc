// A first program: a leaderboard in your own process. The program checks every result and exits
// with 1 if one is not as described here.
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <laurel/laurel.h>

namespace {

int failures = 0;

void Expect(bool holds, const char* what) {
  std::printf("%s %s\n", holds ? "ok  " : "FAIL", what);
  if (!holds) ++failures;
}

}  // namespace

int main() {
  laurel::Boards boards;
  laurel::StampClock clock;  // stamps never repeat, so the order of arrival is never in doubt

  // One field `score`, more is better. A submit counts if it beats the member's present score.
  laurel::Spec spec;
  spec.policy = laurel::Policy::kBest;
  laurel::Result<laurel::Board> created = boards.Create("run", spec);
  if (!created.ok()) {
    std::fprintf(stderr, "%s\n", created.error().ToString().c_str());
    return 1;
  }
  laurel::Board board = *created;

  const auto submit = [&](std::string_view member, std::int64_t score) {
    const laurel::Stamp now = laurel::SystemNow();
    return board.Submit(member, {score}, {now, clock.Take(now)}).value();
  };

  // As doubles these two scores would be equal. As int64 they differ.
  submit("bob", 9007199254740992);
  submit("ann", 9007199254740993);
  const laurel::Verdict late = submit("cy", 9007199254740993);
  Expect(board.At(1)->member == "ann", "the higher score leads, beyond 2^53 too");
  Expect(late.rank == 2U, "cy has ann's score but came later, and stands ahead of bob");

  // The verdict is the result of the write: no second call is needed.
  const laurel::Verdict worse = submit("ann", 5);
  Expect(worse.status == laurel::WriteStatus::kNotBest, "a worse score is not ann's best");
  Expect(board.Get("ann")->rank == 1U, "and it cost her nothing");

  for (const laurel::Entry& entry : board.Top(10)) {
    std::printf("%llu. %s %s\n", static_cast<unsigned long long>(*entry.rank), entry.member.c_str(),
                laurel::FormatScore(spec, entry.score)[0].c_str());
  }
  return failures == 0 ? 0 : 1;
}
