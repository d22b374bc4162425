// Checks and errors about a spec that several files share.
#pragma once

#include <cstddef>
#include <string>

#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::core {

// Whether some field has an operator other than set.
bool HasOperators(const Spec& spec);

// A field for error texts: "field 'points' (int, -9223372036854775808 to 9223372036854775807)".
std::string DescribeField(const Field& field);

// The error for a wrong number of values: "takes 3 values (points deaths best), got 2".
Error WrongValueCount(const Spec& spec, std::size_t got);

}  // namespace laurel::core
