// Scenarios: text files of operations with the answers that the rules of the product require.
//
//   ## Rule 2: at equal scores the earlier stamp stands ahead
//   create TIE first
//   SUBMIT ann 10 => accepted rank ->1 score ->10 stamp +1
//   +1h                                  moves the clock forward by an hour (-1h: back)
//   now 2026-11-16T00:00:00Z             sets the clock
//   advance                              the host does what is due by the clock
//   restart
//
// An operation is an LB command without "LB." and the board. The clock advances by a second before
// each operation, so every write without AT has its own stamp. Stamps are shown in seconds since
// the start of the scenario, 2026-11-15T12:00:00Z, a Sunday. "" is an empty word.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/host.h"

namespace laurel::conformance {

struct ScenarioLine {
  int number = 0;        // in the file
  std::string text;      // an operation or another step
  std::string expected;  // the answer to an operation
};

struct Scenario {
  std::string title;
  std::vector<ScenarioLine> lines;
};

// Throws if the file cannot be read, or has a line before the first title.
std::vector<Scenario> ReadScenarios(const std::string& path);

// Plays the scenario on the host and on the model. Returns a text for each answer that differs from
// the expected one.
std::vector<std::string> Play(const Scenario& scenario, Host* host);

// The text of the file, with the expected answers replaced by the model's.
std::string WithAnswersOfTheModel(const std::string& path);

}  // namespace laurel::conformance
