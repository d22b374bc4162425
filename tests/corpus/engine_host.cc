#include <atomic>
#include <map>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "engine/awaited_pipeline.h"
#include "engine/embedded/embedded_engine.h"
#include "tests/corpus/corpus_host.h"
#include "tests/storage/simulated_files.h"
#include "wire/command_table.h"
#include "wire/reply.h"

namespace laurel::corpus {
namespace {

// 2026-11-15 12:00:00 UTC, a Sunday.
constexpr Stamp kStart = 1'794'744'000'000'000;

class StandingClock : public base::Clock {
 public:
  [[nodiscard]] Stamp Now() const override { return now_; }
  void Set(Stamp now) { now_ = now; }

 private:
  std::atomic<Stamp> now_{kStart};
};

class SilentCallbacks : public engine::ServerCallbacks {
 public:
  void NoteTime(const engine::Request& /*request*/, const engine::Client& /*client*/,
                std::int64_t /*micros*/) override {}
  [[nodiscard]] std::size_t BufferBytes() const override { return 0; }
  void Notice(NoticeLevel /*level*/, const std::string& /*text*/) override {}
};

// Replies to INFO, which the server executes, with an empty text; the corpus masks it.
class SilentInfo : public engine::LocalCommand {
 public:
  void Run(const engine::Request& /*request*/, const engine::MeasureFunction& /*measure*/,
           wire::Reply* reply) override {
    reply->Verbatim("");
  }
};

class CorpusPipeline : public engine::AwaitedPipeline {
 public:
  using AwaitedPipeline::AwaitedPipeline;
  void Blocked(std::int64_t /*deadline_ms*/) override { waits_ = true; }
  [[nodiscard]] bool waits() const { return waits_; }

 private:
  bool waits_ = false;
};

void Set(const std::string& option, engine::EmbeddedOptions* options) {
  const std::size_t sign = std::min(option.find('='), option.size());
  const std::string name = option.substr(0, sign);
  const auto value = std::stoull(option.substr(sign + 1));
  if (name == "max-memory") {
    options->max_memory_bytes = value;
  } else if (name == "max-reply") {
    options->max_reply_bytes = value;
  } else if (name == "max-work") {
    options->max_work = value;
  } else if (name == "max-exec-entries") {
    options->max_exec_entries = value;
  } else {
    throw std::runtime_error("no option " + option);
  }
}

class EngineHost : public CorpusHost {
 public:
  explicit EngineHost(Protocol protocol)
      : protocol_(protocol == Protocol::kResp2 ? wire::Protocol::kResp2 : wire::Protocol::kResp3) {
    Start({});
  }
  ~EngineHost() override { Stop(); }

  std::optional<std::string> Ask(const std::string& client, const Words& command) override {
    const std::vector<std::string_view> arguments(command.begin(), command.end());
    const wire::Lookup found = wire::LookUp(arguments);
    if (found.command == nullptr) {  // as a session of the server does
      std::string reply;
      wire::Reply(&reply, protocol_).Error(found.error);
      return reply;
    }
    return Execute(client, MakeRequest(*found.command, arguments));
  }

  std::string Exec(const std::string& client, const std::vector<Words>& commands) override {
    std::vector<std::vector<std::string_view>> arguments;
    std::vector<engine::Request> requests;
    for (const Words& command : commands) arguments.emplace_back(command.begin(), command.end());
    for (const auto& command : arguments) {
      const wire::Lookup found = wire::LookUp(command);
      if (found.command == nullptr) throw std::runtime_error("EXEC of " + found.error);
      requests.push_back(MakeRequest(*found.command, command));
    }
    const engine::Transaction transaction{{}, requests};
    const std::vector<std::string_view> exec = {"EXEC"};
    engine::Request request{wire::LookUp(exec).command, protocol_, exec};
    request.transaction = &transaction;
    return Execute(client, request).value();
  }

  std::string Await(const std::string& client) override {
    std::unique_ptr<CorpusPipeline> pipeline = std::move(clients_[client].pipeline);
    if (pipeline == nullptr) throw std::runtime_error(client + " does not wait");
    pipeline->Await();
    return pipeline->replies;
  }

  std::string Cancel(const std::string& client, bool error) override {
    engine_->Cancel(clients_[client].pipeline.get(),
                    error ? engine::Wakeup::kError : engine::Wakeup::kTimeout);
    return Await(client);
  }

  void SetTime(Stamp now) override { clock_.Set(now); }
  void MoveTime(Stamp micros) override { clock_.Set(clock_.Now() + micros); }

  void Tick() override {
    while (engine_->Tick()) {
    }
    // The reply to a write waits until all earlier effects are durable.
    Ask("tick", {"ZADD", "~tick", "1", "tick"});
    Ask("tick", {"ZREM", "~tick", "tick"});
  }

  void Restart(bool saved, const Words& options) override {
    Stop(saved);
    Start(options);
  }

 private:
  struct Conversation {
    engine::Client client;
    std::unique_ptr<CorpusPipeline> pipeline;  // while the client is blocked
  };

  [[nodiscard]] engine::Request MakeRequest(const wire::CommandInfo& command,
                                            std::span<const std::string_view> arguments) {
    engine::Request request{&command, protocol_, arguments};
    if (command.id == wire::CommandId::kInfo) {
      request.local = &info_;
      return request;
    }
    if (!command.IsForEngine()) {
      throw std::runtime_error(std::string(command.name) + " is not the engine's: use a server");
    }
    return request;
  }

  std::optional<std::string> Execute(const std::string& client, const engine::Request& request) {
    Conversation& conversation = clients_[client];
    if (conversation.pipeline != nullptr) throw std::runtime_error(client + " waits");
    auto pipeline = std::make_unique<CorpusPipeline>(&conversation.client);
    pipeline->requests.push_back(request);
    engine::Pipeline* pipelines[] = {pipeline.get()};
    engine_->Execute(pipelines);
    if (pipeline->waits()) {
      conversation.pipeline = std::move(pipeline);
      return std::nullopt;
    }
    pipeline->Await();
    return pipeline->replies;
  }

  void Start(const Words& settings) {
    engine::EmbeddedOptions options;
    options.hash_seed = 1;
    options.clock = &clock_;
    options.folder = &folder_;
    options.keeper.snapshot_log_bytes = std::uint64_t{1} << 40;  // only on request
    options.keeper.keep_log_us = INT64_MAX / 2;                  // wherever the clock moves
    for (const std::string& setting : settings) Set(setting, &options);
    engine_ = std::make_unique<engine::EmbeddedEngine>(options, &callbacks_);
    if (const Status opened = engine_->Open(); !opened.ok()) {
      throw std::runtime_error(opened.error().message);
    }
    if (const Result<engine::LoadReport> loaded = engine_->Load(); !loaded.ok()) {
      throw std::runtime_error(loaded.error().message);
    }
  }

  void Stop(bool saved = false) {
    for (auto& [name, conversation] : clients_) {
      if (conversation.pipeline != nullptr) {
        engine_->Cancel(conversation.pipeline.get(), engine::Wakeup::kGone);
      }
      engine_->Forget(&conversation.client);
    }
    engine_->Close(saved);
    engine_.reset();
    clients_.clear();
  }

  wire::Protocol protocol_;
  StandingClock clock_;
  SilentInfo info_;
  SilentCallbacks callbacks_;
  testing::SimulatedFolder folder_;
  std::map<std::string, Conversation> clients_;
  std::unique_ptr<engine::EmbeddedEngine> engine_;
};

}  // namespace

std::unique_ptr<CorpusHost> MakeEngineHost(Protocol protocol) {
  return std::make_unique<EngineHost>(protocol);
}

}  // namespace laurel::corpus
