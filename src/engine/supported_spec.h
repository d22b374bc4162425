// Which specs the embedded engine supports.
#pragma once

#include "laurel/result.h"
#include "wire/spec_arguments.h"

namespace laurel::engine {

// Returns ERR if the IANA database does not have the spec's time zone, or if FEED is greater than
// 0, which only the module supports. Called after parsing by everything that declares a spec:
// LB.CREATE, LB.ALTER and templates.
Status CheckSupported(const wire::SpecArguments& wanted);

}  // namespace laurel::engine
