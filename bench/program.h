// The common part of the main functions of all bench programs.
#pragma once

#include <functional>
#include <string>

#include "bench/option_parser.h"
#include "bench/report.h"

namespace laurel::bench {

// Runs the program laurel_bench_GROUP: parses its arguments by `options` and --json, calls `run`,
// writes the report's file and prints the bars that were met. Returns the exit code of main: 2 for
// wrong arguments, after the usage text; 1 if `run` throws Failure or the file cannot be written.
int RunBench(const std::string& group, OptionParser options, int argc, char** argv,
             const std::function<void(Report*)>& run);

}  // namespace laurel::bench
