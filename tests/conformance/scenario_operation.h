// An operation, read from a line of a scenario.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/spec.h"
#include "leaderboard/operation.h"

namespace laurel::conformance {

// The options of LB.CREATE or LB.ALTER, applied to a spec. Throws at a word that it does not know.
Spec ReadSpec(const std::vector<std::string>& words, std::size_t first, Spec spec);

// Words apart by blanks; "" is an empty one.
std::vector<std::string> ReadWords(std::string_view line);

// Holds what the operation refers to.
class ScenarioOperation {
 public:
  // Throws if the line is no operation. `spec`: the board's present one.
  ScenarioOperation(std::string_view line, const Spec& spec);
  ScenarioOperation(const ScenarioOperation&) = delete;
  ScenarioOperation& operator=(const ScenarioOperation&) = delete;

  [[nodiscard]] const leaderboard::Operation& operation() const { return operation_; }

 private:
  using Views = std::vector<std::string_view>;

  // Everything from `first` on up to the first option.
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
