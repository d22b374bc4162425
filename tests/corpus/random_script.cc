#include "tests/corpus/random_script.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "fuzz/command_samples.h"
#include "fuzz/command_shapes.h"
#include "fuzz/fuzz_input.h"
#include "wire/command_table.h"

namespace laurel::corpus {
namespace {

constexpr std::uint64_t kSeed = 12;
constexpr int kBlocks = 12;
constexpr int kRequestsOfABlock = 250;
constexpr std::size_t kMostRequestBytes = 200;

// Commands that remove everything, block, or have replies that differ from run to run.
bool IsLeftOut(const wire::CommandInfo& command) {
  static constexpr std::string_view kNames[] = {
      "FLUSHALL", "FLUSHDB", "RANDOMKEY",    "ZRANDMEMBER",  "INFO",
      "EXEC",     "SAVE",    "BGSAVE",       "BGREWRITEAOF", "LB.BACKUP|START",
      "KEYS",     "SCAN",    "MEMORY|USAGE", "UNWATCH",      "WATCH"};
  return !command.IsForEngine() || command.Has(wire::kBlocking) ||
         std::find(std::begin(kNames), std::end(kNames), command.name) != std::end(kNames);
}

class ScriptWriter {
 public:
  std::vector<Step> Write() {
    Line("# Random requests, made once from the shapes of the command fuzzer.");
    Line("@clock 2023-11-14T22:13:20Z");  // near the times in the samples
    for (int block = 0; block < kBlocks; ++block) {
      for (const auto& prelude : fuzz::Preludes()) Request({prelude.begin(), prelude.end()});
      for (int i = 0; i < kRequestsOfABlock; ++i) Random();
      Line(block % 3 == 2 ? "@restart saved" : "@restart");
      ReadEverything();
    }
    return std::move(steps_);
  }

 private:
  void Line(std::string line) { steps_.push_back({0, std::move(line), {}, {}}); }
  void Request(const Words& words) { Line(WordsText(words)); }

  void Random() {
    if (random_.Below(12) == 0) {
      static constexpr std::string_view kSteps[] = {"1",  "999", "10ms", "1s",  "10s", "15m",
                                                    "1h", "2h",  "1d",   "-5s", "-1h"};
      Line("@step " + std::string(kSteps[random_.Below(std::size(kSteps))]));
      if (random_.Below(2) == 0) Line("@tick");
      return;
    }
    const auto& building = fuzz::BuildingCommands();
    const auto table = wire::CommandTable();
    const wire::CommandInfo* command = &wire::CommandOf(building[random_.Below(building.size())]);
    if (random_.Below(2) == 0) command = &table[random_.Below(table.size())];
    if (IsLeftOut(*command)) return Random();
    const Words words = Arguments(command->id);
    std::vector<std::string_view> arguments(words.begin(), words.end());
    const wire::Lookup found = wire::LookUp(arguments);
    if (found.command != nullptr && IsLeftOut(*found.command)) return Random();
    if (WordsText(words).size() > kMostRequestBytes) return Random();
    Request(words);
  }

  // Most bytes are below the fuzzer's threshold for strange samples: most requests are valid.
  Words Arguments(wire::CommandId id) {
    constexpr std::uint64_t kPlainBytes = 200;
    std::array<std::uint8_t, 256> bytes{};
    for (std::uint8_t& byte : bytes) {
      const std::uint64_t bound = random_.Below(12) == 0 ? 256 : kPlainBytes;
      byte = static_cast<std::uint8_t>(random_.Below(bound));
    }
    if (bytes[0] < 8 && random_.Below(4) != 0) bytes[0] = 8;  // fewer malformed argument lists
    fuzz::FuzzInput input(bytes);
    return fuzz::MakeArguments(id, &input);
  }

  void ReadEverything() {
    Request({"LB.LIST", "COUNT", "1000"});
    Request({"LB.TEMPLATE", "LIST"});
    Request({"KEYS", "*"});
    for (const char* board : {"lb", "run", "cap", "rank:1", "s", "u"}) {
      Request({"LB.DESCRIBE", board});
      Request({"LB.RANGE", board, "1", "-1", "WITHMETA"});
    }
    for (const char* board : {"s", "u"}) Request({"LB.PERIODS", board});
    for (const char* board : {"s@hour:-1", "s@day", "s@all", "u@day:-1", "u@week", "u@month"}) {
      Request({"LB.RANGE", board, "1", "-1"});
    }
    for (const char* key : {"z", "y", "lb", "rank:1"}) {
      Request({"ZRANGE", key, "0", "-1", "WITHSCORES"});
      Request({"PTTL", key});
    }
  }

  base::Random random_{kSeed};
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> RandomScript() { return ScriptWriter().Write(); }

}  // namespace laurel::corpus
