// What the commands other than `serve` share: options, some with a value, and positional arguments;
// help, refusals and exit codes.
#pragma once

#include <cstddef>
#include <iosfwd>
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

struct OptionName {
  std::string_view name;  // "--repair"
  bool has_value = false;
};

struct ParsedArguments {
  std::map<std::string, std::string, std::less<>> options;  // by name; flags have no value
  std::vector<std::string> others;

  [[nodiscard]] bool Has(std::string_view name) const { return options.contains(name); }
  // Returns the value of an option; `otherwise` if it is not given.
  [[nodiscard]] std::string Value(std::string_view name, std::string_view otherwise = "") const {
    const auto found = options.find(name);
    return found == options.end() ? std::string(otherwise) : found->second;
  }
};

// Accepts `--name value` and `--name=value`. Arguments after `--` are not options. `--help` and
// `-h` are always known. The error names the first wrong argument.
Result<ParsedArguments> ParseArguments(std::span<const std::string_view> arguments,
                                       std::span<const OptionName> known);

// Returns " (did you mean NAME?)" with the name that is most like the given one; empty if none is.
std::string DidYouMean(std::string_view given, std::span<const std::string_view> names);

// Prints `text`. Returns the exit code: kExitFailed if it cannot be written.
int Print(std::ostream& out, std::string_view text);
// Prints "laurel: " and the message of the error. Returns the exit code.
int Refuse(std::ostream& err, const Error& error, int exit_code = kExitFailed);
// Prints "laurel: MESSAGE; see COMMAND --help", where `command` is "laurel" or "laurel check".
// Returns kExitUsage.
int RefuseUsage(std::ostream& err, std::string_view command, std::string_view message);

// A command, its arguments, and what it does.
struct Command {
  std::string_view name;  // "check"
  std::string help;
  std::vector<OptionName> options;
  std::size_t positional = 0;
  std::string_view operands;  // names the positional arguments: "one data folder"
  // Returns the exit code.
  Result<int> (*run)(const ParsedArguments& arguments, std::ostream& out, std::ostream& err);
  std::size_t optional = 0;  // maximum of further positional arguments
};

// Runs a command: parses its arguments, prints its help if requested, otherwise calls `run`. Prints
// the error if the arguments are wrong or `run` returns one. Returns the exit code of `run`, or
// kExitFailed if `out` cannot be written.
int RunCommand(const Command& command, std::span<const std::string_view> arguments,
               std::ostream& out, std::ostream& err);

}  // namespace laurel::cli
