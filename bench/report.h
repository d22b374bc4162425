// The report of a bench group: printed lines, and a JSON file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace laurel::bench {

// The required ratio of a figure.
struct Bar {
  double limit = 0;
  bool at_least = true;  // else at most
};
inline Bar AtLeast(double limit) { return {limit, true}; }
inline Bar AtMost(double limit) { return {limit, false}; }

// A number that explains a figure; printed on a line below it.
struct Detail {
  std::string name;
  double ours = 0;
  std::optional<double> rival{};
};

// One figure. ratio = ours / rival, so higher is better for rates and lower for sizes.
struct Figure {
  std::string name;
  double ours = 0;
  std::optional<double> rival{};
  std::string unit{};
  std::optional<Bar> bar{};  // on the ratio; REQUIRES a rival
  std::vector<Detail> details{};

  [[nodiscard]] bool MeetsBar() const;
};

class Report {
 public:
  // Prints the figure as a line, and its details as another.
  void Add(const Figure& figure);
  // Returns "12 of 14 bars met; missed: zadd_p32 zrevrank_p32".
  [[nodiscard]] std::string BarsMet() const;
  // Writes [{"name", "ours", "rival", "ratio", "unit", "bar", "met", "details"}, …]. rival, ratio,
  // bar (">= 4") and met are null if absent; details is [{"name", "ours", "rival"}, …]. False if
  // the file cannot be written.
  [[nodiscard]] bool WriteJson(const std::string& path) const;

 private:
  std::vector<Figure> figures_;
};

// Returns the median. REQUIRES: not empty.
double Median(std::vector<double> values);

// Describes CPU, cores, memory, kernel and compiler of this machine.
std::string DescribeMachine();

}  // namespace laurel::bench
