// Members are bytes; those that are numbers have a shorter stored form.
//
// Most games rank users by a numeric id. A member that is the canonical decimal text of an int64
// ("42", "-7"; not "042", "+7", "-0") is stored as that number: 4 or 8 bytes instead of its digits
// and a length. Clients cannot see the difference: the member reads back as the same text and is
// ordered as text too ("10" before "9").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "base/hash.h"

namespace laurel::core {

// Room for the text of any int64.
using MemberBuffer = char[24];

// Writes the decimal text of `value` into `buffer` and returns a view of it.
std::string_view IntegerText(std::int64_t value, MemberBuffer& buffer);

// A member as the caller gives it, parsed once. Holds a view of the caller's bytes.
class MemberKey {
 public:
  explicit MemberKey(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] bool is_integer() const { return is_integer_; }
  [[nodiscard]] std::int64_t integer() const { return integer_; }
  [[nodiscard]] inline std::uint64_t Hash(std::uint64_t seed) const;

 private:
  std::string_view text_;
  std::int64_t integer_ = 0;
  bool is_integer_ = false;
};

inline std::uint64_t HashMemberInteger(std::int64_t value, std::uint64_t seed) {
  return base::HashInteger(static_cast<std::uint64_t>(value), seed);
}

inline std::uint64_t HashMemberText(std::string_view text, std::uint64_t seed) {
  return base::HashBytes(text, seed);
}

inline std::uint64_t MemberKey::Hash(std::uint64_t seed) const {
  return is_integer_ ? HashMemberInteger(integer_, seed) : HashMemberText(text_, seed);
}

// For sets and maps of members that clients choose. Seeded, because a client could choose members
// that collide.
struct MemberHash {
  std::uint64_t seed;
  std::size_t operator()(std::string_view member) const { return HashMemberText(member, seed); }
};
using MemberSet = std::unordered_set<std::string_view, MemberHash>;

}  // namespace laurel::core
