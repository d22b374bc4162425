#include "core/member.h"

#include <charconv>

namespace laurel::core {
namespace {

constexpr std::size_t kMaxIntegerText = 20;  // "-9223372036854775808"

}  // namespace

std::string_view IntegerText(std::int64_t value, MemberBuffer& buffer) {
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, static_cast<std::size_t>(end - buffer)};
}

MemberKey::MemberKey(std::string_view text) : text_(text) {
  if (text.empty() || text.size() > kMaxIntegerText) return;
  const bool negative = text[0] == '-';
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return;
  if (digits[0] == '0' && text.size() > 1) return;  // "042", "-0"
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, integer_);
  is_integer_ = error == std::errc() && stop == end;
}

}  // namespace laurel::core
