// Answers as text, as all hosts can give them.
#pragma once

#include <string>

#include "tests/leaderboard/text_answer.h"

namespace laurel::conformance {

// A refusal is "!" and its code: messages differ from host to host. A description has what every
// host knows: sizes in bytes, and ids that are over but not yet forgotten, are a host's own.
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

// An answer of the model. Of several faults each may be reported: "!CLOSED OVERFLOW".
class ModelAnswer : public ConformanceAnswer {
 public:
  void Refused(const Error& error) override { Set("!" + error.message); }
};

// Whether a host's answer is the model's, or reports one of the faults that the model lists.
inline bool Agrees(const std::string& answer, const std::string& due) {
  if (!answer.starts_with('!') || !due.starts_with('!')) return answer == due;
  return (" " + due.substr(1) + " ").find(" " + answer.substr(1) + " ") != std::string::npos;
}

}  // namespace laurel::conformance
