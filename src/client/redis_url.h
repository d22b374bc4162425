// Addresses of servers on the command line: HOST:PORT for Laurel, redis:// and rediss:// URLs for
// Redis, Valkey and Laurel.
#pragma once

#include <string>
#include <string_view>

#include "laurel/result.h"

namespace laurel::client {

// The address of a server, and the login.
struct ServerAddress {
  std::string host = "127.0.0.1";
  std::string port = "7600";
  bool tls = false;
  std::string user;      // empty: the default user
  std::string password;  // empty: none
  int database = 0;      // SELECT

  bool operator==(const ServerAddress&) const = default;

  // Returns "127.0.0.1:7600" or "[::1]:7600", for messages. Never includes user or password.
  [[nodiscard]] std::string Text() const;
};

// Parses an address:
//
//   HOST:PORT, HOST, :PORT or nothing                         port 7600, a Laurel server
//   redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]          port 6379
//   rediss://…                                                the same with TLS
//
// An IPv6 address needs brackets. %XX in user and password is a byte. ERR, without the password,
// for other texts.
Result<ServerAddress> ParseServerAddress(std::string_view text);

// Whether the text is a redis:// or rediss:// URL.
bool IsRedisUrl(std::string_view text);

}  // namespace laurel::client
