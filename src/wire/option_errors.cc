#include "wire/option_errors.h"

#include <string>

#include "base/text.h"

namespace laurel::wire {
namespace {

Error Err(std::string message) { return {ErrorCode::kErr, std::move(message)}; }

}  // namespace

Error UnknownOption(std::string_view word) {
  if (base::IsWord(word, "GT") || base::IsWord(word, "LT")) {
    return Err("GT and LT belong to ZADD: on a leaderboard POLICY best keeps the better score");
  }
  return Err("unknown option " + base::Quote(word));
}

Error RepeatedOption(std::string_view option) {
  return Err("option " + base::Quote(option) + " is given twice");
}

Error MissingValue(std::string_view option) { return Err(std::string(option) + " needs a value"); }

Error NotAnInteger(std::string_view what, std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) {
    return Err(std::string(what) + " is out of range, got " + base::Quote(text));
  }
  return Err(std::string(what) + " must be a whole number, got " + base::Quote(text));
}

Error BelowLeast(std::string_view what, std::int64_t least, std::string_view text) {
  return Err(std::string(what) + " must be at least " + std::to_string(least) + ", got " +
             base::Quote(text));
}

}  // namespace laurel::wire
