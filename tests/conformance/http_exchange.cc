#include "tests/conformance/http_exchange.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace laurel::conformance {
namespace {

using black_box::HttpRequest;
using black_box::HttpResponse;

// The status of each code that the suite can provoke.
constexpr std::pair<std::string_view, int> kStatuses[] = {
    {"NOBOARD", 404}, {"NOMEMBER", 404}, {"BADSCORE", 422}, {"BADTIME", 422}, {"OVERFLOW", 422},
    {"REUSED", 422},  {"CLOSED", 409},   {"EXISTS", 409},   {"LIMIT", 413},   {"ERR", 400},
};

[[noreturn]] void Fail(const std::string& what, const HttpRequest& request,
                       const HttpResponse& response) {
  throw std::runtime_error(what + ": " + request.method + " " + request.target + " " +
                           request.body + " -> " + std::to_string(response.status) + " " +
                           response.body);
}

void CheckProblem(const HttpAnswer& problem, const HttpRequest& request,
                  const HttpResponse& response) {
  if (response.Header("Content-Type") != "application/problem+json") {
    Fail("not a problem", request, response);
  }
  const auto code = problem.code();
  const auto known = std::find_if(std::begin(kStatuses), std::end(kStatuses),
                                  [&](const auto& row) { return code && row.first == *code; });
  if (known == std::end(kStatuses)) Fail("an unknown code", request, response);
  if (known->second != response.status) Fail("a wrong status", request, response);
  const bool is_repeated =
      TextOf(Named(problem.json(), "status")) == std::to_string(response.status) &&
      TextOf(Named(problem.json(), "request_id")) == response.Header("X-Request-Id");
  if (!is_repeated || TextOf(Named(problem.json(), "detail")).empty()) {
    Fail("a problem that is not that of its head", request, response);
  }
}

void CheckSuccess(const HttpAnswer& answer, const HttpRequest& request,
                  const HttpResponse& response) {
  if (response.Header("Content-Type") != "application/json") Fail("not JSON", request, response);
  const auto version = Find(answer.json(), "version");
  if (version && request.method == "GET" &&
      response.Header("ETag") != "\"" + TextOf(*version) + "\"") {
    Fail("a wrong ETag", request, response);
  }
}

}  // namespace

HttpAnswer HttpExchange::Send(HttpRequest request) {
  if (request.method == "POST" || !request.body.empty()) {
    request.headers.emplace_back("Content-Type", "application/json");
  }
  const HttpResponse response = client_->Send(request);
  HttpAnswer answer(response.body);
  if (response.status == 200 || response.status == 201) {
    CheckSuccess(answer, request, response);
  } else {
    CheckProblem(answer, request, response);
  }
  return answer;
}

}  // namespace laurel::conformance
