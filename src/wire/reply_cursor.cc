#include "wire/reply_cursor.h"

#include <cstdint>

#include "base/assert.h"
#include "base/integer.h"

namespace laurel::wire {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

// Returns the number in the head of a string or an aggregate; 0 for the nulls of RESP2, which have
// -1.
std::size_t CountIn(std::string_view text) {
  std::int64_t count = 0;
  LAUREL_ASSERT(base::ParseInteger(text, &count) && count >= -1);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

}  // namespace

ReplyCursor::Head ReplyCursor::TakeHead() {
  const std::size_t end = rest_.find(kLineEnd);
  LAUREL_ASSERT(end != std::string_view::npos && end > 0);
  const Head head = {rest_[0], rest_.substr(1, end - 1)};
  Skip(end + kLineEnd.size());
  return head;
}

void ReplyCursor::Skip(std::size_t bytes) {
  LAUREL_ASSERT(bytes <= rest_.size());
  rest_.remove_prefix(bytes);
}

std::string_view ReplyCursor::Next() {
  const std::string_view before = rest_;
  for (std::size_t values = 1; values > 0; --values) {
    const Head head = TakeHead();
    switch (head.type) {
      case '$':
      case '=':
        if (head.text != "-1") Skip(CountIn(head.text) + kLineEnd.size());
        break;
      case '*':
      case '~':
        values += CountIn(head.text);
        break;
      case '%':
        values += 2 * CountIn(head.text);
        break;
      default:  // a line is the whole value
        break;
    }
  }
  return before.substr(0, before.size() - rest_.size());
}

std::size_t ReplyCursor::EnterArray() {
  const Head head = TakeHead();
  LAUREL_ASSERT(head.type == '*' || head.type == '_');
  return head.type == '_' ? 0 : CountIn(head.text);
}

std::string_view CodeOfError(std::string_view reply) {
  LAUREL_ASSERT(IsErrorReply(reply));
  return reply.substr(1, reply.find_first_of(" \r") - 1);
}

}  // namespace laurel::wire
