#include "cli/serve.h"

#include <string>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "cli/demo_boards.h"
#include "engine/embedded/embedded_engine.h"
#include "engine/spec_arguments.h"
#include "server/compatibility.h"
#include "server/config.h"
#include "server/log.h"
#include "server/server.h"

namespace laurel::cli {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

// What the ready line says of names that are not there yet.
std::string NewKeys(const std::vector<server::TemplateOption>& templates) {
  if (templates.empty()) return "new keys are sorted sets";
  std::string text = "new keys are leaderboards under";
  for (std::size_t i = 0; i < templates.size(); ++i) {
    text += (i == 0 ? " " : ", ") + base::Quote(templates[i].pattern);
    if (templates[i].pattern == "*") return "new keys are leaderboards";
  }
  return text + ", sorted sets otherwise";
}

Result<engine::EmbeddedOptions> EngineOptions(const server::Config& config) {
  engine::EmbeddedOptions options;
  options.max_reply_bytes = config.max_reply;
  options.max_memory_bytes = config.max_memory;
  for (const server::TemplateOption& declared : config.templates) {
    const Result<Spec> spec = engine::ParseSpecLine(declared.spec);
    if (!spec.ok()) {
      return Error{ErrorCode::kErr,
                   "template " + base::Quote(declared.pattern) + ": " + spec.error().message};
    }
    options.templates.push_back({declared.pattern, *spec});
  }
  return options;
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
  const server::Config& config = parsed->config;
  const Result<engine::EmbeddedOptions> options = EngineOptions(config);
  if (!options.ok()) return refuse(options.error(), kExitUsage);
  if (const Status status = server::OpenLog(config.log_file, config.log_level); !status.ok()) {
    return refuse(status.error(), kExitFailed);
  }
  server::Server server(config);
  if (const Status status = server.Listen(); !status.ok()) {
    return refuse(status.error(), kExitFailed);
  }
  engine::EmbeddedEngine engine(*options, &server);
  if (boards == Boards::kDemo) FillDemoBoards(&engine);
  const std::string addresses = server.Addresses();
  server.Run(&engine, [&] {
    out << "laurel " << server::kLaurelVersion << " ready: " << addresses << ", data in memory, "
        << NewKeys(config.templates) << std::endl;
    server::Log(server::LogLevel::kInfo, "serving on " + addresses);
    if (boards == Boards::kDemo) out << DemoHint(server.port()) << std::endl;
  });
  server::Log(server::LogLevel::kInfo, "stopped");
  return kExitOk;
}

}  // namespace laurel::cli
