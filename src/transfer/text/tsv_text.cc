#include "transfer/text/tsv_text.h"

#include <cstddef>
#include <optional>

namespace laurel::transfer {
namespace {

// Returns the byte that the letter of an escape stands for; none for other letters.
std::optional<char> ByteOf(char letter) {
  switch (letter) {
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '0':
      return '\0';
    case '\\':
      return '\\';
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string_view AppendTsvText(std::string_view field, std::string* text) {
  while (true) {
    const std::size_t backslash = field.find('\\');
    text->append(field.substr(0, backslash));
    if (backslash == std::string_view::npos) return {};
    field.remove_prefix(backslash + 1);
    const std::optional<char> byte = field.empty() ? std::nullopt : ByteOf(field[0]);
    if (!byte) return "a backslash begins no escape of mysql or COPY";
    text->push_back(*byte);
    field.remove_prefix(1);
  }
}

}  // namespace laurel::transfer
