// Compares two replies to the same command, as strictly as Redis' promises allow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/differential/step.h"

namespace laurel::differential {

// Compares the replies of one connection in order: some can only be checked against the reply
// before them.
//
// Replies with equal bytes are the same. Otherwise scores are compared by value, sets without
// order, and times relative to now within seconds. Random choices are compared by number and type,
// and each must be among the elements that the command before it listed.
class ReplyComparison {
 public:
  // Returns how `actual` differs from `expected`, both raw bytes; nothing if they are equivalent.
  std::optional<std::string> Compare(const Arguments& command, const std::string& expected,
                                     const std::string& actual);

 private:
  std::optional<std::string> CompareExec(const Value& expected, const Value& actual) const;

  std::string previous_;  // the reply before, of the reference server
  std::vector<Arguments> queued_;
};

// Compares the elements of two arrays without regard to order or repetition; `pairs`: names and
// scores alternate in the arrays.
std::optional<std::string> CompareAsSets(const std::vector<Value>& expected,
                                         const std::vector<Value>& actual, bool pairs);

// True if both texts mean the same number.
bool SameNumber(const std::string& a, const std::string& b);

}  // namespace laurel::differential
