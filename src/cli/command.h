// Help, refusals and exit codes, which the commands of the program share. `serve` has its own
// parsing and reporting.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "laurel/result.h"

namespace laurel::cli {

// Prints `text`. Returns the exit code: kExitFailed if it cannot be written.
int Print(std::ostream& out, std::string_view text);
// Prints "laurel: " and the message of the error. Returns kExitFailed.
int Refuse(std::ostream& err, const Error& error);
// Prints "laurel: MESSAGE; see COMMAND --help", where `command` is "laurel" or "laurel check".
// Returns kExitUsage.
int RefuseUsage(std::ostream& err, std::string_view command, std::string_view message);

// A command and its arguments.
struct Command {
  std::string_view name;  // "check"
  std::string_view help;
  std::span<const OptionName> options;
  std::size_t positional = 0;
  std::string_view operands;  // names the positional arguments: "one data folder"
  std::size_t optional = 0;   // maximum of further positional arguments
};

// Prints the message, and points to the help of the command.
int RefuseUsage(std::ostream& err, const Command& command, std::string_view message);

// Runs a command: parses its arguments, prints its help if requested, otherwise calls `run`. Prints
// the error if the arguments are wrong or `run` returns one. Returns the exit code of `run`, or
// kExitFailed if `out` cannot be written.
int RunCommand(const Command& command, std::span<const std::string_view> arguments,
               std::ostream& out, std::ostream& err,
               const std::function<Result<int>(const ParsedArguments&)>& run);

}  // namespace laurel::cli
