// Which declarations the embedded engine can hold.
#pragma once

#include "laurel/result.h"
#include "wire/spec_arguments.h"

namespace laurel::engine {

// ERR: the IANA database has no such zone, or a feed was asked for, which only the module keeps.
// Asked after the words were read, by all that declare a board: LB.CREATE, LB.ALTER, templates.
Status CheckSupported(const wire::SpecArguments& wanted);

}  // namespace laurel::engine
