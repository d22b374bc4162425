// The demo: a small shell over boards in memory, to get to know Laurel without writing a program.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "laurel/laurel.h"

namespace laurel::cli {

// Reads commands line by line and prints what they answer. Two boards with entries are there from
// the start. Bad input prints one line, `CODE message`, and changes nothing.
class DemoShell {
 public:
  enum class Prompt : unsigned char { kNone, kShown };

  // Both streams must outlive the shell. `now` is the clock, microseconds since the epoch.
  DemoShell(std::istream& in, std::ostream& out, Prompt prompt,
            std::function<Stamp()> now = SystemNow);

  // Greets, then executes lines until `quit` or the end of the input.
  void Run();

 private:
  using Words = std::span<const std::string_view>;
  struct Command;

  static std::span<const Command> Commands();

  void FillBoards();
  void Greet();
  [[nodiscard]] bool ReadLine(std::string* line);
  [[nodiscard]] Status Execute(std::string_view line);

  Status Create(Words words);
  Status Submit(Words words);
  Status Set(Words words);
  Status Increment(Words words);
  Status Top(Words words);
  Status Rank(Words words);
  Status Around(Words words);
  Status List(Words words);
  Status Describe(Words words);
  Status Remove(Words words);
  Status Hide(Words words);
  Status Show(Words words);
  Status Rename(Words words);
  Status Drop(Words words);
  Status Help(Words words);
  Status Quit(Words words);

  [[nodiscard]] Result<Board> FindBoard(std::string_view name) const;
  [[nodiscard]] Moment TakeMoment();
  Status ApplyWrite(WriteMode mode, Words words);
  void PrintEntries(const Spec& spec, std::span<const Entry> entries);

  std::istream& in_;
  std::ostream& out_;
  Prompt prompt_;
  std::function<Stamp()> now_;
  StampClock clock_;
  Boards boards_;
  bool done_ = false;
};

}  // namespace laurel::cli
