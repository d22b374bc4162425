// Access tokens: who may do what on which boards. A token is a secret text that a client presents
// (AUTH, HTTP Bearer); the server knows its SHA-256 alone, so a configuration file that leaks opens
// nothing. One hash without salt is enough for the 256 random bits that `laurel token` makes; it is
// not for passwords that people make up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "wire/command_table.h"

namespace laurel::server {

using TokenHash = std::array<std::uint8_t, 32>;  // SHA-256

inline constexpr std::size_t kMaxTokens = 1000;  // every login compares with all of them
inline constexpr std::size_t kMaxTokenNameBytes = 64;

struct Token {
  std::string name;  // for the log and for people; unique
  TokenHash hash{};
  wire::Role role = wire::Role::kRead;
  std::string boards = "*";  // a glob pattern; the role holds on boards that match it

  bool operator==(const Token&) const = default;
};

TokenHash HashToken(std::string_view presented);

// The token whose hash is that of the text presented; null if there is none. How long it takes
// depends on the number of tokens and the length of the text only: nothing of a hash leaks.
const Token* FindToken(std::span<const Token> tokens, std::string_view presented);

// "sha256:" and 64 hexadecimal digits.
std::string FormatTokenHash(const TokenHash& hash);
Result<TokenHash> ParseTokenHash(std::string_view text);

// read, submit, write or admin.
Result<wire::Role> ParseRole(std::string_view text);

// Whether the name is one (letters, digits, '-', '_' and '.') and the pattern too (not empty, no
// longer than a board's name, no control characters).
Status CheckToken(const Token& token);

// A token as `laurel token` hands it out.
struct IssuedToken {
  std::string secret;  // what clients present; stored nowhere
  Token token;
};

// A new random token. The arguments are those of `laurel token [ROLE] [BOARDS]`; the role is admin
// and the boards are all if they are missing.
Result<IssuedToken> IssueToken(std::span<const std::string_view> arguments);

// What `laurel token` prints: the secret on the first line, then the lines for the configuration
// file, then the same as a flag.
std::string DescribeToken(const IssuedToken& issued);

}  // namespace laurel::server
