// The memory of an HTTP request and its answer. Successive requests reuse it, so that small ones
// allocate little. The document, the words and the verdicts of a large body take several times its
// size. They are counted with the connection's buffers, and freed after the answer.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "server/http/http_session.h"

namespace laurel::server {
namespace {

// Memory of requests and answers above this size is freed.
constexpr std::size_t kKeptBytes = std::size_t{64} << 10;

}  // namespace

void HttpSession::Asked::Clear() {
  waits = false;
  audited.clear();
  if (calls.empty() && inputs.empty()) return;  // a single command uses none of the other members
  calls.clear();
  inputs.clear();
  answers.clear();
  beside.clear();
  requests.clear();
  transaction = {};
  texts.clear();
  ends.clear();
  places.clear();
}

std::size_t HttpSession::Asked::MemoryUsage() const {
  std::size_t bytes =
      answers.size() * sizeof(http::JsonAnswer) + requests.capacity() * sizeof(engine::Request) +
      places.capacity() * sizeof(http::VerdictPlace) + audited.capacity() * sizeof(AuditedWrite);
  for (const http::Call& call : calls) bytes += sizeof call + call.MemoryUsage();
  for (const http::Input& input : inputs) bytes += sizeof input + input.MemoryUsage();
  for (const std::string& text : texts) bytes += sizeof text + text.capacity();
  for (const std::vector<std::size_t>& of_call : ends) {
    bytes += sizeof of_call + of_call.capacity() * sizeof(std::size_t);
  }
  return bytes;
}

std::size_t HttpSession::HeldBytes() const {
  return parser_.MemoryUsage() + document_.MemoryUsage() + body_input_.MemoryUsage() +
         call_.MemoryUsage() + asked_.MemoryUsage() + body_.capacity() + scratch_.capacity();
}

void HttpSession::ForgetRequest() {
  const bool is_large = !stream_ && HeldBytes() > kKeptBytes;
  asked_.Clear();
  if (is_large) {
    // After a refused request, or one of which only the head was read, the parser ends with the
    // connection.
    if (!answering_.closes) parser_.ReleaseMemory();
    document_.ReleaseMemory();
    body_input_ = http::Input();
    call_ = http::Call();
    asked_ = Asked();
    static_cast<void>(std::exchange(body_, {}));  // an assignment would keep the capacity
    static_cast<void>(std::exchange(scratch_, {}));
  }
  held_bytes_ = HeldBytes();
}

}  // namespace laurel::server
