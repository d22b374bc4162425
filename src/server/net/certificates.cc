#include "server/net/certificates.h"

#include <cstring>
#include <string_view>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace laurel::server {
namespace {

Error Failed(std::string_view what, const std::string& path) {
  return {ErrorCode::kErr, std::string(what) + " '" + path + "': " + TlsErrorText()};
}

}  // namespace

std::string TlsErrorText() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  const char* reason = ERR_reason_error_string(code);
  const char* library = ERR_lib_error_string(code);
  return std::string(reason != nullptr ? reason : "error of TLS") +
         (library != nullptr ? std::string(" (") + library + ")" : "");
}

Result<TlsContext> LoadCertificates(const Config& config) {
  ERR_clear_error();
  TlsContext tls(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (tls == nullptr) return Error{ErrorCode::kErr, "TLS: " + TlsErrorText()};
  SSL_CTX_set_min_proto_version(tls.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(tls.get(), SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(tls.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
  // One recv for a record's header and body.
  SSL_CTX_set_read_ahead(tls.get(), 1);
  if (SSL_CTX_use_certificate_chain_file(tls.get(), config.tls_cert.c_str()) != 1) {
    return Failed("tls-cert: cannot read", config.tls_cert);
  }
  if (SSL_CTX_use_PrivateKey_file(tls.get(), config.tls_key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Failed("tls-key: cannot use", config.tls_key);
  }
  if (config.tls_ca.empty()) return tls;
  if (SSL_CTX_load_verify_file(tls.get(), config.tls_ca.c_str()) != 1) {
    return Failed("tls-ca: cannot read", config.tls_ca);
  }
  SSL_CTX_set_verify(tls.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // Sessions of clients with certificates are resumed within this program only.
  constexpr unsigned char kSessions[] = "laurel";
  SSL_CTX_set_session_id_context(tls.get(), kSessions, sizeof(kSessions) - 1);
  return tls;
}

}  // namespace laurel::server
