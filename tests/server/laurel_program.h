// Runs the `laurel` program to its end, for tests of its commands other than `serve`.
#pragma once

#include <string>
#include <vector>

namespace laurel::black_box {

struct ProgramResult {
  int exit_code = -1;  // or 128 + the signal that ended it
  std::string output;  // standard output, then standard error
  std::string errors;  // standard error

  bool Says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

// Runs `laurel` with these arguments, without a terminal. `environment`: "NAME=value" words.
ProgramResult RunLaurel(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment = {});

// A token as `laurel token` makes it.
struct IssuedToken {
  std::string secret;
  std::string lines;  // for the configuration file
};
IssuedToken IssueToken(const std::string& role, const std::string& boards = "*");

// The last digest in the output of `laurel check` or `laurel restore`; empty if there is none.
std::string DigestIn(const std::string& output);
// The record number in the last text "state at record …" of such an output; -1 if there is none.
long RecordIn(const std::string& output);

}  // namespace laurel::black_box
