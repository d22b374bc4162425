// Requests to a server over one HTTP connection, with the checks that hold for every answer.
#pragma once

#include <optional>

#include "server/http_client.h"
#include "tests/conformance/http_json.h"

namespace laurel::conformance {

// Throws std::runtime_error if an answer is not what the API promises: the content type, a problem
// whose status belongs to its code, a page whose ETag is its version.
class HttpExchange {
 public:
  // Later requests go to this port of 127.0.0.1.
  void Connect(int port) { client_.emplace(port); }

  HttpAnswer Send(black_box::HttpRequest request);

 private:
  std::optional<black_box::HttpClient> client_;
};

}  // namespace laurel::conformance
