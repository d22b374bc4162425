// What the main functions of all bench programs do.
#pragma once

#include <functional>
#include <string>

#include "bench/option_parser.h"
#include "bench/report.h"

namespace laurel::bench {

// The program laurel_bench_GROUP: parses its arguments by `options` and --json, calls `run`, writes
// the report's file and prints which bars were met. Returns the exit code of main: 2 for wrong
// arguments, after the usage text; 1 if `run` throws Failure or the file cannot be written.
int RunBench(const std::string& group, OptionParser options, int argc, char** argv,
             const std::function<void(Report*)>& run);

}  // namespace laurel::bench
