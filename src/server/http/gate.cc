#include "server/http/gate.h"

#include <algorithm>

#include "base/text.h"

namespace laurel::server {
namespace {

std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

// Returns an origin such as "https://game.example:8443" without its scheme.
std::string_view AuthorityOf(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
}

}  // namespace

bool HasValidPort(std::string_view host) {
  std::string_view port = host.substr(WithoutPort(host).size());
  if (port.empty()) return true;
  port.remove_prefix(1);
  return !port.empty() && port.size() <= 5 &&
         port.find_first_not_of("0123456789") == std::string_view::npos &&
         (port.size() < 5 || port <= "65535");
}

bool IsAllowedHost(std::string_view host, std::span<const std::string> names) {
  const std::string_view name = WithoutPort(host);
  if (name.starts_with('[')) {
    const std::string_view address = name.substr(1, std::max<std::size_t>(name.size(), 2) - 2);
    return address.find(':') != std::string_view::npos && IpAddress::Parse(address);
  }
  const std::string lower = base::Lower(name);
  return lower == "localhost" || IpAddress::Parse(lower) ||
         std::find(names.begin(), names.end(), lower) != names.end();
}

OriginCheck CheckOrigin(std::optional<std::string_view> origin, std::string_view host,
                        std::span<const std::string> listed) {
  OriginCheck check;
  if (!origin) return check;
  const std::string_view authority = AuthorityOf(*origin);
  if (!authority.empty() && base::IsWord(authority, host)) return check;
  check.is_foreign = true;
  const std::string lower = base::Lower(*origin);
  for (const std::string& allowed : listed) {
    if (allowed == "*" || allowed == lower) {
      check.allowed = allowed == "*" ? std::string_view("*") : *origin;
      return check;
    }
  }
  check.is_allowed = false;
  return check;
}

bool IsJson(std::optional<std::string_view> content_type) {
  if (!content_type) return false;
  return base::IsWord(base::Trimmed(content_type->substr(0, content_type->find(';'))),
                      "application/json");
}

bool WantsEvents(std::optional<std::string_view> accept) {
  if (!accept) return false;
  std::string_view left = *accept;
  while (!left.empty()) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const std::string_view range = left.substr(0, comma);
    if (base::IsWord(base::Trimmed(range.substr(0, range.find(';'))), "text/event-stream"))
      return true;
    left.remove_prefix(std::min(comma + 1, left.size()));
  }
  return false;
}

std::optional<std::string_view> BearerOf(const http::Request& request) {
  const std::optional<std::string_view> header = request.Header("Authorization");
  if (!header) return std::nullopt;
  constexpr std::string_view kScheme = "Bearer ";
  if (request.CountHeaders("Authorization") > 1 || header->size() <= kScheme.size() ||
      !base::IsWord(header->substr(0, kScheme.size()), kScheme)) {
    return std::string_view();
  }
  return base::Trimmed(header->substr(kScheme.size()));
}

bool IsRequestId(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

std::string ClientAddress(std::string_view peer, std::optional<std::string_view> forwarded_for,
                          std::span<const AddressRange> proxies) {
  const auto is_trusted = [proxies](std::string_view text) {
    const std::optional<IpAddress> address = IpAddress::Parse(text);
    return address && std::any_of(proxies.begin(), proxies.end(), [&](const AddressRange& range) {
             return range.Contains(*address);
           });
  };
  // The peer has the form "1.2.3.4:5" or "[::1]:5".
  std::string_view address = peer.substr(0, peer.rfind(':'));
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  if (!forwarded_for || !is_trusted(address)) return std::string(peer);
  std::string_view left = *forwarded_for;
  while (true) {
    const std::size_t comma = left.rfind(',');
    const std::string_view found =
        base::Trimmed(comma == std::string_view::npos ? left : left.substr(comma + 1));
    if (!IpAddress::Parse(found)) return std::string(peer);
    if (comma == std::string_view::npos || !is_trusted(found)) {
      const std::string address_found(found);
      return found.find(':') != std::string_view::npos ? "[" + address_found + "]:0"
                                                       : address_found + ":0";
    }
    left = left.substr(0, comma);
  }
}

}  // namespace laurel::server
