#include "bench/report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <sys/utsname.h>
#include <unistd.h>

namespace laurel::bench {
namespace {

std::string FormatFigure(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

// The value behind "key : value" in a file of such lines.
std::string ValueIn(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "unknown";
}

}  // namespace

void Report::Add(const Figure& figure) {
  figures_.push_back(figure);
  std::printf("  %-22s ours %10s", figure.name.c_str(), FormatFigure(figure.ours).c_str());
  if (figure.rival) {
    std::printf("   rival %10s   ratio %5.2f", FormatFigure(*figure.rival).c_str(),
                figure.ours / *figure.rival);
  } else {
    std::printf("   %16s   %11s", "", "");
  }
  std::printf("   %s\n", figure.unit.c_str());
  std::fflush(stdout);
}

bool Report::WriteJson(const std::string& path) const {
  std::ofstream file(path);
  file << "[";
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    const Figure& figure = figures_[i];
    file << (i == 0 ? "\n" : ",\n") << R"(  {"name": ")" << figure.name << R"(", "ours": )"
         << FormatFigure(figure.ours) << R"(, "rival": )"
         << (figure.rival ? FormatFigure(*figure.rival) : "null") << R"(, "ratio": )"
         << (figure.rival ? FormatFigure(figure.ours / *figure.rival) : "null") << R"(, "unit": ")"
         << figure.unit << "\"}";
  }
  file << "\n]\n";
  return static_cast<bool>(file.flush());
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string DescribeMachine() {
  utsname system{};
  uname(&system);
  return ValueIn("/proc/cpuinfo", "model name") + ", " +
         std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " cores, memory " +
         ValueIn("/proc/meminfo", "MemTotal") + ", " + system.sysname + " " + system.release +
         ", g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
}

}  // namespace laurel::bench
