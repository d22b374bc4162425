// Runs the body of a fuzz target on its stored corpus, and on random changes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
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

// The files of a corpus, always in the same order.
inline std::vector<std::string> CorpusTexts(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    files[file.path().filename().string()] = ReadFile(file.path());
  }
  std::vector<std::string> texts;
  for (const auto& [name, text] : files) texts.push_back(text);
  return texts;
}

// Replaces, inserts, removes or copies a few bytes of `text`; copies come from `texts`.
inline std::string WithChanges(std::string text, const std::vector<std::string>& texts,
                               base::Random* random) {
  for (std::uint64_t changes = 1 + random->Below(4); changes > 0; --changes) {
    const std::size_t at = random->Below(text.size() + 1);
    const std::string& other = texts[random->Below(texts.size())];
    switch (random->Below(4)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random->Next());
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random->Next()));
        break;
      case 2:
        text.erase(at, 1 + random->Below(8));
        break;
      default:
        text.insert(at, other, random->Below(other.size() + 1), 1 + random->Below(40));
    }
  }
  return text;
}

// Calls `run` with `inputs` changed texts, the same ones in every run. Returns the first problem
// that it finds, with its seed, or that there are no texts; empty if all is well.
inline std::string ReplayChanges(const std::vector<std::string>& texts, std::uint64_t inputs,
                                 std::string (*run)(std::span<const std::uint8_t>)) {
  if (texts.empty()) return "no texts";
  for (std::uint64_t seed = 1; seed <= inputs; ++seed) {
    base::Random random(seed);
    const std::string text = WithChanges(texts[random.Below(texts.size())], texts, &random);
    const std::string problem =
        run({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    if (!problem.empty()) return "seed " + std::to_string(seed) + ": " + problem;
  }
  return "";
}

}  // namespace laurel
