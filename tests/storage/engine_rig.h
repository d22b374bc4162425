// An embedded engine on a simulated disk, a clock that a test moves, and what is in a folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "engine/embedded/embedded_engine.h"
#include "engine/embedded/restorer.h"
#include "laurel/result.h"
#include "storage/recovery.h"

namespace laurel::testing {

// The number in an environment variable.
std::optional<std::uint64_t> NumberFromEnvironment(const char* name);
// LAUREL_TEST_SEED, or a random number; printed.
std::uint64_t TestSeed();

class ScriptedClock : public base::Clock {
 public:
  [[nodiscard]] Stamp Now() const override { return now_; }
  void Move(Stamp micros) { now_ += micros; }

 private:
  std::atomic<Stamp> now_{1'700'000'000'000'000};
};

class QuietHost : public engine::Host {
 public:
  void NoteTime(const engine::Request& request, const engine::Client& client,
                std::int64_t micros) override;
  [[nodiscard]] std::size_t BufferBytes() const override { return 0; }
  void Notice(NoticeLevel level, const std::string& text) override;

  [[nodiscard]] std::string notices() const;

 private:
  mutable std::mutex mutex_;
  std::string notices_;
};

using Words = std::vector<std::string>;

// An engine and one client of it. From one thread.
class EngineRig {
 public:
  struct Options {
    storage::LogOptions log;
    engine::KeeperOptions keeper;
    std::uint64_t hash_seed = 1;
    core::Shape shape;
    std::int64_t live_interval_us = 1000;
  };

  // Segments, files and waits are small.
  static Options Small();

  // `folder` and `clock` outlive it. Without a folder boards are in memory only.
  EngineRig(base::Folder* folder, const base::Clock* clock, const Options& options);

  Result<engine::LoadReport> Start();
  // Executes and waits for the reply. A transaction if there are several commands.
  std::string Ask(const Words& command) { return Ask(std::vector<Words>{command}); }
  std::string Ask(const std::vector<Words>& commands);
  // The same, in two steps. `executed` runs when the engine has the command and the reply may still
  // be waiting for the disk.
  std::string Ask(const std::vector<Words>& commands, const std::function<void()>& executed);

  [[nodiscard]] engine::EmbeddedEngine& engine() { return *engine_; }
  [[nodiscard]] const QuietHost& host() const { return host_; }

 private:
  QuietHost host_;
  engine::Client client_;
  std::unique_ptr<engine::EmbeddedEngine> engine_;
};

// What is in a folder, read without an engine, in a keyspace of its own.
class FolderContents {
 public:
  // `on_batch` is called after each batch, while the keyspace is being restored.
  using OnBatch = std::function<void(std::uint64_t number, engine::Keyspace& keys)>;

  explicit FolderContents(base::Folder* folder, const OnBatch& on_batch = nullptr,
                          const storage::RecoverOptions& options = {});

  [[nodiscard]] bool ok() const { return recovery_.ok(); }
  [[nodiscard]] const std::string& error() const { return recovery_.error().message; }
  [[nodiscard]] const storage::Recovery& recovery() const { return *recovery_; }
  [[nodiscard]] engine::Keyspace& keys() { return keys_; }
  // REQUIRES: ok().
  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }

 private:
  engine::Keyspace keys_;
  Result<storage::Recovery> recovery_;
  std::uint64_t digest_ = 0;
  Stamp last_stamp_ = 0;
};

}  // namespace laurel::testing
