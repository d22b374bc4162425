// Parses the arguments of commands other than `serve`: options, some with a value, and positional
// arguments.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laurel/result.h"

namespace laurel::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // failed, or data is damaged
inline constexpr int kExitUsage = 2;
inline constexpr int kExitPartly = 3;  // done, except for rows that were rejected or differ

inline Error Refusal(std::string message) { return Error{ErrorCode::kErr, std::move(message)}; }

struct OptionName {
  std::string_view name;  // "--repair"
  bool has_value = false;
};

struct ParsedArguments {
  std::map<std::string, std::string, std::less<>> options;  // by name; flags have no value
  std::vector<std::string> others;

  [[nodiscard]] bool Has(std::string_view name) const {
    return options.find(name) != options.end();
  }
  // Returns the value of an option; empty if it is not given.
  [[nodiscard]] std::string Value(std::string_view name) const {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  }
};

// Accepts `--name value` and `--name=value`. Arguments after `--` are not options. `--help` and
// `-h` are always known. The error names the first wrong argument.
Result<ParsedArguments> ParseArguments(std::span<const std::string_view> arguments,
                                       std::span<const OptionName> known);

}  // namespace laurel::cli
