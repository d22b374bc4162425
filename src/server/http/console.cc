#include "server/http/console.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace laurel::server {
namespace {

constexpr ConsoleAsset kNoConsole = {
    .path = "index.html",
    .content_type = "text/html; charset=utf-8",
    .version = "no-console-" LAUREL_VERSION,
    .plain = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Laurel: built without the console</title>
<h1>This server was built without the console</h1>
<p>It serves everything else: see <a href="openapi.json">openapi.json</a>, and docs/http.md in the
sources.
<p>To build the console you need Node 18 or newer with npm, and access to the npm registry. Then, in
the folder of the sources:
<pre>./dev run      builds the server with its console, and starts it with demo boards
./dev build    builds it as build/release/laurel</pre>
<p>If the console is still missing after that, ./dev has said why.
</html>
)",
    .gzip = {},
};

// Removes the text before the first separator from `left` and returns it without surrounding
// blanks.
std::string_view Next(char separator, std::string_view* left) {
  const std::size_t end = std::min(left->find(separator), left->size());
  const std::string_view next = left->substr(0, end);
  left->remove_prefix(std::min(end + 1, left->size()));
  return base::Trimmed(next);
}

// Returns the weight, 0 to 1000 thousandths, in the parameters of a coding (";q=0.5"). A weight
// that cannot be parsed is 0: the client then gets plain bytes, which it can always use.
int WeightOf(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = Next(';', &parameters);
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
    const std::string_view digits = parameter.substr(2);
    if (digits.empty() || digits.size() > 5 || digits[0] < '0' || digits[0] > '1') return 0;
    if (digits.size() > 1 && digits[1] != '.') return 0;
    int weight = (digits[0] - '0') * 1000;
    int unit = 100;
    for (const char c : digits.substr(std::min<std::size_t>(2, digits.size()))) {
      if (c < '0' || c > '9') return 0;
      weight += (c - '0') * unit;
      unit /= 10;
    }
    return std::min(weight, 1000);
  }
  return 1000;
}

}  // namespace

const ConsoleAsset* FindConsoleAsset(std::string_view path) {
  const std::span<const ConsoleAsset> assets = ConsoleAssets();
  const auto found = std::lower_bound(
      assets.begin(), assets.end(), path,
      [](const ConsoleAsset& asset, std::string_view wanted) { return asset.path < wanted; });
  return found != assets.end() && found->path == path ? &*found : nullptr;
}

const ConsoleAsset& ConsolePage() {
  const ConsoleAsset* page = FindConsoleAsset("index.html");
  return page != nullptr ? *page : kNoConsole;
}

const ConsoleAsset& NoConsolePage() { return kNoConsole; }

bool AcceptsGzip(std::optional<std::string_view> accept_encoding) {
  if (!accept_encoding) return false;
  std::optional<int> gzip;
  std::optional<int> any;
  int identity = 0;
  std::string_view left = *accept_encoding;
  while (!left.empty()) {
    std::string_view parameters = Next(',', &left);
    const std::string_view coding = Next(';', &parameters);
    const int weight = WeightOf(parameters);
    if (base::IsWord(coding, "gzip") || base::IsWord(coding, "x-gzip")) {
      gzip = weight;
    } else if (coding == "*") {
      any = weight;
    } else if (base::IsWord(coding, "identity")) {
      identity = weight;
    }
  }
  const int weight = gzip.value_or(any.value_or(0));
  return weight > 0 && weight >= identity;
}

bool IsKnownVersion(std::optional<std::string_view> if_none_match, std::string_view version) {
  if (!if_none_match) return false;
  return base::Trimmed(*if_none_match) == "*" ||
         if_none_match->find('"' + std::string(version) + '"') != std::string_view::npos;
}

}  // namespace laurel::server
