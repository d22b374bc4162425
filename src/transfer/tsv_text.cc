#include "transfer/tsv_text.h"

#include <cstddef>

#include "base/text.h"

namespace laurel::transfer {
namespace {

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// The control character that the letter of an escape stands for; 0 if there is none.
char ControlOf(char letter) {
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
    case '\\':
      return '\\';
    default:
      return '\0';
  }
}

// Takes an escape, without its backslash, from the front of *left. False if it is none.
bool TakeEscape(std::string_view* left, char* byte) {
  if (left->empty()) return false;
  std::size_t size = 1;
  *byte = ControlOf((*left)[0]);
  unsigned value = 0;
  if (IsOctal((*left)[0])) {
    for (size = 0; size < 3 && size < left->size() && IsOctal((*left)[size]); ++size) {
      value = value * 8 + static_cast<unsigned>((*left)[size] - '0');
    }
    if (value > 0xff) return false;
    *byte = static_cast<char>(value);
  } else if ((*left)[0] == 'x') {
    for (; size < 3 && size < left->size() && base::HexValue((*left)[size]) >= 0; ++size) {
      value = value * 16 + static_cast<unsigned>(base::HexValue((*left)[size]));
    }
    if (size == 1) return false;
    *byte = static_cast<char>(value);
  } else if (*byte == '\0') {
    return false;
  }
  left->remove_prefix(size);
  return true;
}

}  // namespace

std::string_view AppendTsvText(std::string_view field, std::string* text) {
  while (true) {
    const std::size_t backslash = field.find('\\');
    text->append(field.substr(0, backslash));
    if (backslash == std::string_view::npos) return {};
    field.remove_prefix(backslash + 1);
    char byte = 0;
    if (!TakeEscape(&field, &byte)) return "a backslash begins no escape of mysql or COPY";
    text->push_back(byte);
  }
}

}  // namespace laurel::transfer
