#include "client/redis_url.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace laurel::client {
namespace {

constexpr std::string_view kPlainScheme = "redis://";
constexpr std::string_view kTlsScheme = "rediss://";
constexpr std::string_view kRedisPort = "6379";
constexpr int kMaxDatabase = 1'000'000;
constexpr int kMaxPort = 65'535;

Error BadAddress(const std::string& reason) {
  return {ErrorCode::kErr, "not a server address: " + reason};
}

// Returns the number if the text consists of digits and is at most `most`; -1 otherwise.
int SmallNumber(std::string_view text, int most) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 && number <= most && text[0] != '+' && text[0] != '-' ? number : -1;
}

Result<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? base::HexValue(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? base::HexValue(text[i + 2]) : -1;
    if (high < 0 || low < 0) return BadAddress("a '%' without two hexadecimal digits");
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

// Parses HOST[:PORT]. A missing part leaves the address unchanged.
Status ParseEndpoint(std::string_view text, ServerAddress* address) {
  std::string_view host = text;
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return BadAddress("a '[' without ']'");
    host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && rest[0] != ':') return BadAddress("text after ']'");
    has_port = !rest.empty();
    port = rest.substr(has_port ? 1 : 0);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    if (text.find(':', colon + 1) != std::string_view::npos) {
      return BadAddress("an IPv6 address needs brackets: [::1]:7600");
    }
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    has_port = true;
  }
  // The text before an '@' may be a password, so no message shows it.
  if (text.find('@') != std::string_view::npos) {
    return BadAddress("a user or password needs redis:// or rediss:// before it");
  }
  if (has_port && SmallNumber(port, kMaxPort) < 1) {
    return BadAddress(base::Quote(port) + " is not a port");
  }
  const bool strange = std::any_of(host.begin(), host.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '/' || c == '@' || c == '?' || c == '#';
  });
  if (strange) return BadAddress(base::Quote(host) + " is not a host");
  if (!host.empty()) address->host = host;
  if (has_port) address->port = port;
  return Ok{};
}

Status ParseLogin(std::string_view text, ServerAddress* address) {
  const std::size_t colon = text.find(':');
  Result<std::string> user = PercentDecoded(text.substr(0, colon));
  if (!user.ok()) return user.error();
  Result<std::string> password =
      PercentDecoded(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (!password.ok()) return password.error();
  address->user = std::move(*user);
  address->password = std::move(*password);
  return Ok{};
}

}  // namespace

std::string ServerAddress::Text() const {
  const bool bracketed = host.find(':') != std::string::npos;
  return (bracketed ? "[" + host + "]" : host) + ":" + port;
}

bool IsRedisUrl(std::string_view text) {
  return text.starts_with(kPlainScheme) || text.starts_with(kTlsScheme);
}

Result<ServerAddress> ParseServerAddress(std::string_view text) {
  ServerAddress address;
  if (!IsRedisUrl(text)) {
    if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) {
      return BadAddress("the scheme " + base::Quote(text.substr(0, scheme)) +
                        " is neither redis nor rediss");
    }
    if (const Status parsed = ParseEndpoint(text, &address); !parsed.ok()) return parsed.error();
    return address;
  }
  address.tls = text.starts_with(kTlsScheme);
  address.port = kRedisPort;
  text.remove_prefix(address.tls ? kTlsScheme.size() : kPlainScheme.size());
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    const Status parsed = ParseLogin(text.substr(0, at), &address);
    if (!parsed.ok()) return parsed.error();
    text.remove_prefix(at + 1);
  }
  if (text.find_first_of("?#") != std::string_view::npos) {
    return BadAddress("parameters after the database are not known");
  }
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view database = text.substr(slash + 1);
    address.database = database.empty() ? 0 : SmallNumber(database, kMaxDatabase);
    if (address.database < 0) return BadAddress(base::Quote(database) + " is not a database");
    text = text.substr(0, slash);
  }
  if (const Status parsed = ParseEndpoint(text, &address); !parsed.ok()) return parsed.error();
  return address;
}

}  // namespace laurel::client
