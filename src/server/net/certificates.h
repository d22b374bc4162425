// The certificates with which the server answers TLS clients.
#pragma once

#include <memory>
#include <string>

#include <openssl/types.h>

#include "laurel/result.h"
#include "server/config/config.h"

namespace laurel::server {

using TlsContext = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

// Reads tls-cert, tls-key and, if it is set, tls-ca. ERR with a message that names the option, the
// file and the cause.
Result<TlsContext> LoadCertificates(const Config& config);

// Returns the oldest error that OpenSSL has recorded on this thread, and forgets them all.
std::string TlsErrorText();

}  // namespace laurel::server
