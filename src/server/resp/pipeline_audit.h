// Finds the outcomes of audited writes. A session notes the writes of a pipeline when it takes
// them; the replies of the pipeline contain the outcomes.
//
// Exists only if there is an audit log.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "server/logs/audit_log.h"
#include "wire/command_table.h"
#include "wire/reply_cursor.h"

namespace laurel::server {

class PipelineAudit {
 public:
  using Arguments = std::span<const std::string_view>;

  // The log must outlive it.
  explicit PipelineAudit(AuditLog* log) : log_(log) {}

  // Begins a new pipeline.
  void Begin();
  // Notes request number `request` of the pipeline if it is audited. Must be called in the order of
  // the requests.
  void Note(std::size_t request, const wire::CommandInfo& command, Arguments arguments);
  // Notes command number `position` of the transaction that the request executes.
  void NoteQueued(std::size_t request, std::size_t position, const wire::CommandInfo& command,
                  Arguments arguments);
  // Ends the pipeline's list of requests. The first `bytes` bytes of its replies are immediate
  // replies of the session, before the first request.
  void End(std::size_t bytes) { answered_bytes_ = bytes; }

  // Adds the lines of the requests before number `executed`, which have their replies. `replies`
  // begins where those of the last call ended.
  void Settle(const AuditedClient& client, std::size_t executed, std::string_view replies);

  // Adds the line of a request outside of a pipeline. `error_code`: of its reply; empty: it
  // succeeded.
  void Add(const AuditedClient& client, const wire::CommandInfo& command, Arguments arguments,
           std::string_view error_code);

 private:
  struct Noted {
    AuditedWrite write;
    std::size_t request = 0;
    std::optional<std::size_t> position;  // in a transaction
  };

  // Adds the lines of the writes of one request, and removes them.
  void SettleRequest(const AuditedClient& client, std::string_view reply);
  void SettleTransaction(const AuditedClient& client, std::size_t request, std::string_view reply);

  AuditLog* log_;
  std::vector<Noted> noted_;
  std::size_t next_ = 0;     // index in noted_ of the first write without an outcome
  std::size_t settled_ = 0;  // requests whose replies were processed
  std::size_t answered_bytes_ = 0;
};

}  // namespace laurel::server
