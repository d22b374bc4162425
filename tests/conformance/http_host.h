// A real server, asked over HTTP.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/random.h"
#include "laurel/spec.h"
#include "server/durable_server.h"
#include "server/file_clock.h"
#include "tests/conformance/host.h"
#include "tests/conformance/http_exchange.h"

namespace laurel::conformance {

class HttpHost : public Host {
 public:
  explicit HttpHost(std::uint64_t seed);

  // The first call starts the server.
  void SetTime(Stamp now) override;
  void Create(const Spec& spec) override;
  std::string Ask(const leaderboard::Operation& operation) override;
  void Advance() override;
  // By SIGTERM or by SIGKILL.
  void Restart() override;
  // What LB commands express.
  [[nodiscard]] bool Takes(const leaderboard::Operation& operation) const override;
  [[nodiscard]] std::string Check() const override { return trouble_; }

 private:
  void Start();
  // Checks the version of a page of the board or of an instance.
  void CompareVersion();
  // Checks that an instance closes once: the cursor of its close event never changes.
  void CompareCloses();

  base::Random random_;
  black_box::FileClock clock_;
  black_box::DurableServer server_;
  HttpExchange exchange_;
  Spec spec_;
  std::map<std::string, std::string> closes_;  // cursors of close events, by instance name
  std::string trouble_;
};

}  // namespace laurel::conformance
