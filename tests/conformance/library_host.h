// The C++ library, as a program uses it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "laurel/boards.h"
#include "laurel/calendar.h"
#include "laurel/stamp_clock.h"
#include "tests/conformance/host.h"

namespace laurel::conformance {

class LibraryHost : public Host {
 public:
  LibraryHost();

  void SetTime(Stamp now) override { now_ = now; }
  void Create(const Spec& spec) override;
  std::string Ask(const leaderboard::Operation& operation) override;
  // Compares what is announced with what the board has.
  void Advance() override;
  // Saves the board, and restores it into another collection.
  void Restart() override;
  [[nodiscard]] bool Takes(const leaderboard::Operation& operation) const override;
  [[nodiscard]] std::string Check() const override;

 private:
  [[nodiscard]] Boards NoBoards() const;
  void NoteClosed(const ClosedPeriod& closed);

  std::shared_ptr<const Calendars> calendars_;
  Boards boards_;
  StampClock stamps_;
  Stamp now_ = 0;
  std::set<std::string> closed_;  // instances that were announced
  std::string trouble_;
};

}  // namespace laurel::conformance
