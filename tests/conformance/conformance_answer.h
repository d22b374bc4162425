// Answers as text, in the form that all hosts have in common.
#pragma once

#include <string>

#include "tests/leaderboard/text_answer.h"

namespace laurel::conformance {

// A refusal is "!" and its code, because messages differ between hosts. A description omits what
// differs between hosts: sizes in bytes, and the number of ids, some of which may have expired.
class ConformanceAnswer : public leaderboard::TextAnswer {
 public:
  void Refused(const Error& error) override { Set("!" + std::string(ErrorName(error.code))); }
  void ShowDescription(const leaderboard::Description& description) override {
    const Spec& spec = *description.spec;
    Set("policy " + std::string(PolicyName(spec.policy)) + " tie " +
        std::string(TieName(spec.tie)) + " cap " + std::to_string(spec.cap) + " size " +
        std::to_string(description.size) + " hidden " + std::to_string(description.hidden));
  }
};

// An answer of the model. A refusal lists all codes that a host may report: "!CLOSED OVERFLOW".
class ModelAnswer : public ConformanceAnswer {
 public:
  void Refused(const Error& error) override { Set("!" + error.message); }
};

// Whether a host's answer equals the model's, or reports one of the codes that the model lists.
inline bool Agrees(const std::string& answer, const std::string& due) {
  if (!answer.starts_with('!') || !due.starts_with('!')) return answer == due;
  return (" " + due.substr(1) + " ").find(" " + answer.substr(1) + " ") != std::string::npos;
}

}  // namespace laurel::conformance
