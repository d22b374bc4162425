// Rows of text in aligned columns.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace laurel::cli {

class Table {
 public:
  enum class Align : unsigned char { kLeft, kRight };

  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);

  // REQUIRES: one cell per column. Cells may hold any bytes; they are made printable.
  void AddRow(const std::vector<std::string>& cells);

  // Titles, then the rows, two blanks between columns and none at the end of a line.
  void Print(std::ostream& out) const;

 private:
  void PrintRow(const std::vector<std::string>& cells, std::ostream& out) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace laurel::cli
