#include "server/laurel_program.h"

#include <regex>

#include "server/child_process.h"

namespace laurel::black_box {
namespace {

std::string LastMatch(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::string found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    found = (*at)[1];
  }
  return found;
}

}  // namespace

ProgramResult RunLaurel(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment) {
  std::vector<std::string> command = {"env"};
  command.insert(command.end(), environment.begin(), environment.end());
  command.push_back(LaurelBinary());
  command.insert(command.end(), arguments.begin(), arguments.end());
  ChildProcess process;
  process.Start(command);
  const int exit_code = process.AwaitEnd();
  return {exit_code, process.Output(), process.StandardError()};
}

IssuedToken IssueToken(const std::string& role, const std::string& boards) {
  const ProgramResult made = RunLaurel({"token", role, boards});
  return {made.errors.substr(0, made.errors.find('\n')),
          made.output.substr(0, made.output.size() - made.errors.size())};
}

std::string DigestIn(const std::string& output) {
  return LastMatch(output, "digest ([0-9a-f]{16})");
}

long RecordIn(const std::string& output) {
  const std::string record = LastMatch(output, "state at record ([0-9]+)");
  return record.empty() ? -1 : std::stol(record);
}

}  // namespace laurel::black_box
