// Checks a request before it is routed: the rules of Host, Origin and Content-Type, and the
// presented token. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/http_parser.h"
#include "server/config/address_range.h"

namespace laurel::server {

// Whether the Host header is allowed: an IP literal, localhost or one of `names` (lower case), with
// or without a port. This prevents DNS rebinding: a web page whose name resolves to this server's
// address cannot use the server.
bool IsAllowedHost(std::string_view host, std::span<const std::string> names);
// Whether the Host header has a valid port or none.
bool HasValidPort(std::string_view host);

// The result of checking the Origin header of a request.
struct OriginCheck {
  bool is_allowed = true;
  bool is_foreign = false;
  std::string_view allowed{};  // for Access-Control-Allow-Origin; empty: not needed
};
// `listed` is the configuration's cors-origins; "*" allows every origin.
OriginCheck CheckOrigin(std::optional<std::string_view> origin, std::string_view host,
                        std::span<const std::string> listed);

// Whether the Content-Type is application/json, with or without parameters.
bool IsJson(std::optional<std::string_view> content_type);
// Whether the Accept header asks for a stream of events.
bool WantsEvents(std::optional<std::string_view> accept);

// Returns the token of "Bearer <token>". None if the header is absent; empty if it has another
// form.
std::optional<std::string_view> BearerOf(const http::Request& request);

// Whether a client may choose this as its request id: 1 to 128 visible ASCII characters.
bool IsRequestId(std::string_view text);

// Returns the client's "address:port": `peer` or, if the peer is a trusted proxy, the last address
// of X-Forwarded-For that is not a trusted proxy, with port 0.
std::string ClientAddress(std::string_view peer, std::optional<std::string_view> forwarded_for,
                          std::span<const AddressRange> proxies);

}  // namespace laurel::server
