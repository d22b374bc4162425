#include "server/differential/random_values.h"

#include <bit>
#include <cmath>
#include <cstdio>

namespace laurel::differential {
namespace {

using Choices = std::vector<std::string>;

const Choices& Keys() {
  static const Choices choices = {
      "a", "b", "lb", "board:1", "{x}y", "with space", std::string("bin\0\r\n\xff", 7), "",
  };
  return choices;
}

// Few members, so that different commands often use the same one.
const Choices& TinyMembers() {
  static const Choices choices = {
      "a",        "b",
      "c",        "aa",
      "ab",       "10",
      "9",        "1.5",
      "inf",      "NX",
      "LIMIT",    "WITHSCORES",
      "",         " ",
      "\xff\xfe", std::string(1, '\0'),
      "[a",       "a\r\n",
      "-",        "+",
      "007",      "18446744073709551616",
      "user:1",   "\xc3\xa9",
  };
  return choices;
}

const Choices& OddScores() {
  static const Choices choices = {
      "inf",
      "-inf",
      "+inf",
      "Infinity",
      "-INF",
      "1e308",
      "-1e308",
      "1.7976931348623157e308",
      "4.9406564584124654e-324",
      "2.2250738585072014e-308",
      "-0",
      "-0.0",
      "0.1",
      "0.30000000000000004",
      "3.1415926535897931",
      "9007199254740993",
      "-9007199254740993",
      "9223372036854775807",
      "-9223372036854775808",
      "1e21",
      "1e20",
      "1e17",
      "1e-5",
      "1e-7",
      "0x10",
      "0x1.8p3",
      "123456789012345680",
      ".5",
      "5.",
      "+5",
      "1E5",
      "00012",
  };
  return choices;
}

const Choices& BadNumbers() {
  static const Choices choices = {
      "nan",
      "-nan",
      "nan(1)",
      "",
      " ",
      " 1",
      "1 ",
      "abc",
      "1e400",
      "-1e400",
      "1e-400",
      "1.5.5",
      "--1",
      "0x",
      "1,5",
      "1e",
      "((1",
      "[1",
      std::string("1\0", 2),
      std::string(300, '1'),
      "9223372036854775808",
      "-9223372036854775809",
      "1_000",
      "\xd9\xa1",
  };
  return choices;
}

const Choices& Words() {
  static const Choices choices = {
      "NX",    "xx",      "GT",    "LT",      "CH",        "INCR", "WITHSCORES", "withscores",
      "REV",   "BYSCORE", "LIMIT", "WEIGHTS", "AGGREGATE", "SUM",  "min",        "MAX",
      "COUNT", "MATCH",   "TYPE",  "DB",      "REPLACE",   "foo",  "",           "0",
      "1",     "-1",      "2.5",   "\r\n",    "(",         "*",
  };
  return choices;
}

const Choices& Globs() {
  static const Choices choices = {
      "*",   "?",     "a*",  "*b",     "[a-c]*", "[^a]*", "[c-a]", "\\*",
      "*:*", "k[0-9", "",    "**",     "*?*",    "\\",    "[",     "[]",
      "[a",  "m1*",   "*1?", "user:?", "with*",  "{x}*",  "[^]*",  "*\xff",
  };
  return choices;
}

}  // namespace

RandomValues::RandomValues(base::Random* random, Size size) : random_(random), size_(size) {}

std::string RandomValues::Pick(const Choices& choices) { return choices[Below(choices.size())]; }

std::string RandomValues::Number(std::int64_t low, std::int64_t high) {
  return std::to_string(
      low + static_cast<std::int64_t>(Below(static_cast<std::uint64_t>(high - low + 1))));
}

std::string RandomValues::Key() { return Pick(Keys()); }

std::string RandomValues::Member() {
  if (size_ == Size::kTiny || OneIn(12)) {
    if (OneIn(150)) return std::string(1 + Below(4000), static_cast<char>('a' + Below(3)));
    return Pick(TinyMembers());
  }
  return "m" + std::to_string(Below(size_ == Size::kMiddle ? 300 : 5000));
}

std::string RandomValues::RandomDouble() {
  double value = std::bit_cast<double>(random_->Next());
  if (!std::isfinite(value)) value = 1.0 / 3;
  if (OneIn(2)) value = static_cast<double>(random_->Next() >> 11) / 9007199254740992.0 * 1000;
  char text[40];
  std::snprintf(text, sizeof text, OneIn(4) ? "%.6g" : "%.17g", value);
  return text;
}

std::string RandomValues::Score() {
  if (OneIn(40)) return BadNumber();
  if (OneIn(10)) return Pick(OddScores());
  if (OneIn(12)) return RandomDouble();
  if (OneIn(6)) return Number(-40, 40) + ".5";
  return size_ == Size::kTiny ? Number(-2, 6) : Number(-50, 200);
}

std::string RandomValues::ScoreBound() {
  if (OneIn(4)) return Pick({"-inf", "+inf", "inf", "(-inf", "(+inf"});
  if (OneIn(25)) return Pick({"(", "((1", "[1", "(nan", "nan", "", "( 1", "-", "+"});
  return (OneIn(3) ? "(" : "") + Score();
}

std::string RandomValues::LexBound() {
  if (OneIn(3)) return Pick({"-", "+"});
  if (OneIn(20)) return Pick({"", "a", "--", "+a", "-a", "{a", " [a"});
  return Pick({"[", "("}) + (OneIn(8) ? "" : Member());
}

std::string RandomValues::Index() {
  if (OneIn(12)) {
    return Pick({"9223372036854775807", "-9223372036854775808", "9223372036854775806",
                 "-9223372036854775807", "4294967296", "-4294967297", "2147483648"});
  }
  if (OneIn(30)) return BadNumber();
  if (OneIn(60)) return Pick({"+1", "01", "-0", "1.0", "1e3", "0x1"});
  return size_ == Size::kTiny || OneIn(2) ? Number(-6, 8) : Number(-300, 300);
}

std::string RandomValues::Count() {
  if (OneIn(10)) return Pick({"0", "-1", "9223372036854775807", "-9223372036854775808", "100000"});
  if (OneIn(30)) return BadNumber();
  return Number(1, size_ == Size::kTiny ? 6 : 40);
}

std::string RandomValues::BadNumber() { return Pick(BadNumbers()); }

std::string RandomValues::Word() { return OneIn(8) ? BadNumber() : Pick(Words()); }

std::string RandomValues::Glob() { return Pick(Globs()); }

std::size_t RandomValues::BulkSize() {
  switch (size_) {
    case Size::kTiny:
      return 2 + Below(10);
    case Size::kMiddle:
      return 20 + Below(150);
    case Size::kLarge:
      return 100 + Below(2000);
  }
  return 1;
}

}  // namespace laurel::differential
