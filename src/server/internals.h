// `laurel internals`: prints the tables of commands, routes and options as JSON, for
// docs/make_pages.py. It is not part of the program's help, and its form may change.
#pragma once

#include <string>

namespace laurel::server {

// One object: commands, codes, routes, the keys of a submit and of a read, options.
std::string DescribeInternals();

}  // namespace laurel::server
