#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/time_text.h"
#include "cli/arguments.h"
#include "cli/demo_boards.h"
#include "cli/program_commands.h"
#include "engine/make_engine.h"
#include "server/config/compatibility.h"
#include "server/config/config.h"
#include "server/figures/process_usage.h"
#include "server/logs/server_log.h"
#include "server/server.h"
#include "transfer/report/load_progress.h"
#include "wire/spec_arguments.h"

namespace laurel::cli {
namespace {

// Returns the part of the ready line about new keys. `patterns`: those of all templates.
std::string NewKeys(const std::vector<std::string>& patterns) {
  constexpr std::size_t kMostShown = 5;
  if (patterns.empty()) return "new keys are sorted sets";
  if (std::find(patterns.begin(), patterns.end(), "*") != patterns.end()) {
    return "new keys are leaderboards";
  }
  std::string text = "new keys are leaderboards under";
  const std::size_t shown = std::min(patterns.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? " " : ", ") + base::Quote(patterns[i]);
  if (shown < patterns.size()) {
    text += " and " + std::to_string(patterns.size() - shown) + " more patterns";
  }
  return text + ", sorted sets otherwise";
}

engine::EngineOptions OptionsOf(const server::Config& config) {
  engine::EngineOptions options;
  options.max_reply_bytes = config.max_reply;
  options.max_memory_bytes = config.max_memory;
  options.max_work = config.max_work;
  options.max_exec_entries = config.max_exec_entries;
  for (const server::TemplateOption& declared : config.templates) {
    // valid: the configuration was checked
    options.templates.push_back({declared.pattern, wire::ParseSpecLine(declared.spec)->spec});
  }
  options.clock_offset_us = config.clock_offset_us;
  if (config.in_memory) return options;
  options.data = config.data;
  options.fsync = config.fsync == "always"     ? engine::Fsync::kAlways
                  : config.fsync == "everysec" ? engine::Fsync::kEverySec
                                               : engine::Fsync::kOff;
  options.log_segment_bytes = config.log_segment;
  options.snapshot_log_bytes = config.snapshot_log;
  options.keep_log_bytes = config.keep_log;
  options.keep_log_us = config.keep_log_us;
  options.disk_reserve_bytes = config.disk_reserve;
  return options;
}

std::string WhereData(const server::Config& config) {
  if (config.in_memory) return "data in memory";
  return "data in " + config.data + " (fsync " + config.fsync + ")";
}

// Returns the part of the ready line about --clock-offset.
std::string ClockOffset(const server::Config& config) {
  if (config.clock_offset_us == 0) return "";
  return ", clock " + base::FormatDuration(config.clock_offset_us) + " ahead";
}

void LogReport(const engine::LoadReport& report) {
  using server::Log;
  using server::LogLevel;
  for (const std::string& warning : report.warnings) Log(LogLevel::kWarn, warning);
  Log(LogLevel::kInfo, "loaded " + std::to_string(report.boards) + " boards: " +
                           std::to_string(report.snapshot_entries) + " entries of a snapshot, " +
                           std::to_string(report.batches) + " batches of the log, in " +
                           std::to_string(report.micros / 1000) + " ms");
}

// Returns the configuration to serve with. The demo keeps its boards in a temporary folder.
Result<server::Config> ConfigOf(const server::ServeOptions& parsed, Boards boards,
                                std::optional<base::TemporaryFolder>* folder) {
  server::Config config = parsed.config;
  if (boards != Boards::kDemo || config.in_memory) return config;
  if (parsed.data_given) {
    return Error{ErrorCode::kErr,
                 "the demo keeps its boards in a temporary folder: --data is for serve"};
  }
  std::error_code ignored;
  folder->emplace(std::filesystem::temp_directory_path(ignored), "laurel-demo");
  config.in_memory = !(*folder)->exists();
  config.data = config.in_memory ? "" : (*folder)->path();
  return config;
}

// Reads the configuration of a running server again. The demo keeps its folder.
Result<server::Config> ReadAgain(std::span<const std::string_view> arguments,
                                 const std::string& path, const server::Config& running,
                                 Boards boards) {
  // A pipe was read to its end at the start, and would now be empty.
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) {
    return Error{ErrorCode::kErr, "--config: " + base::Quote(path) +
                                      " is no regular file, and cannot be read again"};
  }
  const Result<server::ServeOptions> parsed = server::ParseServeOptions(arguments);
  if (!parsed.ok()) return parsed.error();
  server::Config config = parsed->config;
  if (boards == Boards::kDemo) {
    config.data = running.data;
    config.in_memory = running.in_memory;
  }
  return config;
}

// One run of the server, from loading its boards to closing the engine.
class ServerRun {
 public:
  ServerRun(const server::Config& config, Boards boards, server::Server* server,
            engine::Engine* engine, std::ostream& out, std::ostream& err)
      : config_(config),
        boards_(boards),
        server_(*server),
        engine_(*engine),
        out_(out),
        err_(err) {}

  // Serves until the server stops, then closes the engine. Clients can connect while the boards are
  // loaded. Returns the error if loading fails.
  Status Run() {
    std::optional<Result<std::thread>> loader;
    server_.Run(&engine_, [&] {
      loader = base::StartThread([this] { Load(); });
      if (!loader->ok()) Fail(loader->error());
    });
    if (loader && loader->ok()) (*loader)->join();
    traffic_.reset();
    engine_.Close(server_.last_snapshot());
    if (failure_) return *failure_;
    return Ok{};
  }

 private:
  // Runs in a separate thread. Stops the server if the boards cannot be loaded.
  void Load() {
    transfer::LoadProgress progress(err_);
    const auto report = engine_.Load([&](std::uint64_t done_bytes, std::uint64_t total_bytes) {
      progress.Show({done_bytes, total_bytes});
      return !server_.stopping();
    });
    progress.Finish();
    if (!report.ok()) return Fail(report.error());
    if (!config_.in_memory) LogReport(*report);
    if (boards_ == Boards::kDemo) {
      FillDemoBoards(&engine_, SystemNow() + config_.clock_offset_us);
      traffic_.emplace(&engine_);
    }
    ReportReady(*report);
  }

  void Fail(const Error& error) {
    if (!server_.stopping()) failure_ = error;
    server_.Stop();
  }

  void ReportReady(const engine::LoadReport& report) {
    out_ << "laurel " << server::kLaurelVersion << " ready: " << addresses_ << ", "
         << WhereData(config_) << ", " << NewKeys(report.templates) << ClockOffset(config_)
         << std::endl;
    server::Log(server::LogLevel::kInfo, "serving on " + addresses_);
    if (boards_ == Boards::kDemo)
      out_ << DemoHint(server_.port(), server_.http_port()) << std::endl;
  }

  const server::Config& config_;
  const Boards boards_;
  server::Server& server_;
  engine::Engine& engine_;
  std::ostream& out_;
  std::ostream& err_;
  const std::string addresses_ = server_.Addresses();
  std::optional<DemoTraffic> traffic_;
  std::optional<Error> failure_;  // the error of Load, unless the server was stopping
};

}  // namespace

int Serve(std::span<const std::string_view> arguments, Boards boards, std::ostream& out,
          std::ostream& err) {
  const Result<server::ServeOptions> parsed = server::ParseServeOptions(arguments);
  if (!parsed.ok()) return Refuse(err, parsed.error(), kExitUsage);
  if (parsed->help) {
    return Print(out, boards == Boards::kDemo ? DemoHelp() : *parsed->help);
  }
  const Stamp now = SystemNow() + parsed->config.clock_offset_us;
  if (const Status status = base::CheckClock(now); !status.ok()) {
    return Refuse(err, status.error());
  }
  std::optional<base::TemporaryFolder> folder;
  const Result<server::Config> config = ConfigOf(*parsed, boards, &folder);
  if (!config.ok()) return Refuse(err, config.error(), kExitUsage);
  const engine::EngineOptions options = OptionsOf(*config);
  if (const Status status = server::OpenLog(config->log_file, config->log_level); !status.ok()) {
    return Refuse(err, status.error());
  }
  server::MapLargeBlocks();
  server::Server server(*config);
  if (parsed->config_path) {
    server.set_reread([&] { return ReadAgain(arguments, *parsed->config_path, *config, boards); });
  }
  if (const Status status = server.Listen(); !status.ok()) {
    return Refuse(err, status.error());
  }
  const Result<std::unique_ptr<engine::Engine>> made = engine::MakeEngine(options, &server);
  if (!made.ok()) return Refuse(err, made.error());
  if (const Status status = (*made)->Open(); !status.ok()) {
    return Refuse(err, status.error());
  }
  const Status served = ServerRun(*config, boards, &server, made->get(), out, err).Run();
  if (!served.ok()) return Refuse(err, served.error());
  server::Log(server::LogLevel::kInfo, "stopped");
  return kExitOk;
}

}  // namespace laurel::cli
