// Runs the body of a fuzz target on its stored corpus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tests/support/files.h"

namespace laurel {

// Calls `run` with every file of `folder`. Returns the problems that it finds, with the names of
// the files, or that there are no files; empty if all is well.
inline std::string ReplayCorpus(const std::string& folder,
                                std::string (*run)(std::span<const std::uint8_t>)) {
  std::string problems;
  bool is_empty = true;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    is_empty = false;
    const std::string text = ReadFile(file.path());
    const std::string problem =
        run({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    if (!problem.empty()) problems += file.path().string() + ": " + problem + "\n";
  }
  return is_empty ? "no files in " + folder : problems;
}

}  // namespace laurel
