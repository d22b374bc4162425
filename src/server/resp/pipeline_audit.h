// Finds the outcomes of audited writes. A session notes the writes of a pipeline when it takes
// them; when the pipeline is answered, the outcome of each is in the replies.
//
// Exists only where there is an audit log.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "server/state/audit_log.h"
#include "wire/command_table.h"
#include "wire/reply_cursor.h"

namespace laurel::server {

class PipelineAudit {
 public:
  using Arguments = std::span<const std::string_view>;

  // The log must outlive it.
  explicit PipelineAudit(AuditLog* log) : log_(log) {}

  // A new pipeline begins.
  void Begin();
  // Request number `request` of the pipeline is this one, if it is audited. Call it in the order of
  // the requests.
  void Note(std::size_t request, const wire::CommandInfo& command, Arguments arguments);
  // The same for command number `position` of a transaction that the request executes.
  void NoteQueued(std::size_t request, std::size_t position, const wire::CommandInfo& command,
                  Arguments arguments);
  // The pipeline has all its requests. The first `bytes` bytes of its replies answer requests that
  // the session has answered itself, before the first request of the pipeline.
  void End(std::size_t bytes) { answered_bytes_ = bytes; }

  // The requests before number `executed` have their replies: `replies` begins where those of the
  // last call ended. Adds their lines to the log.
  void Settle(const AuditedClient& client, std::size_t executed, std::string_view replies);

  // A request outside of the pipeline has this reply.
  void Add(const AuditedClient& client, const wire::CommandInfo& command, Arguments arguments,
           std::string_view reply);

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
  std::size_t next_ = 0;     // of noted_: the first one without an outcome
  std::size_t settled_ = 0;  // requests whose replies were seen
  std::size_t answered_bytes_ = 0;
};

}  // namespace laurel::server
