#include "client/redis_url.h"

#include <gtest/gtest.h>

namespace laurel::client {
namespace {

ServerAddress Parsed(std::string_view text) {
  const Result<ServerAddress> parsed = ParseServerAddress(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().message);
  return parsed.ok() ? *parsed : ServerAddress();
}

TEST(RedisUrl, HostAndPortMeanALaurelServer) {
  EXPECT_EQ(Parsed("").Text(), "127.0.0.1:7600");
  EXPECT_EQ(Parsed("example.org").Text(), "example.org:7600");
  EXPECT_EQ(Parsed("example.org:1").Text(), "example.org:1");
  EXPECT_EQ(Parsed(":7601").Text(), "127.0.0.1:7601");
  EXPECT_EQ(Parsed("[::1]").Text(), "[::1]:7600");
  EXPECT_EQ(Parsed("[::1]:65535").Text(), "[::1]:65535");
  EXPECT_EQ(Parsed("[::1]:65535").host, "::1");
}

TEST(RedisUrl, UrlHasLoginPortAndDatabase) {
  const ServerAddress all = Parsed("rediss://ann:p%40ss%3A%2F:word@redis.example:6380/12");
  EXPECT_EQ(all, (ServerAddress{"redis.example", "6380", true, "ann", "p@ss:/:word", 12}));
  EXPECT_EQ(all.Text(), "redis.example:6380");
  EXPECT_EQ(Parsed("redis://"), (ServerAddress{"127.0.0.1", "6379", false, "", "", 0}));
  EXPECT_EQ(Parsed("redis://localhost/"), (ServerAddress{"localhost", "6379", false, "", "", 0}));
  EXPECT_EQ(Parsed("redis://:secret@[::1]:1"), (ServerAddress{"::1", "1", false, "", "secret", 0}));
  EXPECT_EQ(Parsed("redis://ann@h"), (ServerAddress{"h", "6379", false, "ann", "", 0}));
  EXPECT_EQ(Parsed("redis://a:b@c@h").password, "b@c");
}

TEST(RedisUrl, OtherTextsAreRefusedWithoutThePassword) {
  for (const std::string_view text : {"::1",
                                      "a:b:c",
                                      "host:",
                                      "host:0",
                                      "host:65536",
                                      "host:port",
                                      "host:-1",
                                      "host:+1",
                                      "[::1",
                                      "[::1]1",
                                      "a b",
                                      "a/b",
                                      "user@host",
                                      "http://host",
                                      "redis://h/x",
                                      "redis://h/-1",
                                      "redis://h/1/2",
                                      "redis://h?db=1",
                                      "redis://h#x",
                                      "redis://u:secret%4@h",
                                      "redis://u:secret%@h",
                                      "redis://u:secret%zz@h",
                                      "redis://u:secret@h:x",
                                      "redis://u:secret@h/99999999999"}) {
    const Result<ServerAddress> parsed = ParseServerAddress(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().message.find("secret"), std::string::npos) << parsed.error().message;
  }
}

}  // namespace
}  // namespace laurel::client
