#include "engine/commands/scanning.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "engine/limits.h"

namespace laurel::engine {

bool TakeCursor(Context& context, std::string_view argument, std::uint64_t* cursor) {
  // As Redis does with strtoul: an empty text is 0, a sign is accepted, and a NUL ends the number.
  const std::string text(argument);
  char* end = nullptr;
  errno = 0;
  *cursor = std::strtoull(text.c_str(), &end, 10);
  const bool blank_first = !text.empty() && std::isspace(static_cast<unsigned char>(text[0])) != 0;
  if (*end == '\0' && errno != ERANGE && !blank_first) return true;
  return Refuse(context, "ERR invalid cursor");
}

bool TakeMatch(Context& context, std::string_view argument, ScanOptions* options,
               std::size_t word) {
  std::optional<base::Glob> pattern = TakePattern(context, argument, word);
  if (!pattern) return false;
  options->pattern = std::move(*pattern);
  return true;
}

bool TakeCount(Context& context, std::string_view argument, ScanOptions* options) {
  std::int64_t count = 0;
  if (!TakeInteger(context, argument, &count)) return false;
  if (count < 1) return Refuse(context, kSyntaxError);
  options->count = std::min(static_cast<std::size_t>(count), kMaxScanned);
  return true;
}

bool TakeScanOptions(Context& context, std::size_t first, ScanOptions* options) {
  const auto arguments = context.arguments;
  const bool takes_type = context.command.id == wire::CommandId::kScan;
  for (std::size_t i = first; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) return Refuse(context, kSyntaxError);
    if (IsWord(arguments[i], "COUNT")) {
      if (!TakeCount(context, arguments[i + 1], options)) return false;
    } else if (IsWord(arguments[i], "MATCH")) {
      if (!TakeMatch(context, arguments[i + 1], options)) return false;
    } else if (takes_type && IsWord(arguments[i], "TYPE")) {
      options->type = arguments[i + 1];
    } else {
      return Refuse(context, kSyntaxError);
    }
  }
  return true;
}

}  // namespace laurel::engine
