#include "server/net/certificates.h"

#include <string>
#include <string_view>

namespace laurel::server {
namespace {

using boost::asio::ssl::context;
using boost::system::error_code;

Error Failed(std::string_view what, const std::string& path, const error_code& error) {
  return {ErrorCode::kErr, std::string(what) + " '" + path + "': " + error.message()};
}

}  // namespace

Result<std::unique_ptr<context>> LoadCertificates(const Config& config) {
  auto tls = std::make_unique<context>(context::tls_server);
  error_code error;
  tls->set_options(context::no_tlsv1 | context::no_tlsv1_1, error);
  tls->use_certificate_chain_file(config.tls_cert, error);
  if (error) return Failed("tls-cert: cannot read", config.tls_cert, error);
  tls->use_private_key_file(config.tls_key, context::pem, error);
  if (error) return Failed("tls-key: cannot use", config.tls_key, error);
  if (config.tls_ca.empty()) return tls;
  tls->load_verify_file(config.tls_ca, error);
  if (error) return Failed("tls-ca: cannot read", config.tls_ca, error);
  tls->set_verify_mode(
      boost::asio::ssl::verify_peer | boost::asio::ssl::verify_fail_if_no_peer_cert, error);
  return tls;
}

}  // namespace laurel::server
