// Schemas of answers and of the parts of requests, for /openapi.json.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "http/call.h"
#include "http/routes.h"

namespace laurel::http {

// A schema of components/schemas, written by hand. The JSON has blanks.
struct NamedSchema {
  std::string_view name;
  std::string_view json;
};
// Shared parts of requests and all answers.
std::span<const NamedSchema> WrittenSchemas();

// The name of the schema of an answer; empty if the answer is no JSON.
std::string_view AnswerSchema(Shape shape);

// The schema of a parameter or of a member of a JSON object.
std::string SchemaOf(const Property& property);
// The schema of an object with these properties and no others. A property of bytes may be given as
// text or as base64. `any_of`: a JSON array of further conditions, or empty.
std::string ObjectSchema(std::span<const Property> properties, std::string_view any_of = {});

// {"$ref":"#/components/schemas/NAME"}
std::string SchemaReference(std::string_view name);

}  // namespace laurel::http
