#include "tests/conformance/http_host.h"
#include "tests/conformance/leaderboard_hosts.h"
#include "tests/conformance/library_host.h"
#include "tests/conformance/module_host.h"
#include "tests/conformance/server_host.h"

namespace laurel::conformance {
namespace {

// For hosts that start a process for each episode.
constexpr std::uint64_t kShareOfProcesses = 500;

}  // namespace

const std::vector<NamedHost>& Hosts() {
  static const std::vector<NamedHost> kHosts = {
      {"Bare", [](std::uint64_t) -> std::unique_ptr<Host> { return std::make_unique<BareHost>(); }},
      {"Mirror",
       [](std::uint64_t) -> std::unique_ptr<Host> { return std::make_unique<MirrorHost>(); }},
      {"Server",
       [](std::uint64_t seed) -> std::unique_ptr<Host> {
         return std::make_unique<ServerHost>(seed);
       }},
      {"Http",
       [](std::uint64_t seed) -> std::unique_ptr<Host> { return std::make_unique<HttpHost>(seed); },
       kShareOfProcesses},
      {"Module",
       [](std::uint64_t seed) -> std::unique_ptr<Host> {
         return std::make_unique<ModuleHost>(seed);
       },
       kShareOfProcesses},
      {"Library",
       [](std::uint64_t) -> std::unique_ptr<Host> { return std::make_unique<LibraryHost>(); }},
  };
  return kHosts;
}

}  // namespace laurel::conformance
