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

}  // namespace

HttpAnswer HttpExchange::Send(HttpRequest request) {
  if (request.method == "POST" || !request.body.empty()) {
    request.headers.emplace_back("Content-Type", "application/json");
  }
  const auto known = pages_.find(request.target);
  if (request.method == "GET" && known != pages_.end()) {
    request.headers.emplace_back("If-None-Match", known->second.etag);
  }
  const HttpResponse response = client_->Send(request);
  const std::string type = response.Header("Content-Type").value_or("");
  if (response.status < 400) return HttpAnswer(Succeeded(request, response));
  if (type != "application/problem+json") Fail("not a problem", request, response);
  HttpAnswer problem(response.body);
  CheckProblem(problem, request, response);
  return problem;
}

void HttpExchange::ComparePage(const std::string& target) {
  const std::string known = std::string(Send({"GET", target, {}, ""}).json().json());
  const HttpRequest request{"GET", target, {}, ""};
  const HttpResponse now = client_->Send(request);
  if (now.body != known && now.status < 400) Fail("304 over a change: " + known, request, now);
}

std::string HttpExchange::Succeeded(const HttpRequest& request, const HttpResponse& response) {
  const std::optional<std::string> etag = response.Header("ETag");
  if (response.status == 304) {
    const auto known = pages_.find(request.target);
    if (known == pages_.end() || etag != known->second.etag) {
      Fail("304 for a page that was not named", request, response);
    }
    return known->second.body;
  }
  if (response.status != 200 && response.status != 201) Fail("a wrong status", request, response);
  if (response.Header("Content-Type") != "application/json") Fail("not JSON", request, response);
  const HttpAnswer answer(response.body);
  if (const auto version = Find(answer.json(), "version"); version && request.method == "GET") {
    if (etag != "\"" + TextOf(*version) + "\"") Fail("a wrong ETag", request, response);
    pages_[request.target] = {*etag, response.body};
  }
  return response.body;
}

}  // namespace laurel::conformance
