#include "server/config/web_names.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

TEST(HostName, IsReturnedInLowerCase) {
  EXPECT_EQ(ParseHostName("Scores.Game.example"), "scores.game.example");
  EXPECT_EQ(ParseHostName("a"), "a");
  EXPECT_EQ(ParseHostName("my_box-1"), "my_box-1");
  const std::string label(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'b');
  EXPECT_EQ(ParseHostName(longest), longest);
}

TEST(HostName, TextThatIsNoNameIsRefused) {
  const std::string label(63, 'a');
  for (const std::string& text :
       {std::string(), std::string("."), std::string("a."), std::string(".a"), std::string("a..b"),
        std::string("a:80"), std::string("a b"), std::string("*.example"), std::string("b\xc3\xbc"),
        std::string("http://a"), std::string("[::1]"), label + "a",
        label + "." + label + "." + label + "." + std::string(62, 'b')}) {
    EXPECT_EQ(ParseHostName(text), std::nullopt) << text;
  }
}

TEST(Origin, IsReturnedAsBrowsersWriteIt) {
  EXPECT_EQ(ParseOrigin("https://game.example"), "https://game.example");
  EXPECT_EQ(ParseOrigin("HTTPS://Game.Example"), "https://game.example");
  EXPECT_EQ(ParseOrigin("https://game.example:8443"), "https://game.example:8443");
  EXPECT_EQ(ParseOrigin("https://game.example:443"), "https://game.example");
  EXPECT_EQ(ParseOrigin("http://game.example:80"), "http://game.example");
  EXPECT_EQ(ParseOrigin("http://game.example:443"), "http://game.example:443");
  EXPECT_EQ(ParseOrigin("http://127.0.0.1:3000"), "http://127.0.0.1:3000");
  EXPECT_EQ(ParseOrigin("http://[::1]"), "http://[::1]");
  EXPECT_EQ(ParseOrigin("http://[::1]:3000"), "http://[::1]:3000");
  EXPECT_EQ(ParseOrigin("capacitor://localhost"), "capacitor://localhost");
  EXPECT_EQ(ParseOrigin("*"), "*");
}

TEST(Origin, TextThatIsNoOriginIsRefused) {
  for (const std::string_view text : {"",
                                      "null",
                                      "game.example",
                                      "https://",
                                      "https:///",
                                      "https://game.example/",
                                      "https://game.example/path",
                                      "https://user@game.example",
                                      "https://*.example",
                                      "https://game.example:",
                                      "https://game.example:0",
                                      "https://game.example:65536",
                                      "https://game.example:080",
                                      "https://[::1",
                                      "https://[::1]x",
                                      "https://::1",
                                      "https://[127.0.0.1]",
                                      "1http://a",
                                      "://a",
                                      "**",
                                      "https://a https://b"}) {
    EXPECT_EQ(ParseOrigin(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace laurel::server
