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

std::string FormatOptional(const std::optional<double>& value) {
  return value ? FormatFigure(*value) : "null";
}

std::string FormatBar(const Bar& bar) {
  return (bar.at_least ? ">= " : "<= ") + FormatFigure(bar.limit);
}

std::string JsonOf(const std::vector<Detail>& details) {
  std::string json;
  for (const Detail& detail : details) {
    json += std::string(json.empty() ? "" : ", ") + R"({"name": ")" + detail.name +
            R"(", "ours": )" + FormatFigure(detail.ours) + R"(, "rival": )" +
            FormatOptional(detail.rival) + "}";
  }
  return "[" + json + "]";
}

// Returns the value after "key :" in a file of such lines.
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

bool Figure::MeetsBar() const {
  const double ratio = ours / *rival;
  return bar->at_least ? ratio >= bar->limit : ratio <= bar->limit;
}

void Report::Add(const Figure& figure) {
  figures_.push_back(figure);
  std::printf("  %-29s ours %10s", figure.name.c_str(), FormatFigure(figure.ours).c_str());
  if (figure.rival) {
    std::printf("   rival %10s   ratio %5.2f", FormatFigure(*figure.rival).c_str(),
                figure.ours / *figure.rival);
  } else {
    std::printf("   %16s   %11s", "", "");
  }
  std::printf("   %s", figure.unit.c_str());
  if (figure.bar) {
    std::printf("   bar %s %s", FormatBar(*figure.bar).c_str(),
                figure.MeetsBar() ? "met" : "MISSED");
  }
  std::printf("\n");
  for (const Detail& detail : figure.details) {
    std::printf("%s%s %s", &detail == figure.details.data() ? "      " : "   ", detail.name.c_str(),
                FormatFigure(detail.ours).c_str());
    if (detail.rival) std::printf(" | %s", FormatFigure(*detail.rival).c_str());
  }
  if (!figure.details.empty()) std::printf("\n");
  std::fflush(stdout);
}

std::string Report::BarsMet() const {
  int bars = 0;
  int met = 0;
  std::string missed;
  for (const Figure& figure : figures_) {
    if (!figure.bar) continue;
    ++bars;
    if (figure.MeetsBar()) {
      ++met;
    } else {
      missed += " " + figure.name;
    }
  }
  if (bars == 0) return "no bars among these figures";
  return std::to_string(met) + " of " + std::to_string(bars) + " bars met" +
         (missed.empty() ? "" : "; missed:" + missed);
}

bool Report::WriteJson(const std::string& path) const {
  std::ofstream file(path);
  file << "[";
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    const Figure& figure = figures_[i];
    const std::string ratio = figure.rival ? FormatFigure(figure.ours / *figure.rival) : "null";
    file << (i == 0 ? "\n" : ",\n") << R"(  {"name": ")" << figure.name << R"(", "ours": )"
         << FormatFigure(figure.ours) << R"(, "rival": )" << FormatOptional(figure.rival)
         << R"(, "ratio": )" << ratio << R"(, "unit": ")" << figure.unit << R"(", "bar": )"
         << (figure.bar ? "\"" + FormatBar(*figure.bar) + "\"" : "null") << R"(, "met": )"
         << (figure.bar ? (figure.MeetsBar() ? "true" : "false") : "null") << R"(, "details": )"
         << JsonOf(figure.details) << "}";
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
