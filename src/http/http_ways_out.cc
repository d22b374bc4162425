#include "http/http_ways_out.h"

#include "base/percent.h"

namespace laurel::http {
namespace {

std::string PutBoard(std::string_view board) {
  std::string request = "PUT /v1/boards/";
  base::AppendPercentEncoded(board, &request);
  return request;
}

}  // namespace

const wire::WaysOut kWaysOut = {
    .create = PutBoard,
    .adopt = [](std::string_view board) { return PutBoard(board) + R"( with "adopt":true)"; },
    .remove_set = "DEL removes it, over RESP",
    .request = "this request",
};

}  // namespace laurel::http
