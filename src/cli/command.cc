#include "cli/command.h"

#include <ostream>

namespace laurel::cli {

int Print(std::ostream& out, std::string_view text) {
  out << text;
  return out.flush() ? kExitOk : kExitFailed;
}

int Refuse(std::ostream& err, const Error& error) {
  err << "laurel: " << error.message << "\n";
  return kExitFailed;
}

int RefuseUsage(std::ostream& err, std::string_view command, std::string_view message) {
  err << "laurel: " << message << "; see " << command << " --help\n";
  return kExitUsage;
}

int RefuseUsage(std::ostream& err, const Command& command, std::string_view message) {
  return RefuseUsage(err, "laurel " + std::string(command.name), message);
}

int RunCommand(const Command& command, std::span<const std::string_view> arguments,
               std::ostream& out, std::ostream& err,
               const std::function<Result<int>(const ParsedArguments&)>& run) {
  const Result<ParsedArguments> parsed = ParseArguments(arguments, command.options);
  if (!parsed.ok()) return RefuseUsage(err, command, parsed.error().message);
  if (parsed->Has("--help")) return Print(out, command.help);
  if (parsed->others.size() < command.positional ||
      parsed->others.size() > command.positional + command.optional) {
    return RefuseUsage(err, command,
                       std::string(command.name) + " takes " + std::string(command.operands));
  }
  const Result<int> exit_code = run(*parsed);
  if (!exit_code.ok()) return Refuse(err, exit_code.error());
  return out.flush() ? *exit_code : kExitFailed;
}

}  // namespace laurel::cli
