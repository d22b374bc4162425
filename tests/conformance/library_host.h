// The C++ library, called as a program would.
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
  // Also compares the announced closes with the instances of the board.
  void Advance() override;
  // Saves the board and restores it into a new collection.
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
  std::set<std::string> closed_;  // instances whose close was announced
  std::string trouble_;
};

}  // namespace laurel::conformance
