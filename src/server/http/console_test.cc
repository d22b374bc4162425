#include "server/http/console.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The table is what web/embed.mjs has written, or empty: both hold these rules.
TEST(ConsoleAssets, AreSortedCompleteAndFoundByPath) {
  const std::span<const ConsoleAsset> assets = ConsoleAssets();
  EXPECT_TRUE(
      std::is_sorted(assets.begin(), assets.end(),
                     [](const ConsoleAsset& a, const ConsoleAsset& b) { return a.path < b.path; }));
  for (const ConsoleAsset& asset : assets) {
    EXPECT_EQ(FindConsoleAsset(asset.path), &asset);
    EXPECT_TRUE(asset.path == "index.html" || asset.path.starts_with("assets/")) << asset.path;
    EXPECT_FALSE(asset.content_type.empty()) << asset.path;
    EXPECT_EQ(asset.version.size(), 16U) << asset.path;
    EXPECT_TRUE(asset.gzip.empty() || asset.gzip.size() < asset.plain.size()) << asset.path;
  }
  EXPECT_EQ(FindConsoleAsset("index.html") == nullptr, assets.empty());
  for (const std::string_view path : {"", "assets/", "assets/none.js", "zzz"}) {
    EXPECT_EQ(FindConsoleAsset(path), nullptr) << path;
  }
}

TEST(ConsolePage, IsTheConsoleOrSaysHowToGetIt) {
  EXPECT_EQ(&ConsolePage(),
            ConsoleAssets().empty() ? &NoConsolePage() : FindConsoleAsset("index.html"));
}

TEST(NoConsolePage, SaysWhatIsMissingAndHowToGetIt) {
  const ConsoleAsset& page = NoConsolePage();
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_TRUE(page.version.starts_with("no-console-"));
  EXPECT_TRUE(page.gzip.empty());
  EXPECT_TRUE(page.plain.starts_with("<!doctype html>"));
  for (const std::string_view part : {"built without the console", "Node 18", "npm registry",
                                      "./dev run", "./dev build", "href=\"openapi.json\""}) {
    EXPECT_TRUE(Has(page.plain, part)) << part;
  }
  // The content security policy would block these.
  EXPECT_FALSE(Has(page.plain, "style"));
  EXPECT_FALSE(Has(page.plain, "<script"));
}

TEST(AcceptsGzip, OnlyIfTheHeaderAllowsIt) {
  EXPECT_FALSE(AcceptsGzip(std::nullopt));
  for (const std::string_view header :
       {"gzip", "GZIP", "x-gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1",
        "deflate , gzip ;q=0.001", "*", "*;q=0.5", "gzip;q=1", "gzip;q=1.000", "gzip;Q=0.5",
        "gzip;q=1.", "identity;q=0.5, gzip;q=0.5", "identity;q=0, gzip;q=0.1", "gzip;x=1"}) {
    EXPECT_TRUE(AcceptsGzip(header)) << header;
  }
  for (const std::string_view header : {"",
                                        " ",
                                        ",",
                                        "identity",
                                        "br",
                                        "gzip;q=0",
                                        "gzip;q=0.0",
                                        "gzip; q=0.000",
                                        "*;q=0",
                                        "gzip;q=0.",
                                        "gzip;q=0, *",
                                        "gzip;q=0,*;q=1",
                                        "identity;q=1, gzip;q=0.5",
                                        "gzipped",
                                        "gzip;q=",
                                        "gzip;q=x",
                                        "gzip;q=-1",
                                        "gzip;q=2",
                                        "gzip;q=0.12345",
                                        "gzip;q=1x"}) {
    EXPECT_FALSE(AcceptsGzip(header)) << header;
  }
}

TEST(IsKnownVersion, ComparesWeaklyAndWhole) {
  for (const std::string_view header :
       {"\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", "\"x\",W/\"abc\" ", "*", " * "}) {
    EXPECT_TRUE(IsKnownVersion(header, "abc")) << header;
  }
  for (const std::string_view header : {"", "abc", "\"abc-gzip\"", "\"ab\"", "\"xabc\"", "\"*\""}) {
    EXPECT_FALSE(IsKnownVersion(header, "abc")) << header;
  }
  EXPECT_FALSE(IsKnownVersion(std::nullopt, "abc"));
}

TEST(ConsoleHeaders, AreTheSameForBothCodings) {
  EXPECT_TRUE(kPackedConsoleHeaders.starts_with("Content-Encoding: gzip\r\n"));
  EXPECT_TRUE(kPackedConsoleHeaders.ends_with(kConsoleHeaders));
  EXPECT_TRUE(kConsoleHeaders.starts_with("Content-Security-Policy: default-src 'none'; "));
  EXPECT_TRUE(kConsoleHeaders.ends_with("\r\n"));
}

}  // namespace
}  // namespace laurel::server
