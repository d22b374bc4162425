#include "server/http/http_service.h"

#include "base/assert.h"

namespace laurel::server {

void HttpService::Count(const http::Route* route, int status, std::int64_t micros) {
  LAUREL_ASSERT(http::RouteTable().size() <= kMaxRoutes);
  const std::size_t row =
      route == nullptr ? kMaxRoutes : static_cast<std::size_t>(route - http::RouteTable().data());
  Answers& counted = answers[row][static_cast<std::size_t>(status / 100 - 1)];
  counted.count.fetch_add(1, std::memory_order_relaxed);
  counted.total_us.fetch_add(micros, std::memory_order_relaxed);
}

std::vector<RouteFigures> HttpService::Routes() const {
  static constexpr std::string_view kClasses[] = {"1xx", "2xx", "3xx", "4xx", "5xx"};
  std::vector<RouteFigures> figures;
  for (std::size_t row = 0; row <= kMaxRoutes; ++row) {
    const bool has_route = row < http::RouteTable().size();
    if (!has_route && row != kMaxRoutes) continue;
    for (std::size_t i = 0; i < 5; ++i) {
      const std::uint64_t count = answers[row][i].count.load(std::memory_order_relaxed);
      if (count == 0) continue;
      figures.push_back({.method = has_route ? http::RouteTable()[row].method : "none",
                         .route = has_route ? http::RouteTable()[row].pattern : "none",
                         .status = kClasses[i],
                         .requests = count,
                         .total_us = answers[row][i].total_us.load(std::memory_order_relaxed)});
    }
  }
  return figures;
}

}  // namespace laurel::server
