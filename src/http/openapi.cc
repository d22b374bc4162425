#include "http/openapi.h"

namespace laurel::http {

const std::string& OpenApiDocument() {
  static const std::string document = "{}";
  return document;
}

}  // namespace laurel::http
