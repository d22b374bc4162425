// Finds the outcomes of audited writes. A session notes the writes of a pipeline when it takes
// them; the engine sets their outcomes (engine::Request::outcome).
//
// Exists only if there is an audit log.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "server/logs/audit_log.h"
#include "wire/command_table.h"

namespace laurel::server {

class PipelineAudit {
 public:
  using Arguments = std::span<const std::string_view>;

  // The log must outlive it.
  explicit PipelineAudit(AuditLog* log) : log_(log) {}

  // Begins a new pipeline. The engine no longer uses the requests of the last one.
  void Begin();
  // Notes request number `number` of the pipeline if it is audited: sets request->outcome. Must be
  // called in the order of the requests.
  void Note(std::size_t number, engine::Request* request);
  // Notes the transaction that the request executes. `queued`: its requests.
  void NoteTransaction(std::size_t number, engine::Request* request,
                       std::span<engine::Request> queued);

  // Adds the lines of the requests before number `executed`, which have their replies. `unknown`:
  // those whose outcome is UNKNOWN, because the disk has failed; without a first: none.
  void Settle(const AuditedClient& client, std::size_t executed,
              const engine::Pipeline::Unconfirmed& unknown = {});

  // Adds the line of a request outside of a pipeline. `error_code`: of its reply; empty: it
  // succeeded.
  void Add(const AuditedClient& client, const wire::CommandInfo& command, Arguments arguments,
           std::string_view error_code);

 private:
  struct Noted {
    AuditedWrite write;
    std::size_t number = 0;
    std::string* whole = nullptr;  // the outcome of the transaction; null: the write is in none
    std::string outcome;
  };

  bool NoteWrite(std::size_t number, engine::Request* request, std::string* whole);

  AuditLog* log_;
  std::deque<Noted> noted_;         // without outcomes in the log; elements do not move
  std::deque<std::string> wholes_;  // the outcomes of transactions
};

}  // namespace laurel::server
