// Are two replies to the same command the same, as far as Redis promises anything?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/differential/step.h"

namespace laurel::differential {

// The replies of one connection, in order: some can only be judged by those before them.
//
// Equal bytes are the same. Beyond that, scores are compared by value, sets without order, times
// that count from now within seconds; and random choices by number and kind, each being among what
// the command before it listed.
class ReplyComparison {
 public:
  // What is wrong with `actual`, as raw bytes; none if it is as good as `expected`.
  std::optional<std::string> Compare(const Arguments& command, const std::string& expected,
                                     const std::string& actual);

 private:
  std::optional<std::string> CompareExec(const Value& expected, const Value& actual) const;

  std::string previous_;  // the reply before, of the server that is taken to be right
  std::vector<Arguments> queued_;
};

// Compares the elements of two arrays without regard to order or repetition; `pairs`: the elements
// are names and scores in pipeline.
std::optional<std::string> CompareAsSets(const std::vector<Value>& expected,
                                         const std::vector<Value>& actual, bool pairs);

// The same number, however it is written.
bool SameNumber(const std::string& a, const std::string& b);

}  // namespace laurel::differential
