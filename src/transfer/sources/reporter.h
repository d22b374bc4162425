// Reporter: shows the progress and the results of an import or export.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::transfer {

enum class ProgressUnit : std::uint8_t { kBytes, kRows };

class Reporter {
 public:
  virtual ~Reporter() = default;

  // Begins a phase, such as "reading" or "writing". May be called again for the next phase.
  virtual void Begin(std::string_view work, ProgressUnit unit) = 0;
  // May be called often. A total of 0 is unknown.
  virtual void Progress(std::uint64_t done, std::uint64_t total) = 0;
  // Ends the phase.
  virtual void End() = 0;
  // Prints a line of the report.
  virtual void Say(const std::string& line) = 0;
};

}  // namespace laurel::transfer
