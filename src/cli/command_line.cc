#include <ostream>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/program_commands.h"
#include "server/config/compatibility.h"
#include "server/config/config.h"
#include "server/config/tokens.h"
#include "server/internals.h"

namespace laurel::cli {
namespace {

constexpr std::string_view kHelp = R"(usage: laurel COMMAND [OPTION…]

commands:
  serve [OPTION…]          serve boards to Redis clients; laurel serve --help
  demo [OPTION…]           the same, with sample leaderboards to look at
  config                   print a configuration file with every option explained;
                           laurel config --help
  check DIR [--repair]     verify a data folder and say what is in it; laurel check --help
  backup [OPTION…] TARGET  copy the data of a running server; laurel backup --help
  restore BACKUP DIR       make a data folder of a backup; laurel restore --help
  import SOURCE [OPTION…]  boards from Redis, CSV, TSV, JSONL or an archive; laurel import --help
  export [OPTION…]         boards into a file, an archive or Redis; laurel export --help
  token [ROLE] [BOARDS]    make an access token; laurel token --help

options:
  --help                   this text
  --version                the version
)";

constexpr std::string_view kProgram = "laurel";

constexpr std::string_view kConfigHelp = R"(usage: laurel config

Prints a configuration file (TOML) with every option, its default and what it does.
Keep it, uncomment what you change, and start the server with it:

  laurel config > laurel.toml
  laurel serve --config laurel.toml
)";

constexpr std::string_view kTokenHelp = R"(usage: laurel token [ROLE] [BOARDS] [--name NAME]

Makes an access token. Prints the token once, on standard error, and the lines for the
configuration file on standard output. The file holds only the token's hash; clients present
the token with AUTH.

  ROLE    read     every read
          submit   and LB.SUBMIT, LB.MSUBMIT without AT
          write    and AT, LB.SET, LB.INCR, ZADD, ZINCRBY, LB.META, removals, LB.HIDE
          admin    and boards, templates, keys, CONFIG, FLUSHALL, SHUTDOWN, backups;
                   the default
  BOARDS  a pattern of board names that the token opens (default: '*', all)
  --name  the token's name in the log, the audit log and CLIENT LIST (default: the role and
          random digits)

example: laurel token submit 'rank:*' --name game-server >> laurel.toml
)";

Result<int> PrintToken(const ParsedArguments& arguments, std::ostream& out, std::ostream& err) {
  constexpr std::string_view kName = "laurel token";
  if (arguments.Has("--name") && arguments.Value("--name").empty()) {
    return RefuseUsage(err, kName, "--name is empty");
  }
  const std::vector<std::string_view> words(arguments.others.begin(), arguments.others.end());
  const auto issued = server::IssueToken(words, arguments.Value("--name"));
  if (!issued.ok()) return RefuseUsage(err, kName, issued.error().message);
  // The lines for the server are useless without the secret.
  if (const int shown = Print(err, server::DescribeSecret(*issued)); shown != kExitOk) {
    return shown;
  }
  return Print(out, server::DescribeToken(issued->token));
}

Command TokenCommand() {
  return {"token", std::string(kTokenHelp),          {{"--name", true}},
          0,       "a role and a pattern of boards", PrintToken,
          2};
}

}  // namespace

int RunCommandLine(std::span<const std::string_view> arguments, std::ostream& out,
                   std::ostream& err) {
  if (arguments.empty()) return RefuseUsage(err, kProgram, "a command is missing");
  const std::string_view command = arguments[0];
  const auto rest = arguments.subspan(1);
  if (command == "serve") return Serve(rest, Boards::kNone, out, err);
  if (command == "demo") return Serve(rest, Boards::kDemo, out, err);
  std::vector<std::string_view> names = {"serve", "demo", "config"};
  for (const auto make : {&CheckCommand, &BackupCommand, &RestoreCommand, &ImportCommand,
                          &ExportCommand, &TokenCommand}) {
    const Command known = make();
    if (command == known.name) return RunCommand(known, rest, out, err);
    names.push_back(known.name);
  }
  const bool help = command == "--help" || command == "-h" || command == "help";
  if (!help && command != "--version" && command != "config" && command != "internals") {
    const std::string what = command.starts_with('-') ? "unknown option " : "unknown command ";
    return RefuseUsage(err, kProgram, what + base::Quote(command) + DidYouMean(command, names));
  }
  const bool asks = rest.size() == 1 && (rest[0] == "--help" || rest[0] == "-h");
  if (command == "config" && asks) return Print(out, kConfigHelp);
  if (!rest.empty()) {
    return RefuseUsage(err, kProgram, "unexpected argument " + base::Quote(rest[0]));
  }
  if (help) return Print(out, kHelp);
  if (command == "config") return Print(out, server::DefaultConfigFile());
  if (command == "internals") return Print(out, server::DescribeInternals());
  return Print(out, "laurel " + std::string(server::kLaurelVersion) + "\n");
}

}  // namespace laurel::cli
