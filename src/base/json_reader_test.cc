#include "base/json_reader.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

using std::string_literals::operator""s;

// The value in another notation, with the bytes of strings as they are.
std::string Describe(JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return value.boolean() ? "yes" : "no";
    case JsonKind::kNumber:
      return "#" + std::string(value.text());
    case JsonKind::kString:
      return "'" + std::string(value.text()) + "'";
    case JsonKind::kArray:
    case JsonKind::kObject:
      break;
  }
  const bool is_object = value.Is(JsonKind::kObject);
  std::string text = std::to_string(value.size()) + (is_object ? "{" : "[");
  for (const JsonValue inside : value) {
    if (is_object) text += std::string(inside.key()) + "=";
    text += Describe(inside) + " ";
  }
  return text + (is_object ? "}" : "]");
}

// The description of the text's value, or the error.
std::string Read(const std::string& text) {
  JsonDocument document;
  const Status status = document.Parse(text);
  return status.ok() ? Describe(document.root()) : status.error().ToString();
}

std::string Refusal(std::size_t offset, std::string_view problem) {
  return "ERR invalid JSON at byte " + std::to_string(offset) + ": " + std::string(problem);
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  EXPECT_EQ(Read("null"), "null");
  EXPECT_EQ(Read("true"), "yes");
  EXPECT_EQ(Read("false"), "no");
  EXPECT_EQ(Read("\"ann\""), "'ann'");
  EXPECT_EQ(Read("\"\""), "''");
  EXPECT_EQ(Read("[]"), "0[]");
  EXPECT_EQ(Read("{}"), "0{}");
  EXPECT_EQ(Read(" \t\r\n[ 1 , [ ] , { } ]\n"), "3[#1 0[] 0{} ]");
  EXPECT_EQ(
      Read(R"({"member":"ann","score":["100",-2.50],"if":null,"at":{"a":[true,[false]]},"":0})"),
      "5{member='ann' score=2['100' #-2.50 ] if=null at=1{a=2[yes 1[no ] ] } =#0 }");
}

TEST(JsonReader, KeepsTheTextOfNumbers) {
  for (const std::string text :
       {"0", "-0", "7", "-12", "10", "0.5", "-0.000", "1.0E7", "1e+400", "2E-07", "1e00",
        "9007199254740993", "123456789012345678901234567890.123456789"}) {
    EXPECT_EQ(Read(text), "#" + text);
  }
}

TEST(JsonReader, RefusesNumbersThatAreNotOfTheGrammar) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"01", Refusal(1, "a digit after a leading 0")},
      {"-007", Refusal(2, "a digit after a leading 0")},
      {"+1", Refusal(0, "expected a value")},
      {".5", Refusal(0, "expected a value")},
      {"-", Refusal(1, "the text ends, expected a digit")},
      {"-.5", Refusal(1, "expected a digit")},
      {"1.", Refusal(2, "the text ends, expected a digit")},
      {"1.e5", Refusal(2, "expected a digit")},
      {"1e", Refusal(2, "the text ends, expected a digit")},
      {"1e+-5", Refusal(3, "expected a digit")},
      {"1.2.3", Refusal(3, "more after the value")},
      {"0x10", Refusal(1, "more after the value")},
      {"1_000", Refusal(1, "more after the value")},
      {"--1", Refusal(1, "expected a digit")},
      {"NaN", Refusal(0, "expected a value")},
      {"Infinity", Refusal(0, "expected a value")},
      {"-Infinity", Refusal(1, "expected a digit")},
      {"1 2", Refusal(2, "more after the value")},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(Read(text), error) << text;
}

TEST(JsonReader, RefusesNumbersBeyondTheLimit) {
  const std::string longest(kMaxJsonNumberBytes, '9');
  EXPECT_EQ(Read(longest), "#" + longest);
  EXPECT_EQ(Read("[" + longest + "9]"), Refusal(1, "a number of more than 64 characters"));
}

TEST(JsonReader, UnescapesStrings) {
  EXPECT_EQ(Read(R"("\"\\\/\b\f\n\r\t")"), "'\"\\/\b\f\n\r\t'");
  EXPECT_EQ(Read(R"("\u0041\u00e9\u20AC\ud83c\udfc6")"), "'Aé€🏆'");
  EXPECT_EQ(Read(R"("a\u0000b")"), "'a\0b'"s);
  EXPECT_EQ(Read(R"(["a\n","b\n","c","\n"])"), "4['a\n' 'b\n' 'c' '\n' ]");
  EXPECT_EQ(Read(R"({"k\u0065y":"v"})"), "1{key='v' }");
  EXPECT_EQ(Read("\"é€🏆\x7f\""), "'é€🏆\x7f'");
  EXPECT_EQ(Read("\"\xef\xbb\xbf\""), "'\xef\xbb\xbf'");
}

TEST(JsonReader, RefusesBadEscapesAndControlCharacters) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("\x41")", Refusal(1, "an unknown escape")},
      {R"("ab\'")", Refusal(3, "an unknown escape")},
      {R"("\U0041")", Refusal(1, "an unknown escape")},
      {R"("\u004")", Refusal(6, "expected four hexadecimal digits")},
      {R"("\u00g1")", Refusal(5, "expected four hexadecimal digits")},
      {R"("\u00)", Refusal(5, "the text ends, expected four hexadecimal digits")},
      {"\"\\", Refusal(2, "the text ends, expected an escape")},
      {"\"a\nb\"", Refusal(2, "a control character in a string")},
      {"\"a\\n\tb\"", Refusal(4, "a control character in a string")},
      {"\"a\0b\""s, Refusal(2, "a control character in a string")},
      {"{\"a\x1f\":1}", Refusal(3, "a control character in a string")},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(Read(text), error) << text;
}

TEST(JsonReader, RefusesHalvesOfSurrogatePairs) {
  for (const std::string text :
       {R"(" \ud83c")", R"(" \ud83c ")", R"(" \ud83c\n")", R"(" \ud83cudfc6")", R"(" \udfc6")",
        R"(" \udfc6\ud83c")", R"(" \ud83c\ud83c")", R"(" \ud83c\u0041")", R"(" \ud83c\ue000")"}) {
    EXPECT_EQ(Read(text), Refusal(2, "half of a surrogate pair")) << text;
  }
  EXPECT_EQ(Read(R"("\ud7ff\ue000")"), "'\xed\x9f\xbf\xee\x80\x80'");
}

TEST(JsonReader, RefusesBytesThatAreNotUtf8Anywhere) {
  EXPECT_EQ(Read("\"a\xff\""), Refusal(2, "not UTF-8"));
  EXPECT_EQ(Read("\"\xc3\""), Refusal(1, "not UTF-8"));
  EXPECT_EQ(Read("\"\xed\xa0\x80\""), Refusal(1, "not UTF-8"));
  EXPECT_EQ(Read("{\"\x80\":1}"), Refusal(2, "not UTF-8"));
  EXPECT_EQ(Read("1\xff"), Refusal(1, "not UTF-8"));
}

TEST(JsonReader, RefusesAByteOrderMark) {
  EXPECT_EQ(Read("\xef\xbb\xbf{}"), Refusal(0, "a byte order mark"));
}

TEST(JsonReader, RefusesTextThatIsNotOneValue) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", Refusal(0, "the text ends, expected a value")},
      {"  ", Refusal(2, "the text ends, expected a value")},
      {"{} {}", Refusal(3, "more after the value")},
      {"[],", Refusal(2, "more after the value")},
      {"null\0"s, Refusal(4, "more after the value")},
      {"nul", Refusal(0, "expected a value")},
      {"nulll", Refusal(4, "more after the value")},
      {"True", Refusal(0, "expected a value")},
      {"'a'", Refusal(0, "expected a value")},
      {"// x\n1", Refusal(0, "expected a value")},
      {"\v1", Refusal(0, "expected a value")},
      {"\xc2\xa0"
       "1",
       Refusal(0, "expected a value")},
      {"[1 2]", Refusal(3, "expected ',' or ']'")},
      {"[1,]", Refusal(3, "expected a value")},
      {"[,1]", Refusal(1, "expected a value")},
      {"[1}", Refusal(2, "expected ',' or ']'")},
      {"{\"a\":1,}", Refusal(7, "expected a key in quotes")},
      {"{a:1}", Refusal(1, "expected a key in quotes")},
      {"{1:1}", Refusal(1, "expected a key in quotes")},
      {"{\"a\" 1}", Refusal(5, "expected ':'")},
      {"{\"a\":}", Refusal(5, "expected a value")},
      {"{\"a\":1]", Refusal(6, "expected ',' or '}'")},
      {"]", Refusal(0, "expected a value")},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(Read(text), error) << text;
}

TEST(JsonReader, RefusesEveryTruncatedText) {
  const std::string text = R"({"member":"a\u00e9\n","score":["1",true,null],"at":{"x":[{}]}})";
  EXPECT_TRUE(Read(text).starts_with("3{"));
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    EXPECT_TRUE(Read(text.substr(0, bytes)).starts_with("ERR invalid JSON at byte ")) << bytes;
  }
}

TEST(JsonReader, RefusesAKeyThatStandsTwiceInOneObject) {
  EXPECT_EQ(Read(R"({"a":1,"b":2,"a":3})"), Refusal(13, "the key 'a' for the second time"));
  EXPECT_EQ(Read(R"({"a":1,"\u0061":2})"), Refusal(7, "the key 'a' for the second time"));
  EXPECT_EQ(Read(R"({"":1,"":1})"), Refusal(6, "the key '' for the second time"));
  EXPECT_EQ(Read(R"([0,{"x":{"a":1, "a":1}}])"), Refusal(16, "the key 'a' for the second time"));
  EXPECT_EQ(Read(R"({"a":{"a":{"a":1}},"A":{"a":1}})"), "2{a=1{a=1{a=#1 } } A=1{a=#1 } }");
}

TEST(JsonReader, FindsADoubledKeyInObjectsOfAnySize) {
  for (const std::size_t members : {2U, 11U, 12U, 13U, 14U, 100U, 30'000U}) {
    std::string text = "{";
    for (std::size_t i = 0; i < members; ++i) {
      text += "\"key " + std::to_string(i) + "\":[{}],";
    }
    const std::size_t second = text.size();
    EXPECT_TRUE(Read(text + "\"key\":0}").starts_with(std::to_string(members + 1) + "{"));
    for (const std::size_t doubled : {std::size_t{0}, members / 2, members - 1}) {
      const std::string key = "key " + std::to_string(doubled);
      EXPECT_EQ(Read(text + "\"" + key + "\":0}"),
                Refusal(second, "the key '" + key + "' for the second time"));
    }
  }
}

std::string Nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += i % 2 == 0 ? "[" : "{\"a\":";
  text += "1";
  for (std::size_t i = depth; i-- > 0;) text += i % 2 == 0 ? "]" : "}";
  return text;
}

TEST(JsonReader, RefusesMoreLevelsThanTheLimit) {
  EXPECT_EQ(Read(Nested(3)), "1[1{a=1[#1 ] } ]");
  EXPECT_TRUE(Read(Nested(kMaxJsonDepth)).starts_with("1["));
  const std::size_t offset = (kMaxJsonDepth / 2) * std::string("[{\"a\":").size();
  EXPECT_EQ(Read(Nested(kMaxJsonDepth + 1)), Refusal(offset, "more than 16 levels"));
  EXPECT_TRUE(Read(std::string(1'000'000, '[')).starts_with("ERR"));
  EXPECT_TRUE(Read("[" + Nested(kMaxJsonDepth - 1) + "," + Nested(kMaxJsonDepth - 1) + "]")
                  .starts_with("2["));
}

TEST(JsonReader, RefusesMoreValuesThanTheLimit) {
  std::string text = "[";
  for (std::size_t i = 1; i < kMaxJsonValues; ++i) text += "1,";
  const std::size_t offset = text.size();
  text.back() = ']';
  EXPECT_TRUE(Read(text).starts_with(std::to_string(kMaxJsonValues - 1) + "["));
  text.back() = ',';
  EXPECT_EQ(Read(text + "1]"), Refusal(offset, "more than 100000 values"));
}

TEST(JsonReader, StringsWithoutEscapesAreViewsOfTheText) {
  const std::string text = R"({"member":"ann","meta":"a\nb"})";
  const auto is_inside = [&text](std::string_view view) {
    return view.data() >= text.data() && view.data() + view.size() <= text.data() + text.size();
  };
  JsonDocument document;
  ASSERT_TRUE(document.Parse(text).ok());
  JsonValue::Iterator member = document.root().begin();
  EXPECT_TRUE(is_inside((*member).key()));
  EXPECT_TRUE(is_inside((*member).text()));
  ++member;
  EXPECT_TRUE(is_inside((*member).key()));
  EXPECT_FALSE(is_inside((*member).text()));
  EXPECT_EQ((*member).text(), "a\nb");
}

TEST(JsonReader, UnescapedStringsStayValidWhenLaterOnesAreLong) {
  std::string text = "[";
  for (std::size_t i = 0; i < 200; ++i) text += "\"\\n" + std::string(i, 'x') + "\",";
  text.back() = ']';
  JsonDocument document;
  ASSERT_TRUE(document.Parse(text).ok());
  std::size_t length = 0;
  for (const JsonValue value : document.root()) {
    EXPECT_EQ(value.text(), "\n" + std::string(length++, 'x'));
  }
  EXPECT_EQ(length, 200U);
}

TEST(JsonReader, DocumentCanBeUsedAgainAlsoAfterAnError) {
  JsonDocument document;
  const std::string large = R"(["\n)" + std::string(5000, 'x') + R"(\n",1,2,3,4,5,6,7,8])";
  ASSERT_TRUE(document.Parse(large).ok());
  const char* const buffer = (*document.root().begin()).text().data();
  EXPECT_FALSE(document.Parse(R"(["\n", x])").ok());
  ASSERT_TRUE(document.Parse(R"(["\t","\r"])").ok());
  EXPECT_EQ(Describe(document.root()), "2['\t' '\r' ]");
  EXPECT_EQ((*document.root().begin()).text().data(), buffer) << "the memory is used again";
}

TEST(JsonReader, MemoryIsCountedAndReleased) {
  JsonDocument document;
  EXPECT_LT(document.MemoryUsage(), 100U);
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) text += "\"\\n\",";
  text += "{}]";
  ASSERT_TRUE(document.Parse(text).ok());
  EXPECT_GE(document.MemoryUsage(), 1002 * sizeof(JsonNode));
  document.ReleaseMemory();
  EXPECT_LT(document.MemoryUsage(), 100U);
  ASSERT_TRUE(document.Parse(R"(["\t"])").ok());
  EXPECT_EQ(Describe(document.root()), "1['\t' ]");
}

TEST(JsonReader, NamesKindsForMessages) {
  JsonDocument document;
  ASSERT_TRUE(document.Parse(R"([null,true,1,"",[],{}])").ok());
  std::string names;
  for (const JsonValue value : document.root()) {
    names += std::string(JsonKindName(value.kind())) + ", ";
  }
  EXPECT_EQ(names, "null, a boolean, a number, a string, an array, an object, ");
}

TEST(JsonReaderDeathTest, ReadingAnotherKindIsABug) {
  JsonDocument document;
  EXPECT_DEATH(static_cast<void>(document.root()), "nodes_");
  ASSERT_TRUE(document.Parse("[1]").ok());
  EXPECT_DEATH(static_cast<void>(document.root().text()), "kString");
  EXPECT_DEATH(static_cast<void>(document.root().boolean()), "kBool");
  EXPECT_DEATH(static_cast<void>((*document.root().begin()).size()), "kArray");
}

}  // namespace
}  // namespace laurel::base
