// An engine on a simulated disk with one client, which gives a line and gets the reply's bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/awaited_turn.h"
#include "engine/embedded/embedded_engine.h"
#include "tests/storage/simulated_files.h"
#include "wire/command_table.h"

namespace laurel::testing {

// Time stands still until it is set.
class SetClock : public base::Clock {
 public:
  [[nodiscard]] Stamp Now() const override { return now_; }
  void Set(Stamp now) { now_ = now; }

 private:
  std::atomic<Stamp> now_{0};
};

class OneClient : private engine::Host {
 public:
  // Loads what the folder holds. Folder and clock outlive it.
  OneClient(SimulatedFolder* folder, const base::Clock* clock)
      : engine_(Options(folder, clock), this) {
    if (const Status opened = engine_.Open(); !opened.ok()) {
      throw std::runtime_error(opened.error().message);
    }
    if (const Result<engine::LoadReport> loaded = engine_.Load(); !loaded.ok()) {
      throw std::runtime_error(loaded.error().message);
    }
  }
  ~OneClient() override { engine_.Close(false); }

  // Executes the lines in one hold of the lock, so that they are one record of the log, and waits
  // until they are on disk. From any thread.
  std::string Give(const std::vector<std::string>& lines) {
    std::vector<std::vector<std::string>> words;
    std::vector<std::vector<std::string_view>> arguments;
    for (const std::string& line : lines) {
      std::istringstream stream(line);
      words.emplace_back();
      for (std::string word; stream >> word;) words.back().push_back(word);
    }
    for (const auto& command : words) arguments.emplace_back(command.begin(), command.end());
    engine::Client client;
    engine::AwaitedTurn turn(&client);
    for (const auto& command : arguments) {
      const wire::Lookup found = wire::LookUp(command);
      if (found.command == nullptr) throw std::runtime_error("no command " + words[0][0]);
      turn.requests.push_back({found.command, wire::Protocol::kResp2, command});
    }
    engine::Turn* turns[] = {&turn};
    engine_.Execute(turns);
    turn.Await();
    return turn.replies;
  }

  void Tick() { engine_.Tick(); }
  // What it had to say to the administrative log since the last call; warnings begin with "! ".
  std::vector<std::string> TakeNotices() {
    const std::lock_guard lock(notices_mutex_);
    return std::exchange(notices_, {});
  }

 private:
  static engine::EmbeddedOptions Options(SimulatedFolder* folder, const base::Clock* clock) {
    engine::EmbeddedOptions options;
    options.folder = folder;
    options.clock = clock;
    return options;
  }

  void NoteTime(const engine::Request& /*request*/, const engine::Client& /*client*/,
                std::int64_t /*micros*/) override {}
  [[nodiscard]] std::size_t BufferBytes() const override { return 0; }
  void Notice(NoticeLevel level, const std::string& text) override {
    const std::lock_guard lock(notices_mutex_);
    notices_.push_back((level == NoticeLevel::kWarning ? "! " : "") + text);
  }

  std::mutex notices_mutex_;
  std::vector<std::string> notices_;
  engine::EmbeddedEngine engine_;
};

}  // namespace laurel::testing
