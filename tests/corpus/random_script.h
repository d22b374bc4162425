// Requests at random, on a handful of boards, with clock steps and restarts between them.
#pragma once

#include <vector>

#include "tests/corpus/corpus_file.h"

namespace laurel::corpus {

// The same at every call, as long as the shapes of fuzz/command_shapes.cc stay what they are. The
// recorded file does not depend on them.
std::vector<Step> RandomScript();

}  // namespace laurel::corpus
