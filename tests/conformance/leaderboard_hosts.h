// Hosts in this process that hold a leaderboard::Leaderboard and nothing else.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>
#include <string>

#include "calendar/zone_calendar.h"
#include "core/store/environment.h"
#include "laurel/stamp_clock.h"
#include "leaderboard/leaderboard.h"
#include "tests/conformance/host.h"
#include "tests/leaderboard/mirror.h"

namespace laurel::conformance {

// A leaderboard whose effects are not recorded. It has no persistent form: a restart does nothing.
class BareHost : public Host {
 public:
  BareHost();

  void SetTime(Stamp now) override { now_ = now; }
  void Create(const Spec& spec) override;
  std::string Ask(const leaderboard::Operation& operation) override;
  void Advance() override;
  void Restart() override {}
  [[nodiscard]] bool Takes(const leaderboard::Operation& /*operation*/) const override {
    return true;
  }
  [[nodiscard]] std::string Check() const override { return board_->Validate(); }

 private:
  core::Environment environment_;
  calendar::ZoneCalendars calendars_;
  StampClock stamps_;
  Stamp now_ = 0;
  std::unique_ptr<leaderboard::Leaderboard> board_;
  leaderboard::Decision decision_;
};

// A leaderboard and its mirror, which are compared after each operation. A restart rebuilds the
// mirror from a walk and continues with it as the board.
class MirrorHost : public Host {
 public:
  void SetTime(Stamp now) override;
  void Create(const Spec& spec) override;
  std::string Ask(const leaderboard::Operation& operation) override;
  void Advance() override;
  void Restart() override;
  [[nodiscard]] bool Takes(const leaderboard::Operation& /*operation*/) const override {
    return true;
  }
  [[nodiscard]] std::string Check() const override { return mirror_->Compare(); }

 private:
  Stamp now_ = 0;
  std::unique_ptr<leaderboard::Mirror> mirror_;
};

}  // namespace laurel::conformance
