// The replies to a pipeline are byte for byte those to the same requests sent one by one, although
// the engine executes adjacent requests of one kind together (engine/commands/runs.h).
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"
#include "tests/support/test_clock.h"

namespace laurel::testing {
namespace {

EngineRig::Options InMemory(const TestClock* clock) {
  EngineRig::Options options;
  options.clock = clock;
  options.hash_seed = 1;
  // Small nodes, so that in the middle of runs boards change from the packed form to the tree form
  // and leaves and inner nodes split.
  options.shape.packed_entries = 12;
  options.shape.leaf_entries = 8;
  options.shape.inner_children = 5;
  return options;
}

const std::vector<std::string> kBoards = {
    "LB.CREATE best POLICY best",
    "LB.CREATE sum POLICY sum DEDUP 20",
    "LB.CREATE cap POLICY best CAP 30",
    "LB.CREATE few CAP 4 TIE last",
    "LB.CREATE run FIELDS 2 points:int:desc time:decimal3:asc",
    "LB.CREATE season POLICY best PERIODS 3 hour day all",
    "LB.CREATE gone END 2023-11-14T22:00:00Z"};
const std::vector<std::string> kNames = {"best", "sum",        "cap",  "few",  "run",
                                         "gone", "season",     "none", "zset", "season",
                                         "best", "season@day", "sum"};

class Script {
 public:
  explicit Script(base::Random* random) : random_(*random) {}

  // Appends 1 to 40 requests, most of them of one kind and about one board.
  void AddStretch(std::vector<std::string>* lines) {
    const std::string board = kNames[random_.Below(kNames.size())];
    const std::uint64_t kind = random_.Below(4);
    const std::size_t count = 1 + random_.Below(40);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t own = random_.OneIn(12) ? random_.Below(5) : kind;
      lines->push_back(Line(own, random_.OneIn(20) ? "best" : board));
    }
  }

 private:
  std::string Member() { return "m" + std::to_string(random_.Below(60)); }
  std::string Value() { return std::to_string(static_cast<int>(random_.Below(40)) - 5); }

  std::string Line(std::uint64_t kind, const std::string& board) {
    switch (kind) {
      case 0:
      case 1:
        return Submit(board);
      case 2:
        return Lookup(board);
      case 3:
        return Sorted(board);
      default:
        return Other(board);
    }
  }
  std::string Submit(const std::string& board) {
    static const std::vector<std::string> kCommands = {"LB.SUBMIT", "LB.SET", "LB.INCR"};
    std::string line = kCommands[random_.Below(3)] + " " + board + " " + Member() + " " + Value();
    if (board == "run" || random_.OneIn(60)) line += " " + Value() + ".5";
    if (random_.OneIn(15)) line += random_.OneIn(2) ? " NX" : " XX";
    if (random_.OneIn(10)) line += " ID r" + std::to_string(random_.Below(30));
    if (random_.OneIn(12)) line += " META " + std::string(random_.Below(40), 'x') + "y";
    if (random_.OneIn(15)) line += " AT " + std::to_string(1'699'995'000 + random_.Below(6000));
    if (random_.OneIn(60)) line += " COLOUR";
    return line;
  }
  std::string Lookup(const std::string& board) {
    std::string line = random_.OneIn(3) ? "LB.AROUND " + board + " " + Member() + " " +
                                              std::to_string(random_.Below(60))
                                        : "LB.GET " + board + " " + Member();
    if (random_.OneIn(6)) line += " KIND dense";
    if (random_.OneIn(6)) line += " WITHMETA";
    if (random_.OneIn(15)) line += " PERIOD day";
    return line;
  }
  std::string Sorted(const std::string& board) {
    switch (random_.Below(4)) {
      case 0:
        return "ZADD " + board + " " + Value() + " " + Member();
      case 1:
        return "ZINCRBY " + board + " " + Value() + " " + Member();
      case 2:
        return "ZRANK " + board + " " + Member();
      default:
        return "ZREVRANK " + board + " " + Member();
    }
  }
  std::string Other(const std::string& board) {
    static const std::vector<std::string> kCommands = {"LB.HIDE", "LB.SHOW", "LB.REMOVE", "LB.GET"};
    return kCommands[random_.Below(kCommands.size())] + " " + board + " " + Member();
  }

  base::Random& random_;
};

TEST(Pipeline, RepliesEqualThoseOfTheSameRequestsSentOneByOne) {
  base::Random random(TestSeed());
  for (int episode = 0; episode < 30; ++episode) {
    TestClock clock;
    EngineRig together(InMemory(&clock));
    EngineRig alone(InMemory(&clock));
    TestClient client(episode % 2 == 0 ? wire::Protocol::kResp2 : wire::Protocol::kResp3);
    TestClient other(client.protocol);
    for (const std::string& line : kBoards) {
      together.Ask(line);
      alone.Ask(line);
    }
    for (int round = 0; round < 20; ++round) {
      std::vector<std::string> lines;
      Script script(&random);
      for (std::uint64_t i = 0; i <= random.Below(4); ++i) script.AddStretch(&lines);
      const std::string bytes = together.BeginLines(&client, lines)->Bytes();
      std::string expected;
      std::string all;
      for (const std::string& line : lines) {
        expected += alone.BeginLines(&other, {line})->Bytes();
        all += line + "\n";
      }
      ASSERT_EQ(bytes, expected) << all;
      ASSERT_EQ(together.engine().Digest(), alone.engine().Digest()) << all;
      clock.Move(static_cast<Stamp>(random.Below(600'000'000)));
    }
  }
}

}  // namespace
}  // namespace laurel::testing
