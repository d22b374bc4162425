// The one rig for an embedded engine in this process: an engine in memory, on a simulated disk or
// in a real folder, with a host, a client of its own, and any number of others.
//
// Commands are words, or lines whose words are separated by blanks. What starts, asks or answers
// wrongly throws std::runtime_error.
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

  // The hash is always the same; segments, files and waits are small; snapshots are only taken when
  // a test asks for one.
  static Options Small();

  // Folder and clock outlive it. Without a folder, boards are in memory only, and no Start is
  // needed.
  explicit EngineRig(const Options& options);
  EngineRig(base::Folder* folder, const base::Clock* clock, const Options& options = Small());

  // Takes the folder and loads what is there.
  Result<engine::LoadReport> Start();
  void StartOrThrow();
  // Closes the engine, without a snapshot unless asked for, and starts another one with the same
  // options: on the same folder, or on what a crash left of it.
  void Restart(bool snapshot = false);
  void Restart(base::Folder* left);

  // The rig's own client asks and waits for the reply. One thread at a time.
  Value Ask(Words command) { return Begin(&client_, {std::move(command)})->Answer(); }
  Value Ask(std::string_view line) { return Ask(Split(line)); }
  std::string AskBytes(Words command) { return Begin(&client_, {std::move(command)})->Bytes(); }
  std::string AskBytes(std::string_view line) { return AskBytes(Split(line)); }
  // The reply to EXEC of several commands, or to one alone. `executed` runs when the engine has
  // executed them and the reply may still be waiting for the disk.
  std::string AskAllBytes(const std::vector<Words>& commands,
                          const std::function<void()>& executed = nullptr);

  // From any thread, each with a client of its own. They do not wait for replies.
  enum class As : std::uint8_t { kPipeline, kTransaction };
  std::unique_ptr<Question> Begin(TestClient* client, const std::vector<Words>& commands,
                                  As as = As::kPipeline);
  std::unique_ptr<Question> BeginLines(TestClient* client, const std::vector<std::string>& lines,
                                       As as = As::kPipeline);
  // Questions of several clients in one batch.
  void Execute(std::span<Question* const> questions);
  void Execute(Question* question) { Execute({&question, 1}); }

  // Does everything that is due by time.
  void Tick();

  // Of Ask. RESP2 unless changed.
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
