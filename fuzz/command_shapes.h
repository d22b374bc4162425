// The shape of each command's requests: how a fuzzer's bytes become arguments that pass the first
// checks.
//
// A shape is a line in a small language. Arguments are separated by blanks:
//
//   key member score …   a sample of that kind (see command_samples.cc)
//   NX WITHSCORES …      the word itself
//   NX|XX                one of them
//   [ … ]                present or absent
//   ( … )+               one to four times
//   { … }                a count N, then the group N times; the count may be wrong
//   … / …                one of several whole shapes
//
// Any sample may be replaced by raw bytes of the input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "wire/command_id.h"

namespace laurel::fuzz {

// The shape of what follows the command's name, subcommand included. Null if the command has no
// shape; fuzz_coverage_test fails then.
const std::string_view* ShapeOf(wire::CommandId id);

// Commands that create what other commands read. More important ones are listed more than once.
const std::vector<wire::CommandId>& BuildingCommands();

// Makes the name and the arguments of a request for the command. REQUIRES: the command has a shape.
std::vector<std::string> MakeArguments(wire::CommandId id, FuzzInput* input);

// Describes what is wrong with the shape: a kind without samples, or brackets that do not match.
// Empty if the shape is valid.
std::string ShapeProblem(std::string_view shape);

}  // namespace laurel::fuzz
