// An embedded engine in the test's own process: in memory, on a simulated disk or in a real folder,
// with server callbacks, a client of its own, and any number of other clients.
//
// Commands are words, or lines whose words are separated by blanks. A failed start, an unknown
// command and a malformed reply throw std::runtime_error.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "engine/embedded/embedded_engine.h"
#include "laurel/result.h"
#include "tests/support/callbacks_and_pipeline.h"
#include "tests/support/test_clock.h"

namespace laurel::testing {

class EngineRig {
 public:
  using Options = engine::EmbeddedOptions;

  // A fixed hash seed, small segments and short waits; snapshots only when a test requests one.
  static Options Small();

  // Folder and clock must outlive the rig. Without a folder, boards are in memory only, and no
  // Start is needed.
  explicit EngineRig(const Options& options);
  EngineRig(base::Folder* folder, const base::Clock* clock, const Options& options = Small());

  // Opens the folder and loads its data.
  Result<engine::LoadReport> Start();
  void StartOrThrow();
  // Ends the engine and starts another with the same options: on the same folder, after a snapshot
  // if `snapshot`, or on `left`, the files that a crash left.
  void Restart(bool snapshot = false);
  void Restart(base::Folder* left);

  // Executes a command for the rig's own client and waits for the reply. One thread at a time.
  Value Ask(Words command) { return Begin(&client_, {std::move(command)})->Answer(); }
  Value Ask(std::string_view line) { return Ask(Split(line)); }
  std::string AskBytes(Words command) { return Begin(&client_, {std::move(command)})->Bytes(); }
  std::string AskBytes(std::string_view line) { return AskBytes(Split(line)); }
  // The reply to one command, or to EXEC of several. Calls `executed` after the engine executed
  // them, when the reply may still be waiting for the disk.
  std::string AskAllBytes(const std::vector<Words>& commands,
                          const std::function<void()>& executed = nullptr);

  // Execute commands without waiting for the replies. For any thread, with one client per thread.
  enum class As : std::uint8_t { kPipeline, kTransaction };
  std::unique_ptr<TestPipeline> Begin(TestClient* client, const std::vector<Words>& commands,
                                      As as = As::kPipeline);
  std::unique_ptr<TestPipeline> BeginLines(TestClient* client,
                                           const std::vector<std::string>& lines,
                                           As as = As::kPipeline);
  // Executes questions of several clients in one batch.
  void Execute(std::span<TestPipeline* const> questions);
  void Execute(TestPipeline* question) { Execute({&question, 1}); }

  // Does everything that is due by the clock.
  void Tick();

  // The client of Ask. RESP2 unless changed.
  [[nodiscard]] TestClient& client() { return client_; }
  [[nodiscard]] engine::EmbeddedEngine& engine() { return *engine_; }
  [[nodiscard]] TestCallbacks& callbacks() { return callbacks_; }
  [[nodiscard]] const TestCallbacks& callbacks() const { return callbacks_; }

 private:
  Options options_;
  TestCallbacks callbacks_;
  TestClient client_;
  std::optional<engine::EmbeddedEngine> engine_;
};

}  // namespace laurel::testing
