#include "server/config/tokens.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/assert.h"
#include "base/text.h"
#include "laurel/limits.h"
#include "server/config/toml_text.h"

namespace laurel::server {
namespace {

using base::Quote;

constexpr std::string_view kHashPrefix = "sha256:";
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kNameSuffixBytes = 3;

bool IsNameByte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_' || c == '.';
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Quotes text for a POSIX shell.
std::string ShellQuote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

TokenHash HashToken(std::string_view presented) {
  TokenHash hash{};
  unsigned int bytes = 0;
  const int done =
      EVP_Digest(presented.data(), presented.size(), hash.data(), &bytes, EVP_sha256(), nullptr);
  LAUREL_ASSERT(done == 1 && bytes == hash.size());
  return hash;
}

const Token* FindToken(std::span<const Token> tokens, std::string_view presented) {
  const TokenHash hash = HashToken(presented);
  const Token* found = nullptr;
  for (const Token& token : tokens) {
    if (CRYPTO_memcmp(token.hash.data(), hash.data(), hash.size()) == 0) found = &token;
  }
  return found;
}

std::string FormatTokenHash(const TokenHash& hash) {
  return std::string(kHashPrefix) + base::Hex(std::as_bytes(std::span(hash)));
}

Result<TokenHash> ParseTokenHash(std::string_view text) {
  TokenHash hash{};
  const Error refusal =
      Err("expected a hash as laurel token prints it, sha256: and 64 hexadecimal digits, got " +
          Quote(text));
  if (!text.starts_with(kHashPrefix)) return refusal;
  const std::optional<std::string> bytes = base::Unhex(text.substr(kHashPrefix.size()));
  if (!bytes || bytes->size() != hash.size()) return refusal;
  std::copy(bytes->begin(), bytes->end(), hash.begin());
  return hash;
}

Result<wire::Role> ParseRole(std::string_view text) {
  using wire::Role;
  for (const Role role : {Role::kRead, Role::kSubmit, Role::kWrite, Role::kAdmin}) {
    if (text == wire::RoleName(role)) return role;
  }
  return Err("expected a role, one of read, submit, write and admin, got " + Quote(text));
}

bool IsBoardPattern(std::string_view text) {
  return !text.empty() && text.size() <= kMaxBoardNameBytes &&
         std::none_of(text.begin(), text.end(), IsControl);
}

Status CheckToken(const Token& token) {
  const std::string& name = token.name;
  if (name.empty() || name.size() > kMaxTokenNameBytes ||
      !std::all_of(name.begin(), name.end(), IsNameByte)) {
    return Err("expected a token name of 1 to 64 letters, digits, '-', '_' and '.', got " +
               Quote(name));
  }
  if (!IsBoardPattern(token.boards)) {
    return Err(
        "expected a pattern of board names, 1 to 512 bytes without control characters, got " +
        Quote(token.boards));
  }
  return Ok{};
}

Result<IssuedToken> IssueToken(std::span<const std::string_view> arguments, std::string_view name) {
  if (arguments.size() > 2) return Err("unexpected argument " + Quote(arguments[2]));
  IssuedToken issued;
  Token& token = issued.token;
  const Result<wire::Role> role = ParseRole(arguments.empty() ? "admin" : arguments[0]);
  if (!role.ok()) return role.error();
  token.role = *role;
  if (arguments.size() > 1) token.boards = arguments[1];

  std::array<std::uint8_t, kSecretBytes + kNameSuffixBytes> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return Err("the system gave no random bytes");
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(random));
  issued.secret = base::Hex(bytes.first(kSecretBytes));
  token.name = !name.empty() ? std::string(name)
                             : std::string(wire::RoleName(*role)) + "-" +
                                   base::Hex(bytes.subspan(kSecretBytes));
  token.hash = HashToken(issued.secret);
  const Status checked = CheckToken(token);
  if (!checked.ok()) return checked.error();
  return issued;
}

std::string DescribeSecret(const IssuedToken& issued) {
  return issued.secret +
         "\n\nAbove: the token. It is shown this once; give it to the client and to nobody else.\n"
         "On standard output: what the server needs, for its configuration file.\n";
}

std::string DescribeToken(const Token& token) {
  const std::string role(wire::RoleName(token.role));
  const std::string hash = FormatTokenHash(token.hash);
  std::string text = "[[token]]\n";
  text += "name = " + TomlString(token.name) + "\n";
  text += "role = " + TomlString(role) + "\n";
  text += "hash = " + TomlString(hash) + "\n";
  text += "boards = " + TomlString(token.boards) + "\n\n";
  text += "# The same as a flag of laurel serve:\n";
  text +=
      "# --token " + ShellQuote(token.name + ":" + role + ":" + hash + ":" + token.boards) + "\n";
  return text;
}

}  // namespace laurel::server
