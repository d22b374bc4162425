#include "server/resp/pipeline_audit.h"

#include <utility>

namespace laurel::server {
namespace {

// The outcome of a write that was not executed: EXEC answered null.
const std::string kNotExecuted(kAuditedDiscarded);

std::string_view Shown(const std::string& outcome) {
  return outcome.empty() ? kAuditedOk : std::string_view(outcome);
}

}  // namespace

void PipelineAudit::Begin() {
  noted_.clear();
  wholes_.clear();
}

bool PipelineAudit::NoteWrite(std::size_t number, engine::Request* request, std::string* whole) {
  auto write = AuditedWriteOf(*request->command, request->arguments);
  if (!write) return false;
  Noted& noted = noted_.emplace_back(Noted{std::move(*write), number, whole, kNotExecuted});
  request->outcome = &noted.outcome;
  return true;
}

void PipelineAudit::Note(std::size_t number, engine::Request* request) {
  NoteWrite(number, request, nullptr);
}

void PipelineAudit::NoteTransaction(std::size_t number, engine::Request* request,
                                    std::span<engine::Request> queued) {
  std::string* whole = &wholes_.emplace_back();
  for (engine::Request& each : queued) NoteWrite(number, &each, whole);
  request->outcome = whole;
}

void PipelineAudit::Settle(const AuditedClient& client, std::size_t executed,
                           const engine::Pipeline::Unconfirmed& unknown) {
  for (; !noted_.empty() && noted_.front().number < executed; noted_.pop_front()) {
    const Noted& noted = noted_.front();
    const bool is_unknown =
        noted.number >= unknown.first && noted.number - unknown.first < unknown.count;
    const bool has_failed = noted.whole != nullptr && !noted.whole->empty();
    log_->Add(client, noted.write,
              is_unknown ? ErrorName(ErrorCode::kUnknown)
                         : Shown(has_failed ? *noted.whole : noted.outcome));
  }
}

void PipelineAudit::Add(const AuditedClient& client, const wire::CommandInfo& command,
                        Arguments arguments, std::string_view error_code) {
  if (const auto write = AuditedWriteOf(command, arguments)) {
    log_->Add(client, *write, error_code.empty() ? kAuditedOk : error_code);
  }
}

}  // namespace laurel::server
