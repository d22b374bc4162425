// Requests to a server over one HTTP connection, with the checks that hold for every answer.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "server/http_client.h"
#include "tests/conformance/http_json.h"

namespace laurel::conformance {

// Throws std::runtime_error if an answer is not what the API promises: the content type, a problem
// whose status belongs to its code, a page whose ETag is its version.
//
// A GET of a page that was read before says so (If-None-Match). If it has not changed, the answer
// is the page as it was.
class HttpExchange {
 public:
  // Later requests go to this port of 127.0.0.1.
  void Connect(int port) { client_.emplace(port); }

  HttpAnswer Send(black_box::HttpRequest request);
  // Reads a page, then reads it again without If-None-Match. Throws if the two differ: the first is
  // older than the board if its version stayed the same over a change.
  void ComparePage(const std::string& target);

 private:
  struct Page {
    std::string etag;
    std::string body;
  };

  // The body of a success. Remembers pages.
  std::string Succeeded(const black_box::HttpRequest& request,
                        const black_box::HttpResponse& response);

  std::optional<black_box::HttpClient> client_;
  std::map<std::string, Page> pages_;  // by target; ETags hold over restarts too
};

}  // namespace laurel::conformance
