#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>

#include "base/count_text.h"
#include "cli/arguments.h"
#include "cli/program_commands.h"
#include "client/redis_connection.h"
#include "storage/manifest.h"
#include "transfer/report/load_progress.h"
#include "transfer/server_boards.h"

namespace laurel::cli {
namespace {

using client::RedisConnection;

constexpr std::string_view kHelp = R"(usage: laurel backup [OPTION…] TARGET

Copies the data of a running server while it serves: exactly the state at one record number,
which is printed. TARGET is a new or empty folder, or a file whose name ends in .laurel. It is
a backup only when it is finished; what is left of one that failed is refused by restore.

options:
  --from HOST:PORT    the server (default 127.0.0.1:7600), without TLS
  --token TOKEN       an access token with the role admin for all boards; better: set
                      LAUREL_TOKEN, which other users of the machine do not see

exit code: 0, 1 if it failed, 2 wrong arguments
)";

Result<int> Run(const ParsedArguments& arguments, std::ostream& out, std::ostream& err) {
  const Result<client::ServerAddress> address =
      client::ParseServerAddress(arguments.Value("--from"));
  if (!address.ok()) return address.error();
  client::ConnectOptions options;
  options.address = *address;
  std::string token = arguments.Value("--token");
  if (const char* given = std::getenv("LAUREL_TOKEN"); token.empty() && given != nullptr) {
    token = given;
  }
  if (!token.empty()) options.address.password = token;
  options.login_hint = "set LAUREL_TOKEN to a token of the role admin";
  const Result<std::unique_ptr<RedisConnection>> server = RedisConnection::Connect(options);
  if (!server.ok()) return server.error();
  const std::string& target = arguments.others[0];
  const Result<storage::Manifest> taken = transfer::FetchBackup(
      server->get(), target, transfer::LoadProgress(err, "backup").Callback());
  if (!taken.ok()) return taken.error();
  out << "backup at record " << taken->record << " in " << target << ": "
      << base::Counted(taken->files.size(), "file", "files") << ", "
      << base::Counted(taken->bytes(), "byte", "bytes") << "\n";
  return kExitOk;
}

}  // namespace

Command BackupCommand() {
  return {"backup", std::string(kHelp), {{"--from", true}, {"--token", true}},
          1,        "one target",       Run};
}

}  // namespace laurel::cli
