// Scenarios: operations with the answers that the rules of the product demand, in text files.
//
//   ## Rule 2: at equal scores the earlier stamp stands ahead
//   create TIE first
//   SUBMIT ann 10 => accepted rank ->1 score ->10 stamp +1
//   +1h                                  the clock goes on by an hour (-1h: is set back)
//   now 2026-11-16T00:00:00Z             the clock is set
//   advance                              the host does what is due by time
//   restart
//
// An operation is an LB command without "LB." and the board. The clock goes on by a second before
// each one, so every write without AT is stamped with its own moment. Stamps are shown in seconds
// since the scenario began, at 2026-11-15T12:00:00Z, a Sunday. "" is an empty word.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/host.h"

namespace laurel::conformance {

struct ScenarioLine {
  int number = 0;        // in the file
  std::string text;      // the operation, or what else happens
  std::string expected;  // of an operation
};

struct Scenario {
  std::string title;
  std::vector<ScenarioLine> lines;
};

// Throws if the file cannot be read or understood.
std::vector<Scenario> ReadScenarios(const std::string& path);

// Plays it on the host and on the model. Gives each line that was answered otherwise.
std::vector<std::string> Play(const Scenario& scenario, Host* host);

// The file with the model's answers in the place of those that are expected.
std::string WithAnswersOfTheModel(const std::string& path);

}  // namespace laurel::conformance
