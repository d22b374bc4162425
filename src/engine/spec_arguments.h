// The options of LB.CREATE, LB.ALTER and templates.
#pragma once

#include <span>
#include <string_view>

#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::engine {

struct SpecArguments {
  Spec spec;
  bool adopt = false;
};

// What follows the board's name in LB.CREATE. The spec is checked (CheckSpec).
Status ParseSpecArguments(std::span<const std::string_view> arguments, SpecArguments* wanted);
// What follows the board's name in LB.ALTER: changes *wanted, which is the present spec. The result
// is not checked yet.
Status ParseAlterArguments(std::span<const std::string_view> arguments, SpecArguments* wanted);

// The same from one line, as config files and flags have it: "FIELDS 1 score:int POLICY best".
Result<Spec> ParseSpecLine(std::string_view line);

}  // namespace laurel::engine
