// A leaderboard with the periods `day` and `all` in a time zone, and a clock that the program sets.
// The program checks every result and exits with 1 if one is not as described here.
#include <cstdio>
#include <string>
#include <vector>

#include <laurel/laurel.h>

namespace {

int failures = 0;

void Expect(bool holds, const char* what) {
  std::printf("%s %s\n", holds ? "ok  " : "FAIL", what);
  if (!holds) ++failures;
}

}  // namespace

int main() {
  laurel::Boards boards(laurel::ZoneCalendars());
  laurel::StampClock clock;

  laurel::Spec spec;
  spec.policy = laurel::Policy::kSum;
  spec.periods = {laurel::Period::kDay, laurel::Period::kAll};
  spec.zone = "Asia/Shanghai";
  laurel::Board arena = boards.Create("arena", spec).value();

  constexpr laurel::Stamp kHour = 3'600'000'000;
  laurel::Stamp now = 1'794'754'800'000'000;  // 2026-11-15 15:00 UTC: 23:00 in Shanghai
  const auto moment = [&] { return laurel::Moment{now, clock.Take(now)}; };

  // One submit goes to both periods, the day and all time. A retry with the same id counts once.
  laurel::WriteVerdict first = arena.Submit("ann", {10}, moment(), {.id = "match 1"}).value();
  laurel::WriteVerdict retry = arena.Submit("ann", {10}, moment(), {.id = "match 1"}).value();
  Expect(!first.duplicate && retry.duplicate, "a retry is told apart");
  Expect(arena.Present(now)->Get("ann")->score[0] == 10, "and counts once");

  now += kHour;  // midnight in Shanghai: a new day begins without any call
  Expect(arena.Submit("bob", {7}, moment()).ok(), "bob plays");
  Expect(arena.InPeriod("day", now)->At(1)->member == "bob", "a new day begins");
  Expect(arena.InPeriod("day:-1", now)->At(1)->member == "ann", "yesterday is still there");
  Expect(arena.InPeriod("all", now)->size() == 2, "and all time has both");

  // A timer calls Advance when it is due. Advance announces each day that is over once.
  Expect(boards.Due() <= now, "yesterday waits to be closed");
  const std::vector<laurel::ClosedPeriod> closed = boards.Advance(now).closed;
  Expect(closed.size() == 1 && closed[0].instance.label == "2026-11-15", "it was the 15th");
  for (const laurel::Entry& entry : closed[0].top) {
    std::printf("%s won %s\n", entry.member.c_str(), closed[0].instance.label.c_str());
  }

  // The board as bytes, for a file or another process.
  laurel::Boards others(laurel::ZoneCalendars());
  laurel::Board copy = others.Restore("arena", arena.Save(), now).value();
  Expect(copy.InPeriod("all", now)->Top(9) == arena.InPeriod("all", now)->Top(9), "all is saved");
  return failures == 0 ? 0 : 1;
}
