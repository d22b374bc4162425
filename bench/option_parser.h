// The options of a bench program: one table, for parsing and for the usage text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace laurel::bench {

class OptionParser {
 public:
  // Stores the value of an option. Returns false if the value is wrong.
  using Take = std::function<bool(const std::string& value)>;

  // Adds an option that takes a value. `name` begins with "--"; `value` stands for the value in the
  // usage text. Lines of `help` are separated by '\n'; without help the usage text leaves the
  // option out.
  void Add(std::string name, std::string value, std::string help, Take take);
  // Adds an option without a value; `set` is called if it is given.
  void AddFlag(std::string name, std::string help, std::function<void()> set);
  // Adds an option that takes any text.
  void AddText(std::string name, std::string value, std::string help, std::string* to);
  // Adds an option that takes one of `choices`.
  void AddChoice(std::string name, std::string value, std::string help,
                 std::vector<std::string> choices, std::string* to);
  // Adds an option that takes a number from `least` to a billion, which must be above 0 as a
  // `Number`.
  template <typename Number>
  void AddNumber(std::string name, std::string value, std::string help, Number* to,
                 Number least = {}) {
    Add(std::move(name), std::move(value), std::move(help), [to, least](const std::string& text) {
      const double number = ParseNumber(text);
      if (!(number > 0 && number <= kMostNumber)) return false;
      *to = static_cast<Number>(number);
      return *to > 0 && *to >= least;
    });
  }

  // Returns false at the first argument that is not an option or lacks its value, and at the first
  // wrong value.
  [[nodiscard]] bool Parse(int argc, char** argv) const;
  // Returns the usage text of `program`.
  [[nodiscard]] std::string Usage(const std::string& program) const;

 private:
  struct Option {
    std::string name;
    std::string value;  // empty: a flag
    std::string help;
    Take take;
  };
  static constexpr double kMostNumber = 1e9;

  static double ParseNumber(const std::string& text);
  [[nodiscard]] const Option* Find(std::string_view name) const;

  std::vector<Option> options_;
};

}  // namespace laurel::bench
