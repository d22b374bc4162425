// An engine on a simulated disk with a settable clock, restarts of every kind, and the replies of
// boards with windows and periods as short texts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "tests/storage/call_gate.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {

inline constexpr Stamp kMicros = 1;
inline constexpr Stamp kSecond = 1'000'000;
inline constexpr Stamp kMinute = 60 * kSecond;
inline constexpr Stamp kHour = 60 * kMinute;
inline constexpr Stamp kDay = 24 * kHour;

// Parses a time such as "2026-03-29T01:00:00Z". Throws std::runtime_error if it is malformed.
Stamp Moment(std::string_view text);
// The moment as a command argument: "1700000000000000us".
std::string Micros(Stamp moment);

// A copy of the reply without its `duplicate` fields; adds their number to `marks`.
Value WithoutDuplicateMark(const Value& value, int* marks);

enum class Ending : std::uint8_t {
  kClosed,    // orderly
  kSaved,     // orderly, after a snapshot
  kKilled,    // kill -9: all bytes written to files remain
  kPowerCut,  // bytes that were not synced are lost or torn
};

inline constexpr Ending kEndings[] = {Ending::kClosed, Ending::kSaved, Ending::kKilled,
                                      Ending::kPowerCut};

std::string_view EndingName(Ending ending);

// Commands are lines of words separated by blanks. The client speaks RESP3.
class Season {
 public:
  explicit Season(std::string_view now, std::uint64_t seed = 1);
  ~Season();
  Season(const Season&) = delete;
  Season& operator=(const Season&) = delete;

  [[nodiscard]] Stamp now() const { return clock_.Now(); }
  void SetTime(std::string_view moment) { clock_.Set(Moment(moment)); }
  void SetTime(Stamp moment) { clock_.Set(moment); }
  void Move(Stamp micros) { clock_.Set(now() + micros); }
  // Does everything that is due by the clock.
  void Tick() { rig_.Tick(); }
  // Ends the engine and starts another on its files. The old engine answers `under_way` after the
  // moment of the kill or power cut, so the new engine may not have its effects.
  void Restart(Ending ending, TestPipeline* under_way = nullptr);

  Value Get(std::string_view line) { return rig_.Ask(line); }
  // The same for words that contain blanks or are empty.
  Value Send(const Words& words) { return rig_.Ask(words); }
  // The reply in the form of Value::Plain. AskInResp2 uses a separate client that speaks RESP2.
  std::string Ask(std::string_view line) { return Get(line).Plain(); }
  std::string AskInResp2(std::string_view line);
  // The code of an error, or the whole reply if it is not an error.
  std::string Code(std::string_view line);
  // "accepted nil->1 nil->100", and where they apply " needs=20", " hidden", " duplicate" and
  // " week(…)" for each other period. Verdicts of several members are separated by "; ".
  std::string Verdict(std::string_view line) { return VerdictText(Get(line)); }
  static std::string VerdictText(const Value& verdict);
  // "1:ann=100 2:bob=90,3".
  std::string Entries(std::string_view line);
  std::string Top(const std::string& board) { return Entries("LB.TOP " + board + " 100"); }
  // The stamp of a member's entry; -1 if there is no entry.
  Stamp StampOf(const std::string& board, const std::string& member);
  // Every read command of a board or an instance, with '?' for its name.
  static const std::vector<std::string>& Reads();
  // The replies to all reads, one line each.
  std::string ReadAll(const std::string& board);
  // The replies to LB.PERIODS and to every read of the board and of each listed instance.
  std::string ReadAllPeriods(const std::string& board);
  // "day:2026-11-15=3* day:2026-11-14=2! all=5*": the instances that LB.PERIODS lists, with their
  // sizes; * marks the current instance, ! a closed one.
  std::string Instances(const std::string& board);
  // The reply to EXEC of these commands.
  std::string Exec(const std::vector<std::string>& lines);

  // Executes the commands for `client`, without waiting for the replies. WATCH is per client.
  std::unique_ptr<TestPipeline> Begin(TestClient* client, const std::vector<std::string>& lines,
                                      bool transaction = false) {
    client->protocol = wire::Protocol::kResp3;
    return rig_.BeginLines(client, lines,
                           transaction ? EngineRig::As::kTransaction : EngineRig::As::kPipeline);
  }
  [[nodiscard]] engine::EmbeddedEngine& engine() { return rig_.engine(); }

  // Blocks every sync of a file until ReleaseDisk.
  void HoldDisk() { syncs_.Close(); }
  void ReleaseDisk() { syncs_.Open(); }
  // Cuts the power before the blocked sync takes effect, and starts another engine. The old engine
  // answers the questions that waited. REQUIRES: HoldDisk was called.
  void CutPowerWhileHeld();

 private:
  static EngineRig::Options Options();
  void StartAnew(std::unique_ptr<SimulatedFolder> left);

  TestClock clock_;
  base::Random random_;
  CallGate syncs_{IsSync};
  std::unique_ptr<SimulatedFolder> folder_;
  EngineRig rig_;
};

}  // namespace laurel::testing
