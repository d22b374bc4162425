#include "server/config/web_names.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/integer.h"
#include "base/text.h"
#include "server/config/address_range.h"

namespace laurel::server {
namespace {

constexpr std::size_t kMaxHostNameBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsLabel(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabelBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_'; });
}

bool IsScheme(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.';
  });
}

// Returns the host of an origin in lower case.
std::optional<std::string> ParseHost(std::string_view text) {
  if (!text.starts_with('[')) return ParseHostName(text);
  if (!text.ends_with(']')) return std::nullopt;
  const std::string_view address = text.substr(1, text.size() - 2);
  if (address.find(':') == std::string_view::npos || !IpAddress::Parse(address)) {
    return std::nullopt;
  }
  return base::Lower(text);
}

bool IsImpliedPort(std::string_view scheme, std::string_view port) {
  return (scheme == "http" && port == "80") || (scheme == "https" && port == "443");
}

}  // namespace

std::optional<std::string> ParseHostName(std::string_view text) {
  if (text.size() > kMaxHostNameBytes) return std::nullopt;
  std::string_view left = text;
  while (true) {
    const std::size_t dot = left.find('.');
    if (!IsLabel(left.substr(0, dot))) return std::nullopt;
    if (dot == std::string_view::npos) return base::Lower(text);
    left.remove_prefix(dot + 1);
  }
}

std::optional<std::string> ParseOrigin(std::string_view text) {
  if (text == kAnyOrigin) return std::string(text);
  const std::size_t separator = text.find("://");
  if (separator == std::string_view::npos) return std::nullopt;
  if (!IsScheme(text.substr(0, separator))) return std::nullopt;
  const std::string scheme = base::Lower(text.substr(0, separator));
  const std::string_view rest = text.substr(separator + 3);
  // A port's colon comes after the bracket of an IPv6 address.
  const std::size_t bracket = rest.find(']');
  const std::size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::optional<std::string> host = ParseHost(rest.substr(0, colon));
  if (!host) return std::nullopt;
  const std::string origin = scheme + "://" + *host;
  if (colon == std::string_view::npos) return origin;
  const std::string_view port = rest.substr(colon + 1);
  std::int64_t number = 0;
  if (!base::ParseInteger(port, &number) || number < 1 || number > 65'535) return std::nullopt;
  return IsImpliedPort(scheme, port) ? origin : origin + ":" + std::string(port);
}

}  // namespace laurel::server
