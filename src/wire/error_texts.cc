#include "wire/error_texts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "wire/command_syntax.h"

namespace laurel::wire {
namespace {

// Returns a client's word for a message: plain text unchanged, other text quoted.
std::string Typed(std::string_view word) {
  constexpr std::size_t kMaxBytes = 64;
  const bool plain = !word.empty() && word.size() <= kMaxBytes &&
                     std::all_of(word.begin(), word.end(), [](char c) {
                       return c > ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\';
                     });
  return plain ? std::string(word) : base::Quote(word);
}

// Returns what leaderboards offer instead of an option of Redis' sorted sets; empty for other
// words.
std::string_view InsteadOf(std::string_view word) {
  if (base::IsWord(word, "GT") || base::IsWord(word, "LT")) {
    return "GT and LT belong to ZADD: on a leaderboard POLICY best keeps the better score";
  }
  if (base::IsWord(word, "WITHSCORES") || base::IsWord(word, "WITHSCORE")) {
    return "WITHSCORES belongs to Redis' commands: entries always come with their scores";
  }
  return {};
}

}  // namespace

std::string OptionsOf(const CommandInfo& command) {
  std::string text;
  for (const std::string& word : OptionWords(command.syntax)) {
    text.append(text.empty() ? "" : ", ").append(word);
  }
  return text;
}

Error UnknownOption(const CommandInfo& command, std::string_view word) {
  if (const std::string_view instead = InsteadOf(word); !instead.empty()) {
    return Err(std::string(instead));
  }
  const std::vector<std::string> options = OptionWords(command.syntax);
  const std::vector<std::string_view> names(options.begin(), options.end());
  std::string message = "unknown option " + base::Quote(word);
  if (const auto nearest = base::Nearest(word, names)) {
    return Err(message.append("; did you mean ").append(*nearest).append("?"));
  }
  return Err(names.empty() ? message : message + ": expected " + OptionsOf(command));
}

Error RepeatedOption(std::string_view option) {
  return Err("option " + base::Quote(option) + " is given twice");
}

Error MissingValue(std::string_view option) { return Err(std::string(option) + " needs a value"); }

bool LacksCount(std::string_view first) {
  return first.find_first_not_of("0123456789+-.") != std::string_view::npos;
}

Error MissingCount(std::span<const std::string_view> before, std::size_t count,
                   std::span<const std::string_view> words) {
  constexpr std::size_t kShownWords = 8;
  std::string message = "say how many follow:";
  for (const std::string_view word : before) message.append(" ").append(Typed(word));
  message.append(" ").append(count == 0 ? "n" : std::to_string(count));
  for (const std::string_view word : words.first(std::min(words.size(), kShownWords))) {
    message.append(" ").append(Typed(word));
  }
  return Err(words.size() > kShownWords ? message + " …" : message);
}

Error TopWithTwoNumbers(std::string_view board, std::int64_t first, std::int64_t last) {
  if (first == 0) {  // probably meant as indexes, as in Redis' ranges; -1 is the last in both
    first = 1;
    if (last >= 0 && last < INT64_MAX) ++last;
  }
  const std::string from = std::to_string(first);
  const std::string to = std::to_string(last);
  return Err("LB.TOP takes how many: LB.RANGE " + Typed(board) + " " + from + " " + to +
             " lists ranks " + from + " to " + to);
}

Error TooMuchWork(std::string_view request, std::uint64_t entries, std::uint64_t most) {
  return {ErrorCode::kLimit, std::string(request) + " would touch " + std::to_string(entries) +
                                 " entries, more than max-work (" + std::to_string(most) +
                                 ") leaves: ask for less at a time"};
}

Error NoCursor(std::string_view text) {
  return Err(base::Quote(text) +
             " is no cursor: expected 0, $, -n, or the value of next in a reply");
}

Error NoListCursor(std::string_view text) {
  return Err(base::Quote(text) + " is no cursor: expected 0, or the cursor of a reply");
}

const WaysOut kRespWaysOut = {
    .create = [](std::string_view /*board*/) { return std::string("LB.CREATE"); },
    .adopt = [](std::string_view /*board*/) { return std::string("LB.CREATE … ADOPT"); },
    .remove_set = "DEL removes it",
    .request = {},
};

std::string WayToCreate(const WaysOut& ways, std::string_view board) {
  return ways.create(board.substr(0, board.rfind('@'))) + " or a template makes one";
}

std::string WayToAdopt(const WaysOut& ways, std::string_view board) {
  return ways.adopt(board) + " makes it a leaderboard";
}

std::string RequestName(const WaysOut& ways, const CommandInfo& command) {
  return ways.request.empty() ? LowerName(command) : std::string(ways.request);
}

}  // namespace laurel::wire
