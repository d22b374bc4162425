#include "http/json_text.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::http {
namespace {

TEST(JsonText, ObjectsLeaveOutEmptyValues) {
  EXPECT_EQ(JsonObject().Take(), "{}");
  EXPECT_TRUE(JsonObject().Add("a", "").empty());
  EXPECT_EQ(JsonObject().Add("a", "1").Add("b", "").AddText("c", "x\"y").Take(),
            R"({"a":1,"c":"x\"y"})");
  EXPECT_EQ(JsonObject().AddText("a", "").Take(), R"({"a":""})");
}

TEST(JsonText, Arrays) {
  EXPECT_EQ(JsonArray({}), "[]");
  EXPECT_EQ(JsonArray(std::vector<std::string>{"1", "{}"}), "[1,{}]");
  EXPECT_EQ(JsonTexts(std::vector<std::string_view>{"a", "\n"}), R"(["a","\n"])");
}

TEST(JsonText, CompactRemovesBlanksOutsideOfStringsAndLineBreaksInThem) {
  EXPECT_EQ(CompactJson("{ \"a b\" : [ 1,\n  \"x \\\" y\" ] }"), R"({"a b":[1,"x \" y"]})");
  EXPECT_EQ(CompactJson("\"one\n     two\\\\\""), R"("one two\\")");
}

TEST(JsonText, PrettyKeepsWhatFitsOnOneLine) {
  EXPECT_EQ(PrettyJson(R"({"a":[1,true,null],"b":{"c":"d"}})", 80),
            R"({"a": [1, true, null], "b": {"c": "d"}})");
  EXPECT_EQ(PrettyJson("[]", 1), "[]");
}

TEST(JsonText, PrettyBreaksLinesBetweenMembersAndPutsObjectsOfArraysOnLinesOfTheirOwn) {
  EXPECT_EQ(PrettyJson(R"({"a":1,"b":2,"list":[{"c":10},{"d":20}],"e":5})", 24),
            "{\"a\": 1, \"b\": 2,\n"
            " \"list\": [{\"c\": 10},\n"
            "          {\"d\": 20}],\n"
            " \"e\": 5}");
}

}  // namespace
}  // namespace laurel::http
