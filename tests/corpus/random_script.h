// Random requests on a few boards, with clock steps and restarts between them.
#pragma once

#include <vector>

#include "tests/corpus/corpus_file.h"

namespace laurel::corpus {

// Returns the same script at every call, as long as fuzz/command_shapes.cc does not change. A file
// that was recorded from it stays valid when the shapes change.
std::vector<Step> RandomScript();

}  // namespace laurel::corpus
