#include "cli/serve.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/assert.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/time_text.h"
#include "cli/arguments.h"
#include "cli/demo_boards.h"
#include "cli/load_progress.h"
#include "engine/make_engine.h"
#include "server/config/config.h"
#include "server/server.h"
#include "server/state/compatibility.h"
#include "server/state/log.h"
#include "wire/spec_arguments.h"

namespace laurel::cli {
namespace {

// What the ready line says about new keys. `patterns`: of all templates.
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
  for (const server::TemplateOption& declared : config.templates) {
    // The configuration has checked it.
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

// What the ready line says about --clock-offset.
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

}  // namespace

int Serve(std::span<const std::string_view> arguments, Boards boards, std::ostream& out,
          std::ostream& err) {
  const auto refuse = [&](const Error& error, int exit_code) {
    err << "laurel: " << error.message << std::endl;
    return exit_code;
  };
  const Result<server::ServeOptions> parsed = server::ParseServeOptions(arguments);
  if (!parsed.ok()) return refuse(parsed.error(), kExitUsage);
  if (parsed->help) {
    out << *parsed->help;
    return out.flush() ? kExitOk : kExitFailed;
  }
  server::Config config = parsed->config;
  if (const Status status = base::CheckClock(SystemNow() + config.clock_offset_us); !status.ok()) {
    return refuse(status.error(), kExitFailed);
  }
  if (boards == Boards::kDemo) {
    if (parsed->data_given) {
      return refuse({ErrorCode::kErr, "the demo keeps its boards in memory: --data is for serve"},
                    kExitUsage);
    }
    config.in_memory = true;
  }
  const engine::EngineOptions options = OptionsOf(config);
  if (const Status status = server::OpenLog(config.log_file, config.log_level); !status.ok()) {
    return refuse(status.error(), kExitFailed);
  }
  server::Server server(config);
  if (const Status status = server.Listen(); !status.ok()) {
    return refuse(status.error(), kExitFailed);
  }
  const Result<std::unique_ptr<engine::Engine>> made = engine::MakeEngine(options, &server);
  if (!made.ok()) return refuse(made.error(), kExitFailed);
  engine::Engine& engine = **made;
  if (const Status status = engine.Open(); !status.ok()) {
    return refuse(status.error(), kExitFailed);
  }
  std::optional<Error> failure;
  std::thread loader;
  const std::string addresses = server.Addresses();
  const auto load = [&] {
    LoadProgress progress(err);
    const auto report = engine.Load([&](std::uint64_t done_bytes, std::uint64_t total_bytes) {
      progress.Show({done_bytes, total_bytes});
      return !server.stopping();
    });
    progress.Finish();
    if (!report.ok()) {
      if (!server.stopping()) failure = report.error();
      return server.Stop();
    }
    if (!config.in_memory) LogReport(*report);
    if (boards == Boards::kDemo) FillDemoBoards(&engine);
    out << "laurel " << server::kLaurelVersion << " ready: " << addresses << ", "
        << WhereData(config) << ", " << NewKeys(report->templates) << ClockOffset(config)
        << std::endl;
    server::Log(server::LogLevel::kInfo, "serving on " + addresses);
    if (boards == Boards::kDemo) out << DemoHint(server.port()) << std::endl;
  };
  server.Run(&engine, [&] { loader = std::thread(load); });
  if (loader.joinable()) loader.join();
  engine.Close(server.last_snapshot());
  if (failure) return refuse(*failure, kExitFailed);
  server::Log(server::LogLevel::kInfo, "stopped");
  return kExitOk;
}

}  // namespace laurel::cli
