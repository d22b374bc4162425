// Parses an operation from a line of a scenario.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/spec.h"
#include "leaderboard/operation.h"

namespace laurel::conformance {

// Applies the options of LB.CREATE or LB.ALTER, from words[first] on, to `spec`. Throws if an
// option is unknown.
Spec ReadSpec(const std::vector<std::string>& words, std::size_t first, Spec spec);

// The words of a line, separated by blanks; "" is an empty word.
std::vector<std::string> ReadWords(std::string_view line);

// Owns the texts that the operation refers to.
class ScenarioOperation {
 public:
  // Throws if the line is not an operation. `spec`: the board's current spec.
  ScenarioOperation(std::string_view line, const Spec& spec);
  ScenarioOperation(const ScenarioOperation&) = delete;
  ScenarioOperation& operator=(const ScenarioOperation&) = delete;

  [[nodiscard]] const leaderboard::Operation& operation() const { return operation_; }

 private:
  using Views = std::vector<std::string_view>;

  // The words from `first` up to the first option.
  Views& Plain(std::size_t first);
  [[nodiscard]] std::optional<std::string_view> Option(std::string_view name) const;
  [[nodiscard]] bool Flag(std::string_view name) const;
  [[nodiscard]] std::int64_t Number(std::size_t at) const;
  [[nodiscard]] leaderboard::ReadOptions Options() const;
  [[nodiscard]] std::optional<leaderboard::InstanceSelector> Instance() const;
  leaderboard::WriteOperation ReadSubmit(WriteMode mode);
  std::optional<leaderboard::WriteOperation> ReadWrite(const Spec& spec);
  leaderboard::ReadOperation ReadRead();

  std::vector<std::string> words_;
  Views plain_;
  Spec altered_;
  leaderboard::Operation operation_;
};

}  // namespace laurel::conformance
