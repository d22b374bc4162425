// An engine on a simulated disk, a clock that a test sets, restarts of every kind, and what boards
// with windows and periods reply as short texts.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {

inline constexpr Stamp kMicros = 1;
inline constexpr Stamp kSecond = 1'000'000;
inline constexpr Stamp kMinute = 60 * kSecond;
inline constexpr Stamp kHour = 60 * kMinute;
inline constexpr Stamp kDay = 24 * kHour;

// The moment of a text such as "2026-03-29T01:00:00Z". Throws if it is none.
Stamp Moment(std::string_view text);
// As an argument: "1700000000000000us".
std::string Micros(Stamp moment);

// A reply without the mark `duplicate`; adds to `marks` for each.
Value WithoutDuplicateMark(const Value& value, int* marks);

enum class Ending : std::uint8_t {
  kClosed,    // in order
  kSaved,     // with a snapshot
  kKilled,    // at once; what was written to files is there
  kPowerCut,  // at once; what was not synced is lost or torn
};

inline constexpr Ending kEndings[] = {Ending::kClosed, Ending::kSaved, Ending::kKilled,
                                      Ending::kPowerCut};

std::string_view EndingName(Ending ending);

// Commands are lines, their words apart by blanks. Replies are asked for in RESP3.
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
  // Everything that is due by time.
  void Tick() { rig_.Tick(); }
  // A question under way is one that the engine that goes still answers, after the moment at which
  // a kill or a power cut has it.
  void Restart(Ending ending, Question* under_way = nullptr);

  Value Get(std::string_view line) { return rig_.Ask(line); }
  // The same for words that have blanks in them, or are empty.
  Value Send(const Words& words) { return rig_.Ask(words); }
  // The reply as Value::Plain has it; in RESP2 by a client that asks nothing else.
  std::string Ask(std::string_view line) { return Get(line).Plain(); }
  std::string AskInResp2(std::string_view line);
  // The code of an error, or all of the reply if it is none.
  std::string Code(std::string_view line);
  // "accepted nil->1 nil->100", and where they apply " needs=20", " hidden", " duplicate" and
  // " week(…)" for each other period. Of several members: one text each, apart by "; ".
  std::string Verdict(std::string_view line) { return VerdictText(Get(line)); }
  static std::string VerdictText(const Value& verdict);
  // "1:ann=100 2:bob=90,3".
  std::string Entries(std::string_view line);
  std::string Top(const std::string& board) { return Entries("LB.TOP " + board + " 100"); }
  // The stamp of a member's entry, or -1 without one.
  Stamp StampOf(const std::string& board, const std::string& member);
  // Every read of a board or an instance, with '?' for its name; none has an effect.
  static const std::vector<std::string>& Reads();
  // The replies to all of them, one line each.
  std::string ReadAll(const std::string& board);
  // LB.PERIODS and every read of each instance it names.
  std::string ReadAllPeriods(const std::string& board);
  // "day:2026-11-15=3* day:2026-11-14=2! all=5*": the instances that LB.PERIODS lists, with their
  // sizes; * is the present one, ! is closed.
  std::string Instances(const std::string& board);
  // The reply to EXEC of these.
  std::string Exec(const std::vector<std::string>& lines);

  // On a connection of its own; what a connection watches stays with it.
  std::unique_ptr<Question> Begin(TestClient* client, const std::vector<std::string>& lines,
                                  bool transaction = false) {
    client->protocol = wire::Protocol::kResp3;
    return rig_.BeginLines(client, lines,
                           transaction ? EngineRig::As::kTransaction : EngineRig::As::kPipeline);
  }
  [[nodiscard]] engine::EmbeddedEngine& engine() { return rig_.engine(); }

  // No sync of a file ends until Release.
  void HoldDisk();
  void ReleaseDisk();
  // The power goes before the sync that is held, and comes back. What waited is answered by the
  // engine that is gone. REQUIRES: HoldDisk.
  void CutPowerWhileHeld();

 private:
  static EngineRig::Options Options();
  std::function<void(const Call&)> WaitWhileHeld();
  void StartAnew(std::unique_ptr<SimulatedFolder> left);

  TestClock clock_;
  base::Random random_;
  std::mutex disk_mutex_;
  std::condition_variable disk_released_;
  bool disk_held_ = false;
  std::unique_ptr<SimulatedFolder> folder_;
  EngineRig rig_;
};

}  // namespace laurel::testing
