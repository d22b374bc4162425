#include "core/store/member.h"

#include <charconv>

#include "base/integer.h"

namespace laurel::core {
std::string_view IntegerText(std::int64_t value, MemberBuffer& buffer) {
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, static_cast<std::size_t>(end - buffer)};
}

MemberKey::MemberKey(std::string_view text)
    : text_(text), is_integer_(base::ParseInteger(text, &integer_)) {}

}  // namespace laurel::core
