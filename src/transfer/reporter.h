// Reporter: how an import or export tells what it does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::transfer {

enum class ProgressUnit : std::uint8_t { kBytes, kRows };

class Reporter {
 public:
  virtual ~Reporter() = default;

  // Begins a piece of work: "reading", "writing". May be called again for the next piece.
  virtual void Begin(std::string_view work, ProgressUnit unit) = 0;
  // May be called often. A total of 0 is unknown.
  virtual void Progress(std::uint64_t done, std::uint64_t total) = 0;
  // Ends the piece of work.
  virtual void End() = 0;
  // A line of the report.
  virtual void Say(const std::string& line) = 0;
};

}  // namespace laurel::transfer
