#include "server/http/gate.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

TEST(HostHeader, IsAnAddressLocalhostOrAConfiguredName) {
  const std::vector<std::string> names = {"game.example"};
  for (const char* allowed : {"127.0.0.1", "127.0.0.1:7680", "10.1.2.3:1", "[::1]", "[::1]:7680",
                              "localhost", "LOCALHOST:7680", "game.example", "Game.Example:443"}) {
    EXPECT_TRUE(IsAllowedHost(allowed, names)) << allowed;
  }
  for (const char* refused : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
                              "game.example.evil", "[::1", "[evil]", "", ":80", "1.2.3", "[]"}) {
    EXPECT_FALSE(IsAllowedHost(refused, names)) << refused;
  }
}

TEST(Origin, OfThisServerAndNoneAreNotForeign) {
  EXPECT_TRUE(CheckOrigin(std::nullopt, "127.0.0.1:7680", {}).is_allowed);
  const OriginCheck same = CheckOrigin("http://127.0.0.1:7680", "127.0.0.1:7680", {});
  EXPECT_TRUE(same.is_allowed);
  EXPECT_FALSE(same.is_foreign);
  EXPECT_EQ(same.allowed, "");
}

TEST(Origin, OfAnotherPlaceIsRefusedUnlessListed) {
  const std::vector<std::string> listed = {"https://game.example"};
  for (const char* foreign : {"https://evil.example", "null", "http://127.0.0.1:7681",
                              "http://game.example", "https://game.example.evil", ""}) {
    const OriginCheck check = CheckOrigin(foreign, "127.0.0.1:7680", listed);
    EXPECT_FALSE(check.is_allowed) << foreign;
    EXPECT_EQ(check.allowed, "") << foreign;
  }
  EXPECT_EQ(CheckOrigin("https://game.example", "127.0.0.1:7680", listed).allowed,
            "https://game.example");
  const std::vector<std::string> any = {"*"};
  EXPECT_EQ(CheckOrigin("https://evil.example", "127.0.0.1:7680", any).allowed, "*");
}

TEST(ContentType, IsJsonWithOrWithoutParameters) {
  for (const char* json : {"application/json", "Application/JSON",
                           "application/json; charset=utf-8", " application/json ;x=y"}) {
    EXPECT_TRUE(IsJson(json)) << json;
  }
  for (const char* other : {"text/plain", "application/jsonx", "application/x-www-form-urlencoded",
                            "", "json", "text/plain; application/json"}) {
    EXPECT_FALSE(IsJson(other)) << other;
  }
  EXPECT_FALSE(IsJson(std::nullopt));
}

TEST(Accept, AsksForEventsInAnyPlaceOfTheList) {
  EXPECT_TRUE(WantsEvents("text/event-stream"));
  EXPECT_TRUE(WantsEvents("application/json, Text/Event-Stream;q=0.9"));
  EXPECT_FALSE(WantsEvents("*/*"));
  EXPECT_FALSE(WantsEvents("text/event-streams"));
  EXPECT_FALSE(WantsEvents(std::nullopt));
}

TEST(Bearer, IsTakenFromOneHeaderOfThatScheme) {
  const auto bearer = [](std::vector<http::HeaderLine> headers) {
    http::Request request;
    request.headers = std::move(headers);
    return BearerOf(request);
  };
  EXPECT_EQ(bearer({}), std::nullopt);
  EXPECT_EQ(bearer({{"Authorization", "Bearer abc"}}), "abc");
  EXPECT_EQ(bearer({{"authorization", "bEARER  abc "}}), "abc");
  for (const char* other : {"Basic abc", "Bearer", "Bearer ", "Bearerabc", "abc"}) {
    EXPECT_EQ(bearer({{"Authorization", other}}).value_or("none"), "") << other;
  }
  EXPECT_EQ(bearer({{"Authorization", "Bearer a"}, {"Authorization", "Bearer b"}}), "");
}

TEST(RequestId, IsVisibleAsciiOfBoundedLength) {
  EXPECT_TRUE(IsRequestId("a-1"));
  EXPECT_TRUE(IsRequestId(std::string(128, 'x')));
  EXPECT_FALSE(IsRequestId(""));
  EXPECT_FALSE(IsRequestId("a b"));
  EXPECT_FALSE(IsRequestId("a\r\nX: y"));
  EXPECT_FALSE(IsRequestId("\xc3\xa4"));
  EXPECT_FALSE(IsRequestId(std::string(129, 'x')));
}

TEST(ForwardedFor, IsBelievedOfTrustedProxiesOnly) {
  const std::vector<AddressRange> proxies = {*AddressRange::Parse("127.0.0.1"),
                                             *AddressRange::Parse("10.0.0.0/8")};
  EXPECT_EQ(ClientAddress("127.0.0.1:5", "1.2.3.4", proxies), "1.2.3.4:0");
  EXPECT_EQ(ClientAddress("127.0.0.1:5", "2001:db8::1", proxies), "[2001:db8::1]:0");
  // Behind two proxies: the last address that is no proxy.
  EXPECT_EQ(ClientAddress("127.0.0.1:5", "9.9.9.9, 1.2.3.4, 10.0.0.7", proxies), "1.2.3.4:0");
  EXPECT_EQ(ClientAddress("127.0.0.1:5", "10.0.0.8, 10.0.0.7", proxies), "10.0.0.8:0");
  EXPECT_EQ(ClientAddress("6.6.6.6:5", "1.2.3.4", proxies), "6.6.6.6:5");
  EXPECT_EQ(ClientAddress("127.0.0.1:5", std::nullopt, proxies), "127.0.0.1:5");
  EXPECT_EQ(ClientAddress("127.0.0.1:5", "not an address", proxies), "127.0.0.1:5");
  EXPECT_EQ(ClientAddress("[::1]:5", "1.2.3.4", proxies), "[::1]:5");
}

}  // namespace
}  // namespace laurel::server
