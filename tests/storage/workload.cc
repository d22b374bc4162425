#include "tests/storage/workload.h"

#include <algorithm>

namespace laurel::testing {
namespace {

constexpr std::uint64_t kMembers = 24;
constexpr Stamp kTenMinutes = 600'000'000;

std::string Pick(base::Random* random, const char* prefix, std::uint64_t bound) {
  return prefix + std::to_string(random->Below(bound));
}

std::string AnyName(base::Random* random) {
  return random->OneIn(2) ? Pick(random, "board", 4) : Pick(random, "set", 4);
}

Words Submit(base::Random* random, std::uint64_t index) {
  Words words = {"LB.SUBMIT", Pick(random, "board", 4), Pick(random, "m", kMembers),
                 std::to_string(index * 10 + random->Below(10))};
  if (random->OneIn(3)) {
    words.insert(words.end(), {"META", std::string(random->Below(90), 'x')});
  }
  if (random->OneIn(4)) words.insert(words.end(), {"ID", Pick(random, "id", 40)});
  return words;
}

Words Add(base::Random* random, std::uint64_t index) {
  Words words = {"ZADD", Pick(random, "set", 4)};
  for (std::uint64_t i = 1 + random->Below(4); i > 0; --i) {
    words.push_back(std::to_string(index) + "." + std::to_string(random->Below(100)));
    words.push_back(Pick(random, "m", kMembers));
  }
  return words;
}

// A random hour of the first three days of the test clock.
std::string SomeHour(base::Random* random) {
  return std::to_string(1'700'000'000 + 3600 * random->Below(72));
}

// Creates, alters or drops a board with periods.
Words DeclareSeason(base::Random* random) {
  const std::string name = Pick(random, "season", 2);
  switch (random->Below(8)) {
    case 0:
      return {"LB.CREATE", name, "PERIODS", "3", "hour", "day", "all", "GRACE", "3h", "KEEP", "2"};
    case 1:
      return {"LB.CREATE", name,      "POLICY", "best", "CAP",  "6",  "DEDUP",
              "4",         "PERIODS", "2",      "day",  "week", "TZ", "Asia/Shanghai",
              "TURN",      "04:00"};
    case 2:
      return {"LB.ALTER", name, "CAP", std::to_string(3 + random->Below(6))};
    case 3:
      return {"LB.ALTER", name, "POLICY", random->OneIn(2) ? "set" : "best"};
    case 4:
      return {"LB.ALTER", name, "KEEP", std::to_string(random->Below(4))};
    case 5:
      return {"LB.ALTER", name, "GRACE", std::to_string(1 + random->Below(4)) + "h"};
    case 6:
      return {"LB.ALTER", name, "DEDUP", std::to_string(2 + random->Below(9))};
    default:
      return {"LB.DROP", name};
  }
}

// Adds a request id, often one that was used before.
Words WithId(base::Random* random, Words words) {
  words.insert(words.end(), {"ID", Pick(random, "id", 40)});
  return words;
}

Words OnSeason(base::Random* random, std::uint64_t index) {
  const std::string name = Pick(random, "season", 2);
  const std::string member = Pick(random, "m", kMembers);
  const std::string instance = name + (random->OneIn(2) ? "@day" : "@hour:-1");
  const std::uint64_t which = random->Below(100);
  if (which < 15) return DeclareSeason(random);
  if (which < 20) return {"LB.HIDE", name, member};
  if (which < 25) return {"LB.SHOW", name, member};
  if (which < 28) return {"LB.CLEAR", random->OneIn(2) ? name : instance};
  if (which < 32) return {"LB.REMOVE", random->OneIn(2) ? name : instance, member};
  if (which < 34) return {"LB.TRIM", instance, "3"};
  if (which < 36) return {"LB.META", name, member, std::string(random->Below(30), 'y')};
  if (which < 38) return {"PEXPIRE", name, std::to_string(1 + random->Below(3000))};
  if (which < 48) {
    return WithId(random, {"LB.MSUBMIT", name, "2", member, std::to_string(index),
                           Pick(random, "m", kMembers), std::to_string(random->Below(index + 1))});
  }
  Words words = {random->OneIn(3) ? "LB.SET" : "LB.SUBMIT", name, member,
                 std::to_string(index * 10 + random->Below(10))};
  if (random->OneIn(3)) words.insert(words.end(), {"AT", SomeHour(random)});
  return random->OneIn(2) ? words : WithId(random, words);
}

Words Declare(base::Random* random) {
  const std::string name = Pick(random, "board", 4);
  switch (random->Below(7)) {
    case 0:
      return {"LB.CREATE", name, "POLICY", "best"};
    case 1:
      return {"LB.CREATE", name, "CAP", "9"};
    case 2:
      return {"LB.CREATE", name, "POLICY", "sum", "TIE", "last"};
    case 3:
      return {"LB.CREATE", name, "END", SomeHour(random), "GRACE", "1h"};
    case 4:
      // Without END: with it, the board could expire in the command that sets it.
      return {"LB.CREATE", name, "EXPIRE", "2h", "DEDUP", "6"};
    case 5:
      return {"LB.ALTER", name, "START", SomeHour(random)};
    default:
      return {"LB.ALTER", name, "CAP", std::to_string(5 + random->Below(9))};
  }
}

// Commands on whole boards.
Words OnBoards(base::Random* random) {
  switch (random->Below(9)) {
    case 0:
      return {"LB.DROP", Pick(random, "board", 4)};
    case 1:
      return {"DEL", AnyName(random)};
    case 2:
      return {"RENAME", Pick(random, "set", 4), Pick(random, "set", 4)};
    case 3:
      return {"RENAME", Pick(random, "board", 4), Pick(random, "board", 4)};
    case 4:
      return {"LB.CLEAR", Pick(random, "board", 4)};
    case 5:
      return {"COPY", AnyName(random), Pick(random, "board", 4), "REPLACE"};
    case 6:
      return {"ZUNIONSTORE", Pick(random, "set", 4), "2", AnyName(random), AnyName(random)};
    case 7:
      return {"ZRANGESTORE", Pick(random, "set", 4), AnyName(random), "0", "5"};
    default:
      return {"LB.TEMPLATE", random->OneIn(3) ? "DEL" : "SET", Pick(random, "board", 2) + "*"};
  }
}

Words AnyCommand(base::Random* random, std::uint64_t index) {
  if (random->OneIn(4)) return OnSeason(random, index);
  const std::uint64_t which = random->Below(100);
  if (which < 35) return Submit(random, index);
  if (which < 55) return Add(random, index);
  if (which < 62) return Declare(random);
  if (which < 68) return {"LB.HIDE", Pick(random, "board", 4), Pick(random, "m", kMembers)};
  if (which < 74) return {"LB.SHOW", Pick(random, "board", 4), Pick(random, "m", kMembers)};
  if (which < 80) return {"ZREM", AnyName(random), Pick(random, "m", kMembers)};
  if (which < 84) return {"PEXPIRE", AnyName(random), std::to_string(1 + random->Below(3000))};
  if (which < 86) return {"ZPOPMIN", AnyName(random)};
  return which == 99 ? Words{"FLUSHALL"} : OnBoards(random);
}

}  // namespace

std::string Step::ToString() const {
  constexpr const char* kNames[] = {"", "time", "save", "snapshot", "restart", "kill"};
  std::string text = kNames[static_cast<std::size_t>(kind)];
  for (const Words& command : commands) {
    for (const std::string& word : command) text += word + " ";
    text += "; ";
  }
  return text;
}

Step RandomStep(base::Random* random, std::uint64_t index) {
  Step step;
  if (random->OneIn(12)) {
    step.kind = Step::Kind::kTime;
    step.micros = 1000 * static_cast<Stamp>(1 + random->Below(1500));
    // Long enough for periods to turn and request ids to be forgotten.
    if (random->OneIn(3)) step.micros += kTenMinutes * static_cast<Stamp>(random->Below(30));
    return step;
  }
  const std::uint64_t commands = random->OneIn(10) ? 2 + random->Below(3) : 1;
  for (std::uint64_t i = 0; i < commands; ++i) step.commands.push_back(AnyCommand(random, index));
  return step;
}

std::vector<Step> MakeWorkload(std::uint64_t seed, std::size_t steps) {
  base::Random random(seed);
  std::vector<Step> script;
  for (std::size_t i = 0; i < 4; ++i) {
    script.push_back({.commands = {{"LB.CREATE", "board" + std::to_string(i)}}});
  }
  for (const char* name : {"season0", "season1"}) {
    script.push_back({.commands = {{"LB.CREATE", name, "PERIODS", "2", "hour", "day"}}});
  }
  while (script.size() < steps) {
    Step step;
    if (random.OneIn(20)) {
      constexpr Step::Kind kKinds[] = {Step::Kind::kSave, Step::Kind::kSnapshot,
                                       Step::Kind::kRestart, Step::Kind::kKill};
      step.kind = kKinds[random.Below(4)];
      step.with_snapshot = random.OneIn(2);
      script.push_back(step);
    } else {
      script.push_back(RandomStep(&random, script.size()));
    }
  }
  return script;
}

}  // namespace laurel::testing
