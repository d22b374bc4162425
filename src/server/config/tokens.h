// Access tokens: each grants a role on the boards that match its pattern. A token is a secret text
// that a client presents (AUTH, HTTP Bearer). The server stores only its SHA-256, so a leaked
// configuration file gives no access. One hash without salt is enough for the 256 random bits that
// `laurel token` makes; it is not enough for passwords that people choose.
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
  std::string name;  // shown in the log and in CLIENT LIST; unique
  TokenHash hash{};
  wire::Role role = wire::Role::kRead;
  std::string boards = "*";  // a glob pattern; the role holds on boards that match it

  bool operator==(const Token&) const = default;
};

TokenHash HashToken(std::string_view presented);

// Returns the token whose hash matches the presented text; null if there is none. The time depends
// only on the number of tokens and the length of the text, so it reveals nothing about a hash.
const Token* FindToken(std::span<const Token> tokens, std::string_view presented);

// "sha256:" and 64 hexadecimal digits.
std::string FormatTokenHash(const TokenHash& hash);
Result<TokenHash> ParseTokenHash(std::string_view text);

// read, submit, write or admin.
Result<wire::Role> ParseRole(std::string_view text);

// Whether the text can be a pattern of board names: not empty, no longer than a board's name, no
// control characters.
bool IsBoardPattern(std::string_view text);

// ERR unless the name (letters, digits, '-', '_' and '.') and the pattern are valid.
Status CheckToken(const Token& token);

// A token as `laurel token` issues it.
struct IssuedToken {
  std::string secret;  // what clients present; stored nowhere
  Token token;
};

// Makes a random token. The arguments are those of `laurel token [ROLE] [BOARDS]`; the defaults are
// the role admin and all boards. An empty name becomes the role and random digits.
Result<IssuedToken> IssueToken(std::span<const std::string_view> arguments,
                               std::string_view name = {});

// The output of `laurel token`. DescribeSecret returns the text for standard error, with the secret
// on its first line. DescribeToken returns the text for standard output: the lines for the
// configuration file, then the equivalent flag.
std::string DescribeSecret(const IssuedToken& issued);
std::string DescribeToken(const Token& token);

}  // namespace laurel::server
