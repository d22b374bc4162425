// What a bench group reports: lines for people, and a JSON file for machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace laurel::bench {

// One figure. ratio = ours / rival, so for rates more is better and for sizes less is.
struct Figure {
  std::string name;
  double ours = 0;
  std::optional<double> rival{};
  std::string unit{};
};

class Report {
 public:
  // Prints the figure as a line.
  void Add(const Figure& figure);
  // [{"name", "ours", "rival", "ratio", "unit"}, …]; rival and ratio null where there is none.
  // False if the file cannot be written.
  [[nodiscard]] bool WriteJson(const std::string& path) const;

 private:
  std::vector<Figure> figures_;
};

// The middle one. REQUIRES: not empty.
double Median(std::vector<double> values);

// CPU, cores, memory, kernel, compiler: what the figures were measured on.
std::string DescribeMachine();

}  // namespace laurel::bench
