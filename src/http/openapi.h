// The OpenAPI 3.1 document of the API, made from the table of routes.
#pragma once

#include <string>

namespace laurel::http {

// The document, made once.
const std::string& OpenApiDocument();

}  // namespace laurel::http
