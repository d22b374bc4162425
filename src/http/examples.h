// Examples of requests and answers, for each row of the table of routes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "http/route_traits.h"
#include "http/routes.h"

namespace laurel::http {

struct Example {
  std::string_view route;   // Route::name
  std::string_view target;  // path and query
  std::string_view body;    // JSON, may have blanks; empty: none
  int status = 200;
  std::string_view answer;  // as `body`, or text
  // The answer is the same on every server, but for times, cursors, versions and sizes in memory.
  bool is_stable = true;
};

// Examples of a route, at least one. Those of a group's routes, one after the other, are a session
// with a new server that begins with SetUpOf(group).
std::vector<const Example*> ExamplesOf(const Route& route);
std::size_t ExampleCount();

struct SetUp {
  std::string_view method;
  std::string_view target;
  std::string_view body;
};
std::vector<SetUp> SetUpOf(RouteGroup group);

}  // namespace laurel::http
