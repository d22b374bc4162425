#include "cli/command_line.h"

#include <ostream>
#include <string>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/backup.h"
#include "cli/check.h"
#include "cli/serve.h"
#include "server/config/config.h"
#include "server/config/tokens.h"
#include "server/state/compatibility.h"

namespace laurel::cli {
namespace {

constexpr std::string_view kHelp =
    "usage: laurel COMMAND [OPTION…]\n"
    "\n"
    "commands:\n"
    "  serve [OPTION…]          serve boards to Redis clients; laurel serve --help\n"
    "  demo [OPTION…]           the same, with two leaderboards to look at\n"
    "  config                   print a configuration file with every option explained\n"
    "  check DIR [--repair]     verify a data folder and say what is in it; laurel check --help\n"
    "  backup [OPTION…] TARGET  copy the data of a running server; laurel backup --help\n"
    "  restore BACKUP DIR       make a data folder of a backup; laurel restore --help\n"
    "  token [ROLE] [BOARDS]    make an access token; roles: read, submit, write, admin\n"
    "\n"
    "options:\n"
    "  --help                   this text\n"
    "  --version                the version\n";

constexpr std::string_view kCommands[] = {"serve",  "demo",    "config", "check",
                                          "backup", "restore", "token"};

int Refuse(std::ostream& err, const std::string& message) {
  err << "laurel: " << message << "; see laurel --help\n";
  return kExitUsage;
}

int Print(std::ostream& out, std::string_view text) {
  out << text;
  return out.flush() ? kExitOk : kExitFailed;
}

int PrintToken(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err) {
  const Result<server::IssuedToken> issued = server::IssueToken(arguments);
  if (!issued.ok()) return Refuse(err, issued.error().message);
  return Print(out, server::DescribeToken(*issued));
}

}  // namespace

int RunCommandLine(std::span<const std::string_view> arguments, std::ostream& out,
                   std::ostream& err) {
  if (arguments.empty()) return Refuse(err, "a command is missing");
  const std::string_view command = arguments[0];
  const auto rest = arguments.subspan(1);
  if (command == "serve") return Serve(rest, Boards::kNone, out, err);
  if (command == "demo") return Serve(rest, Boards::kDemo, out, err);
  if (command == "check") return Check(rest, out, err);
  if (command == "backup") return Backup(rest, out, err);
  if (command == "restore") return Restore(rest, out, err);
  if (command == "token") return PrintToken(rest, out, err);
  const bool help = command == "--help" || command == "-h" || command == "help";
  if (!help && command != "--version" && command != "config") {
    const auto nearest = base::Nearest(command, kCommands);
    return Refuse(err,
                  std::string(command.starts_with('-') ? "unknown option " : "unknown command ") +
                      base::Quote(command) +
                      (nearest ? " (did you mean " + std::string(*nearest) + "?)" : ""));
  }
  if (!rest.empty()) return Refuse(err, "unexpected argument " + base::Quote(rest[0]));
  if (help) return Print(out, kHelp);
  if (command == "config") return Print(out, server::DefaultConfigFile());
  return Print(out, "laurel " + std::string(server::kLaurelVersion) + "\n");
}

}  // namespace laurel::cli
