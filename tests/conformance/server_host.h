// The embedded engine on a simulated disk, with LB commands as requests and replies in RESP3.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/conformance/host.h"
#include "tests/conformance/operation_words.h"
#include "tests/seasons/season_rig.h"

namespace laurel::conformance {

class ServerHost : public Host {
 public:
  explicit ServerHost(std::uint64_t seed);
  ~ServerHost() override;

  void SetTime(Stamp now) override { engine_.SetTime(now); }
  void Create(const Spec& spec) override;
  std::string Ask(const leaderboard::Operation& operation) override;
  // Also begins a snapshot now and then, which runs beside later operations.
  void Advance() override;
  // At random: orderly, after a snapshot, by a kill or by a power cut.
  void Restart() override;
  [[nodiscard]] bool Takes(const leaderboard::Operation& operation) const override;
  [[nodiscard]] std::string Check() const override { return trouble_; }

 private:
  [[nodiscard]] std::optional<Words> CommandOf(const leaderboard::Operation& operation) const;
  void FinishSave();
  // Checks that an instance closes once: the cursor of its close event never changes.
  void CompareCloses(const testing::Value& periods);

  static constexpr InstanceWords kInstances = InstanceWords::kByPeriod;

  base::Random random_;
  testing::Season engine_;
  testing::TestClient saver_;
  std::unique_ptr<testing::TestPipeline> saving_;
  Spec spec_;
  std::map<std::string, std::string> closes_;  // cursors of close events, by instance name
  std::string trouble_;
};

}  // namespace laurel::conformance
