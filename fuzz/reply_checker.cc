#include "fuzz/reply_checker.h"

namespace laurel::fuzz {

CheckedReply CheckReply(std::string_view bytes, wire::Protocol protocol) {
  CheckedReply reply;
  resp::Parser parser;
  switch (parser.Parse(bytes)) {
    case resp::Parser::State::kIncomplete:
      reply.problem = "it ends too early";
      return reply;
    case resp::Parser::State::kMalformed:
      reply.problem = parser.problem();
      return reply;
    case resp::Parser::State::kWhole:
      break;
  }
  reply.bytes = parser.position();
  reply.value = parser.Take();
  reply.problem = resp::ProblemOf(reply.value, static_cast<int>(protocol));
  return reply;
}

}  // namespace laurel::fuzz
