#include "transfer/text/member_text.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/text.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

// The member, or the error.
std::string Unwrapped(MemberEncoding encoding, std::string_view stored) {
  MemberText text(encoding);
  const Result<std::string_view> member = text.Unwrap(stored);
  return member.ok() ? std::string(*member) : "error: " + member.error().message;
}

std::string Json(std::string_view stored) { return Unwrapped(MemberEncoding::kJson, stored); }
std::string Java(std::string_view stored) { return Unwrapped(MemberEncoding::kJava, stored); }

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(base::HexValue(hex[i]) << 4 | base::HexValue(hex[i + 1]));
  }
  return bytes;
}

// What `new ObjectOutputStream(…).writeObject(…)` of OpenJDK writes.
const std::string kJavaAnn = FromHex("aced0005740003616e6e");
const std::string kJavaLong = FromHex(
    "aced00057372000e6a6176612e6c616e672e4c6f6e673b8be490cc8f23df0200014a000576616c75657872001"
    "06a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870000000000000002a");
const std::string kJavaInteger = FromHex(
    "aced0005737200116a6176612e6c616e672e496e746567657212e2a0a4f781873802000149000576616c75657"
    "87200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870ffffffff");

TEST(MemberText, RawBytesAreTheMember) {
  EXPECT_EQ(Unwrapped(MemberEncoding::kRaw, "\"ann\""), "\"ann\"");
  EXPECT_EQ(Unwrapped(MemberEncoding::kRaw, std::string_view("\0\xff", 2)),
            std::string_view("\0\xff", 2));
}

TEST(MemberText, AJsonStringOrNumberIsItsText) {
  EXPECT_EQ(Json("\"ann\""), "ann");
  EXPECT_EQ(Json("\"\""), "");
  EXPECT_EQ(Json(R"("a\"b\\c\u00e9\ud83c\udfc6")"), "a\"b\\cé\U0001F3C6");
  EXPECT_EQ(Json("12345678901234567890"), "12345678901234567890") << "beyond any int64, exact";
  EXPECT_EQ(Json("-5"), "-5");
}

TEST(MemberText, AJsonStringOrNumberMayHaveTheNameOfItsClass) {
  EXPECT_EQ(Json(R"(["java.lang.Long",5])"), "5");
  EXPECT_EQ(Json(R"(["java.lang.String","ann"])"), "ann");
  EXPECT_EQ(Json(R"(["java.util.UUID", "7d444840-9dc0-11d1-b245-5ffdce74fad2"])"),
            "7d444840-9dc0-11d1-b245-5ffdce74fad2");
}

TEST(MemberText, JsonThatIsNoStringOrNumberIsRefused) {
  EXPECT_EQ(Json(R"(["com.x.User",{"id":5}])"),
            "error: the member is an object of class 'com.x.User', not a string or a number");
  EXPECT_EQ(Json("{\"id\":5}"), "error: the member is an object of JSON, not a string or a number");
  EXPECT_EQ(Json("null"), "error: the member is null of JSON, not a string or a number");
  EXPECT_EQ(Json("true"), "error: the member is a boolean of JSON, not a string or a number");
  for (const std::string stored :
       {"[]", "[5]", "[5,6]", "[\"a.B\",\"b\",\"c\"]", "[[],5]", "[\"ann\",\"bob\"]", "[\"a.\",5]",
        "[\".a\",5]", "[\"a..b\",5]", "[\"a.5\",5]", "[\"\",5]"}) {
    EXPECT_EQ(Json(stored), "error: the member is an array of JSON, not a string or a number");
  }
  for (const std::string stored : {"ann", "", "'ann'", "\"ann", "\"ann\" x", "\"\xff\"", "05"}) {
    EXPECT_TRUE(Json(stored).starts_with("error: the member ")) << Json(stored);
    EXPECT_NE(Json(stored).find(" is no JSON: "), std::string::npos) << Json(stored);
  }
}

TEST(MemberText, AJavaStringIsItsText) {
  EXPECT_EQ(Java(kJavaAnn), "ann");
  EXPECT_EQ(Java(FromHex("aced0005740000")), "");
  EXPECT_EQ(Java(FromHex("aced00057c0000000000000003616e6e")), "ann") << "a long string";
  EXPECT_EQ(Java(FromHex("aced0005740002c3a9")), "é");
  EXPECT_EQ(Java(FromHex("aced0005740006eda0bcedbf86")), "\U0001F3C6") << "two surrogates";
  EXPECT_EQ(Java(FromHex("aced000574000461c08062")), std::string_view("a\0b", 3));
}

TEST(MemberText, AJavaNumberIsItsDigits) {
  EXPECT_EQ(Java(kJavaLong), "42");
  EXPECT_EQ(Java(kJavaInteger), "-1");
  std::string smallest = kJavaLong;
  smallest.replace(smallest.size() - 8, 8, FromHex("8000000000000000"));
  EXPECT_EQ(Java(smallest), "-9223372036854775808");
  const std::string number =
      FromHex("78720010") + "java.lang.Number" + FromHex("86ac951d0b94e08b0200007870");
  EXPECT_EQ(Java(FromHex("aced00057372000f") + "java.lang.Short" +
                 FromHex("684d37133460da5202000153000576616c7565") + number + FromHex("fffe")),
            "-2");
  EXPECT_EQ(Java(FromHex("aced00057372000e") + "java.lang.Byte" +
                 FromHex("9c4e6084ee50f51c02000142000576616c7565") + number + FromHex("07")),
            "7");
}

TEST(MemberText, OtherObjectsOfJavaAreRefused) {
  EXPECT_EQ(Java(FromHex("aced00057372000a") + "com.x.User" + std::string(20, '\0')),
            "error: the member is an object of class 'com.x.User', not a string or a number");
  EXPECT_EQ(Java("ann"), "error: the member 'ann' is not serialised by Java");
  EXPECT_EQ(Java(""), "error: the member '' is not serialised by Java");
  EXPECT_EQ(Java(FromHex("aced000570")),
            "error: the member '\\xac\\xed\\x00\\x05p' is serialised by Java, and is not a string "
            "or a number");
}

TEST(MemberText, DamagedJavaIsRefusedAtEveryByte) {
  for (const std::string& whole : {kJavaAnn, kJavaLong, kJavaInteger}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_TRUE(Java(whole.substr(0, size)).starts_with("error: ")) << size;
    }
    EXPECT_TRUE(Java(whole + "x").starts_with("error: ")) << "bytes behind the member";
  }
  for (const std::string_view bytes :
       {"c3", "80", "c1bf", "e08080", "eda0bc", "edbf86", "eda0bc61", "f09f8f86", "00", "ff"}) {
    const std::string length{'\0', static_cast<char>(bytes.size() / 2)};
    EXPECT_EQ(Java(FromHex("aced000574") + length + FromHex(bytes)).find("error: "), 0U) << bytes;
  }
  // A length far beyond the bytes, and one that would overflow.
  EXPECT_TRUE(Java(FromHex("aced000574ffff61")).starts_with("error: "));
  EXPECT_TRUE(Java(FromHex("aced00057cffffffffffffffff61")).starts_with("error: "));
}

TEST(MemberText, ASerialisedMemberHasALimit) {
  const std::string edge = "\"" + std::string(kMaxWrappedMemberBytes - 2, 'x') + "\"";
  EXPECT_EQ(Json(edge).size(), kMaxWrappedMemberBytes - 2);
  EXPECT_EQ(Json(edge + " "), "error: a serialised member has at most 4096 bytes, got 4097");
}

TEST(MemberText, EncodingsHaveNames) {
  EXPECT_EQ(ParseMemberEncoding("raw").value(), MemberEncoding::kRaw);
  EXPECT_EQ(ParseMemberEncoding("json").value(), MemberEncoding::kJson);
  EXPECT_EQ(ParseMemberEncoding("java").value(), MemberEncoding::kJava);
  EXPECT_EQ(ParseMemberEncoding("php").error().message,
            "'php' is no encoding of members: expected raw, json or java");
}

}  // namespace
}  // namespace laurel::transfer
