#include "http/url.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/percent.h"
#include "http/limits.h"

namespace laurel::http {
namespace {

using std::string_literals::operator""s;
using Texts = std::vector<std::string>;

Texts Segments(std::string_view path) {
  PathSegments segments;
  const Status status = segments.Parse(path);
  if (!status.ok()) {
    EXPECT_EQ(segments.size(), 0U);
    return {status.error().ToString()};
  }
  return {segments.all().begin(), segments.all().end()};
}

// Key and value by turns.
Texts Parameters(std::string_view query) {
  QueryParameters parameters;
  const Status status = parameters.Parse(query);
  if (!status.ok()) {
    EXPECT_TRUE(parameters.all().empty());
    return {status.error().ToString()};
  }
  Texts texts;
  for (const QueryParameter& parameter : parameters.all()) {
    texts.emplace_back(parameter.key);
    texts.emplace_back(parameter.value);
  }
  return texts;
}

TEST(PathSegments, SplitsAPath) {
  EXPECT_EQ(Segments("/"), Texts{""});
  EXPECT_EQ(Segments("/v1"), Texts{"v1"});
  EXPECT_EQ(Segments("/v1/boards/lb/entries/ann"), (Texts{"v1", "boards", "lb", "entries", "ann"}));
  EXPECT_EQ(Segments("/v1/"), (Texts{"v1", ""}));
  EXPECT_EQ(Segments("//a//b"), (Texts{"", "a", "", "b"}));
}

TEST(PathSegments, DecodesEachSegmentByItselfAndNormalisesNothing) {
  EXPECT_EQ(Segments("/a%2Fb/c"), (Texts{"a/b", "c"}));
  EXPECT_EQ(Segments("/a/../b/./%2e%2E"), (Texts{"a", "..", "b", ".", ".."}));
  EXPECT_EQ(Segments("/%00%ff%C3%a9"), (Texts{"\0\xff\xc3\xa9"s}));
  EXPECT_EQ(Segments("/a%20b/%61/%2525"), (Texts{"a b", "a", "%25"}));
  EXPECT_EQ(Segments("/lb@day/a:b;c=d,e"), (Texts{"lb@day", "a:b;c=d,e"}));
}

TEST(PathSegments, PlusIsAPlus) { EXPECT_EQ(Segments("/a+b%2Bc"), Texts{"a+b+c"}); }

TEST(PathSegments, RefusesBadEscapesAndWhatIsNoPath) {
  for (const std::string_view path : {"/%", "/%4", "/%4/1", "/a%zz", "/%4g", "/%%41", "/ok/%-1"}) {
    ASSERT_EQ(Segments(path).size(), 1U) << path;
    EXPECT_TRUE(Segments(path)[0].ends_with("has a '%' that two hexadecimal digits do not follow"))
        << path;
  }
  EXPECT_EQ(Segments("*"), Texts{"ERR '*' is not a path: it does not begin with '/'"});
  EXPECT_EQ(Segments(""), Texts{"ERR '' is not a path: it does not begin with '/'"});
}

TEST(PathSegments, RefusesMoreSegmentsThanTheLimit) {
  std::string path;
  for (std::size_t i = 0; i < kMaxPathSegments; ++i) path += "/x";
  EXPECT_EQ(Segments(path).size(), kMaxPathSegments);
  EXPECT_EQ(Segments(path + "/"), Texts{"ERR the path has more than 16 segments"});
}

TEST(PathSegments, AreViewsOfThePathIfTheyHaveNoEscapes) {
  const std::string path = "/v1/%61nn";
  PathSegments segments;
  ASSERT_TRUE(segments.Parse(path).ok());
  EXPECT_EQ(segments[0].data(), path.data() + 1);
  EXPECT_EQ(segments[1], "ann");
  ASSERT_TRUE(segments.Parse("/%62/%63").ok());
  EXPECT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0], "b");
  EXPECT_EQ(segments[1], "c");
}

TEST(QueryParameters, SplitsAQueryInOrder) {
  EXPECT_EQ(Parameters(""), Texts{});
  EXPECT_EQ(Parameters("offset=0&limit=10"), (Texts{"offset", "0", "limit", "10"}));
  EXPECT_EQ(Parameters("score=10&a=1&score=2"), (Texts{"score", "10", "a", "1", "score", "2"}));
  EXPECT_EQ(Parameters("a&b=&=c&d=e=f"), (Texts{"a", "", "b", "", "", "c", "d", "e=f"}));
  EXPECT_EQ(Parameters("&&a=1&&b=2&"), (Texts{"a", "1", "b", "2"}));
  EXPECT_EQ(Parameters("a=1;b=2?c"), (Texts{"a", "1;b=2?c"}));
}

TEST(QueryParameters, DecodesKeysAndValuesAfterSplitting) {
  EXPECT_EQ(Parameters("m%61tch=%26%3d%25&x=%2"),
            Texts{"ERR 'x=%2' has a '%' that two hexadecimal digits do not follow"});
  EXPECT_EQ(Parameters("m%61tch=%26%3d%25"), (Texts{"match", "&=%"}));
  EXPECT_EQ(Parameters("min=(10&max=%2Binf"), (Texts{"min", "(10", "max", "+inf"}));
  EXPECT_EQ(Parameters("%00=%ff"), (Texts{"\0"s, "\xff"}));
}

TEST(QueryParameters, PlusIsASpace) { EXPECT_EQ(Parameters("a+b=c+d%2B"), (Texts{"a b", "c d+"})); }

TEST(QueryParameters, RefusesMoreParametersThanTheLimit) {
  std::string query;
  for (std::size_t i = 0; i < kMaxQueryParameters; ++i) query += "k=%61&";
  EXPECT_EQ(Parameters(query).size(), 2 * kMaxQueryParameters);
  EXPECT_EQ(Parameters(query + "k"), Texts{"ERR the query has more than 64 parameters"});
}

TEST(PercentEncoded, EveryByteIsDecodedAgainInPathsAndQueries) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  std::string text;
  base::AppendPercentEncoded(bytes, &text);
  EXPECT_EQ(Segments("/" + text), Texts{bytes});
  EXPECT_EQ(Parameters(text + "=" + text), (Texts{bytes, bytes}));
  std::string link = "/v1/boards/";
  base::AppendPercentEncoded("a/b é~-._+", &link);
  EXPECT_EQ(link, "/v1/boards/a%2Fb%20%C3%A9~-._%2B");
}

}  // namespace
}  // namespace laurel::http
