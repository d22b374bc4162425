#include "wire/json_writer.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "wire/reply.h"

namespace laurel::wire {
namespace {

using std::string_view_literals::operator""sv;

class JsonWriting : public testing::Test {
 protected:
  JsonWriting() { json_.Begin(&text_); }

  std::string text_;
  JsonWriter json_;
};

TEST_F(JsonWriting, ClosesAggregatesAndSetsCommas) {
  json_.Map(3);
  json_.Key("a");
  json_.Array(2);
  json_.Integer(-1);
  json_.Map(0);
  json_.Key("b");
  json_.Map(1);
  json_.Key("c");
  json_.Array(0);
  json_.Key("d");
  json_.Null();
  EXPECT_EQ(text_, R"({"a":[-1,{}],"b":{"c":[]},"d":null})");
}

TEST_F(JsonWriting, APairIsAFlagAnIntegerOrAText) {
  json_.Map(4);
  json_.Pair("flag", true);
  json_.Pair("size", std::size_t{7});
  json_.Pair("lead", -1);
  json_.Pair("text", "x");
  EXPECT_EQ(text_, R"({"flag":true,"size":7,"lead":-1,"text":"x"})");
}

TEST_F(JsonWriting, EscapesWhatMustNotStandInAString) {
  json_.Bulk("q\" b\\ \n\r\t \x01 \x7f \0 /</script> 小明"sv);
  EXPECT_EQ(text_, "\"q\\\" b\\\\ \\n\\r\\t \\u0001 \\u007f \\u0000 /</script> 小明\"");
}

TEST_F(JsonWriting, WritesOtherBytesThanUtf8AsBase64UnderAnotherKey) {
  json_.Map(2);
  json_.Key("member");
  json_.Bulk("\xff\xfe");
  json_.Key("meta");
  json_.Bulk("ok");
  EXPECT_EQ(text_, R"({"member_base64":"//4=","meta":"ok"})");
}

TEST_F(JsonWriting, ExactNumbersAreStringsAndMomentsAreIsoTimes) {
  json_.Array(3);
  json_.Decimal(INT64_MIN, 0);
  json_.Decimal(std::int64_t{-5}, 2);
  json_.Moment(1'762'500'000'123'456);
  EXPECT_EQ(text_, R"(["-9223372036854775808","-0.05","2025-11-07T07:20:00.123456Z"])");
}

TEST_F(JsonWriting, AnErrorIsAnObjectWithCodeAndDetail) {
  json_.Array(2);
  json_.Error({ErrorCode::kNoBoard, "no board 'x'"});
  json_.Integer(1);
  EXPECT_EQ(text_, R"([{"code":"NOBOARD","detail":"no board 'x'"},1])");
}

TEST_F(JsonWriting, MarksTheElementsOfTheOutermostArray) {
  std::vector<std::size_t> ends;
  json_.MarkElements(&ends);
  json_.Array(2);
  json_.Array(2);
  json_.Integer(1);
  json_.Integer(2);
  json_.Null();
  EXPECT_EQ(text_, "[[1,2],null]");
  EXPECT_EQ(ends, (std::vector<std::size_t>{6, 11}));
}

TEST_F(JsonWriting, BulkIsAKeyWhereAnObjectExpectsOne) {
  Values& values = json_;
  values.Map(3);
  values.Bulk("pattern");
  values.Bulk("rank:*");
  values.StampPair(1'000'001);
  values.Bulk("list");
  values.Array(2);
  values.Integer(7);
  values.Null();
  EXPECT_EQ(text_, R"({"pattern":"rank:*","reached":"1970-01-01T00:00:01.000001Z",)"
                   R"("list":[7,null]})");
}

}  // namespace
}  // namespace laurel::wire
