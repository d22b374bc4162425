#include "cli/command_line.h"

#include <istream>
#include <ostream>

#include "cli/demo.h"
#include "cli/terminal_text.h"

namespace laurel::cli {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitNotWritten = 1;
constexpr int kExitUsage = 2;

constexpr std::string_view kHelp =
    "usage: laurel [COMMAND]\n"
    "\n"
    "commands:\n"
    "  demo        a shell over boards in memory, with two of them to look at (the default)\n"
    "\n"
    "options:\n"
    "  --help      this text\n"
    "  --version   the version\n";

int Flush(std::ostream& out) { return out.flush() ? kExitOk : kExitNotWritten; }

int Refuse(std::ostream& err, std::string_view what, std::string_view argument) {
  err << "laurel: " << what << " " << Quoted(argument) << "; see laurel --help\n";
  return kExitUsage;
}

}  // namespace

int RunCommandLine(std::span<const std::string_view> arguments, std::istream& in, std::ostream& out,
                   std::ostream& err, bool interactive) {
  const std::string_view command = arguments.empty() ? "demo" : arguments[0];
  const bool help = command == "--help" || command == "-h" || command == "help";
  if (!help && command != "--version" && command != "demo") {
    return Refuse(err, command.starts_with('-') ? "unknown option" : "unknown command", command);
  }
  if (arguments.size() > 1) return Refuse(err, "unexpected argument", arguments[1]);

  if (help) {
    out << kHelp;
  } else if (command == "--version") {
    out << "laurel " << LAUREL_VERSION << "\n";
  } else {
    DemoShell(in, out, interactive ? DemoShell::Prompt::kShown : DemoShell::Prompt::kNone).Run();
  }
  return Flush(out);
}

}  // namespace laurel::cli
