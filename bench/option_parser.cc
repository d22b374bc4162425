#include "bench/option_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace laurel::bench {
namespace {

constexpr std::size_t kHelpColumn = 17;

}  // namespace

void OptionParser::Add(std::string name, std::string value, std::string help, Take take) {
  options_.push_back({std::move(name), std::move(value), std::move(help), std::move(take)});
}

void OptionParser::AddFlag(std::string name, std::string help, std::function<void()> set) {
  Add(std::move(name), "", std::move(help), [set = std::move(set)](const std::string&) {
    set();
    return true;
  });
}

void OptionParser::AddText(std::string name, std::string value, std::string help, std::string* to) {
  Add(std::move(name), std::move(value), std::move(help), [to](const std::string& text) {
    *to = text;
    return true;
  });
}

void OptionParser::AddChoice(std::string name, std::string value, std::string help,
                             std::vector<std::string> choices, std::string* to) {
  Add(std::move(name), std::move(value), std::move(help),
      [choices = std::move(choices), to](const std::string& text) {
        *to = text;
        return std::find(choices.begin(), choices.end(), text) != choices.end();
      });
}

bool OptionParser::Parse(int argc, char** argv) const {
  for (int i = 1; i < argc; ++i) {
    const Option* option = Find(argv[i]);
    if (option == nullptr) return false;
    const bool has_value = !option->value.empty();
    if (has_value && ++i >= argc) return false;
    if (!option->take(has_value ? argv[i] : "")) return false;
  }
  return true;
}

std::string OptionParser::Usage(const std::string& program) const {
  std::string text = "usage: " + program + " [OPTION…]\n";
  for (const Option& option : options_) {
    if (option.help.empty()) continue;
    std::string line = "  " + option.name + (option.value.empty() ? "" : " " + option.value);
    line.resize(std::max(kHelpColumn, line.size() + 1), ' ');
    for (const char c : option.help) {
      line += c;
      if (c == '\n') line.append(kHelpColumn, ' ');
    }
    text += line + "\n";
  }
  return text;
}

double OptionParser::ParseNumber(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

const OptionParser::Option* OptionParser::Find(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

}  // namespace laurel::bench
