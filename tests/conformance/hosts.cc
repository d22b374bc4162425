#include "tests/conformance/cluster_host.h"
#include "tests/conformance/http_host.h"
#include "tests/conformance/leaderboard_hosts.h"
#include "tests/conformance/library_host.h"
#include "tests/conformance/replicated_host.h"
#include "tests/conformance/server_host.h"

namespace laurel::conformance {
namespace {

// For hosts that are processes.
constexpr std::uint64_t kShareOfProcesses = 500;
constexpr std::uint64_t kShareOfClusters = 4000;

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
      {"ModuleAlone",
       [](std::uint64_t seed) -> std::unique_ptr<Host> {
         return std::make_unique<ReplicatedHost>(0, seed);
       },
       2 * kShareOfProcesses},
      {"ModuleWithReplicas",
       [](std::uint64_t seed) -> std::unique_ptr<Host> {
         return std::make_unique<ReplicatedHost>(2, seed);
       },
       kShareOfProcesses},
      {"ClusterPython",
       [](std::uint64_t seed) -> std::unique_ptr<Host> {
         return std::make_unique<ClusterHost>(ClusterClient::kPython, seed);
       },
       kShareOfClusters},
      {"ClusterNode",
       [](std::uint64_t seed) -> std::unique_ptr<Host> {
         return std::make_unique<ClusterHost>(ClusterClient::kNode, seed);
       },
       kShareOfClusters},
      {"Library",
       [](std::uint64_t) -> std::unique_ptr<Host> { return std::make_unique<LibraryHost>(); }},
  };
  return kHosts;
}

}  // namespace laurel::conformance
