// The audit log: one line of JSON for every write that needs the role write or admin, over RESP and
// HTTP. It names the token, the address, the command, its targets and the outcome. It contains no
// secrets or scores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "server/logs/audited_write.h"
#include "server/logs/line_file.h"

namespace laurel::server {

// The outcome of an executed write. The outcome of a failed write is the error code.
inline constexpr std::string_view kAuditedOk = "ok";
// The outcome of a write in a transaction that was not executed because a watched key had changed.
inline constexpr std::string_view kAuditedDiscarded = "discarded";

// The client that sent a write.
struct AuditedClient {
  std::string_view token;     // its name; "default" where there are no tokens
  std::string_view peer;      // "address:port"
  std::string_view protocol;  // "resp" or "http"
};

class AuditLog {
 public:
  // ERR if the file cannot be opened. Must be called before clients are served; without this call
  // there is no audit log.
  Status Open(const std::string& path) { return file_.Open(path); }
  [[nodiscard]] bool is_open() const { return file_.is_open(); }

  // The methods below may be called from any thread. REQUIRES: is_open().

  void Add(const AuditedClient& client, const AuditedWrite& write, std::string_view outcome);
  // See LineFile.
  void Reopen() { file_.Reopen(); }
  [[nodiscard]] std::uint64_t lost() const { return file_.lost(); }

 private:
  LineFile file_{"audit-log"};
};

}  // namespace laurel::server
