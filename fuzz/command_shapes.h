// What requests look like, command by command: how a fuzzer's bytes become arguments that get past
// the first check.
//
// A shape is a line in a little language. Words apart by blanks are arguments:
//
//   key member score …   a sample of that kind (see command_samples.cc)
//   NX WITHSCORES …      the word itself
//   NX|XX                one of them
//   [ … ]                there or not
//   ( … )+               one to four times
//   { … }                a count, then the group so many times; the count may be wrong
//   … / …                one of two whole shapes
//
// Any sample may be replaced by raw bytes of the input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "wire/command_id.h"

namespace laurel::fuzz {

// What follows the command's name, subcommand included. Null if the command has no shape:
// fuzz_coverage_test fails then.
const std::string_view* ShapeOf(wire::CommandId id);

// Commands that build up what the others look at, more than once for those that matter more.
const std::vector<wire::CommandId>& BuildingCommands();

// The name and the arguments of a request for the command. REQUIRES: it has a shape.
std::vector<std::string> MakeArguments(wire::CommandId id, FuzzInput* input);

// What is wrong with the shape: a kind without samples, brackets that do not match. Empty if
// nothing is.
std::string ShapeProblem(std::string_view shape);

}  // namespace laurel::fuzz
