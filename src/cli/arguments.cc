#include "cli/arguments.h"

#include <algorithm>
#include <ostream>

#include "base/nearest.h"
#include "base/text.h"

namespace laurel::cli {
namespace {

Error UnknownOption(std::span<const OptionName> known, std::string_view name) {
  std::vector<std::string_view> names;
  for (const OptionName& option : known) names.push_back(option.name);
  return Err("unknown option " + base::Quote(name) + DidYouMean(name, names));
}

}  // namespace

std::string DidYouMean(std::string_view given, std::span<const std::string_view> names) {
  const auto nearest = base::Nearest(given, names);
  return nearest ? " (did you mean " + std::string(*nearest) + "?)" : "";
}

Result<ParsedArguments> ParseArguments(std::span<const std::string_view> arguments,
                                       std::span<const OptionName> known) {
  ParsedArguments parsed;
  bool options_end = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (options_end || !argument.starts_with('-') || argument == "-") {
      parsed.others.emplace_back(argument);
      continue;
    }
    if (argument == "--") {
      options_end = true;
      continue;
    }
    if (argument == "--help" || argument == "-h") {
      parsed.options["--help"];
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const auto option = std::find_if(known.begin(), known.end(),
                                     [&](const OptionName& one) { return one.name == name; });
    if (option == known.end()) return UnknownOption(known, name);
    if (parsed.Has(name)) return Err(std::string(name) + " is given twice");
    std::string& value = parsed.options[std::string(name)];
    if (!option->has_value) {
      if (equals != std::string_view::npos) return Err(std::string(name) + " takes no value");
    } else if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (++i < arguments.size()) {
      value = arguments[i];
    } else {
      return Err(std::string(name) + " needs a value");
    }
  }
  return parsed;
}

int Print(std::ostream& out, std::string_view text) {
  out << text;
  return out.flush() ? kExitOk : kExitFailed;
}

int Refuse(std::ostream& err, const Error& error, int exit_code) {
  err << "laurel: " << error.message << std::endl;
  return exit_code;
}

int RefuseUsage(std::ostream& err, std::string_view command, std::string_view message) {
  err << "laurel: " << message << "; see " << command << " --help\n";
  return kExitUsage;
}

int RunCommand(const Command& command, std::span<const std::string_view> arguments,
               std::ostream& out, std::ostream& err) {
  const std::string name(command.name);
  const Result<ParsedArguments> parsed = ParseArguments(arguments, command.options);
  if (!parsed.ok()) return RefuseUsage(err, "laurel " + name, parsed.error().message);
  if (parsed->Has("--help")) return Print(out, command.help);
  if (parsed->others.size() < command.positional ||
      parsed->others.size() > command.positional + command.optional) {
    return RefuseUsage(err, "laurel " + name, name + " takes " + std::string(command.operands));
  }
  const Result<int> exit_code = command.run(*parsed, out, err);
  if (!exit_code.ok()) return Refuse(err, exit_code.error());
  return out.flush() ? *exit_code : kExitFailed;
}

}  // namespace laurel::cli
