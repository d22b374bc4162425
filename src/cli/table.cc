#include "cli/table.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/terminal_text.h"

namespace laurel::cli {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) {
    column.title = Printable(column.title);
    widths_.push_back(DisplayWidth(column.title));
  }
}

void Table::AddRow(const std::vector<std::string>& cells) {
  std::vector<std::string>& row = rows_.emplace_back();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    row.push_back(Printable(cells[i]));
    widths_[i] = std::max(widths_[i], DisplayWidth(row[i]));
  }
}

void Table::Print(std::ostream& out) const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  PrintRow(titles, out);
  for (const std::vector<std::string>& row : rows_) PrintRow(row, out);
}

void Table::PrintRow(const std::vector<std::string>& cells, std::ostream& out) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string padding(widths_[i] - DisplayWidth(cells[i]), ' ');
    line += i == 0 ? "" : "  ";
    line += columns_[i].align == Align::kRight ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << "\n";
}

}  // namespace laurel::cli
