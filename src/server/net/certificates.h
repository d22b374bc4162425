// The certificates with which the server answers TLS clients.
#pragma once

#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "laurel/result.h"
#include "server/config/config.h"

namespace laurel::server {

// Reads tls-cert, tls-key and, if it is set, tls-ca. ERR with a message that names the option, the
// file and the cause.
Result<std::unique_ptr<boost::asio::ssl::context>> LoadCertificates(const Config& config);

}  // namespace laurel::server
