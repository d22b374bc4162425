#include "server/resp/pipeline_audit.h"

#include <utility>

namespace laurel::server {
namespace {

constexpr std::size_t kKeptNoted = 256;  // larger vectors are shrunk

std::string_view OutcomeOf(std::string_view reply) {
  return wire::IsErrorReply(reply) ? wire::CodeOfError(reply) : kAuditedOk;
}

}  // namespace

void PipelineAudit::Begin() {
  noted_.clear();
  if (noted_.capacity() > kKeptNoted) noted_.shrink_to_fit();  // after a large transaction
  next_ = settled_ = answered_bytes_ = 0;
}

void PipelineAudit::Note(std::size_t request, const wire::CommandInfo& command,
                         Arguments arguments) {
  if (auto write = AuditedWriteOf(command, arguments)) {
    noted_.push_back({std::move(*write), request, std::nullopt});
  }
}

void PipelineAudit::NoteQueued(std::size_t request, std::size_t position,
                               const wire::CommandInfo& command, Arguments arguments) {
  if (auto write = AuditedWriteOf(command, arguments)) {
    noted_.push_back({std::move(*write), request, position});
  }
}

void PipelineAudit::Add(const AuditedClient& client, const wire::CommandInfo& command,
                        Arguments arguments, std::string_view error_code) {
  if (const auto write = AuditedWriteOf(command, arguments)) {
    log_->Add(client, *write, error_code.empty() ? kAuditedOk : error_code);
  }
}

void PipelineAudit::Settle(const AuditedClient& client, std::size_t executed,
                           std::string_view replies) {
  wire::ReplyCursor cursor(replies.substr(std::exchange(answered_bytes_, 0)));
  for (; settled_ < executed && next_ < noted_.size() && !cursor.done(); ++settled_) {
    const std::string_view reply = cursor.Next();
    if (noted_[next_].request == settled_) SettleRequest(client, reply);
  }
}

void PipelineAudit::SettleRequest(const AuditedClient& client, std::string_view reply) {
  const Noted& noted = noted_[next_];
  if (noted.position) return SettleTransaction(client, noted.request, reply);
  log_->Add(client, noted.write, OutcomeOf(reply));
  ++next_;
}

void PipelineAudit::SettleTransaction(const AuditedClient& client, std::size_t request,
                                      std::string_view reply) {
  wire::ReplyCursor cursor(reply);
  const bool is_error = wire::IsErrorReply(reply);
  const std::size_t replies = is_error ? 0 : cursor.EnterArray();
  std::size_t at = 0;
  for (; next_ < noted_.size() && noted_[next_].request == request; ++next_) {
    const Noted& noted = noted_[next_];
    if (replies == 0) {
      log_->Add(client, noted.write, is_error ? OutcomeOf(reply) : kAuditedDiscarded);
      continue;
    }
    for (; at < *noted.position; ++at) cursor.Next();
    log_->Add(client, noted.write, OutcomeOf(cursor.Next()));
    ++at;
  }
}

}  // namespace laurel::server
