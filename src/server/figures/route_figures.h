// Counts of the requests of HTTP routes.
#pragma once

#include <cstdint>
#include <string_view>

namespace laurel::server {

// The requests of one HTTP route with one class of status.
struct RouteFigures {
  std::string_view method;  // "GET"
  std::string_view route;   // the pattern, such as "/v1/boards/{board}"; never a path
  std::string_view status;  // "2xx", "4xx", …
  std::uint64_t requests = 0;
  std::int64_t total_us = 0;  // total time of the requests
};

}  // namespace laurel::server
