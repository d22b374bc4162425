// The OpenAPI 3.1 document of the API. It is data: openapi.json, which the build compiles in
// (cmake/EmbedJson.cmake). openapi_test compares it with the table of routes.
#pragma once

#include <string_view>

namespace laurel::http {

// The document, without blanks between its tokens.
std::string_view OpenApiDocument();

}  // namespace laurel::http
