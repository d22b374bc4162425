// Chooses how files of the web console are answered. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "server/http/console_assets.h"

namespace laurel::server {

// Returns the file of a path such as "assets/main-3f2c.js"; null if there is none.
const ConsoleAsset* FindConsoleAsset(std::string_view path);
// Returns the page of "/": the console's index.html or, in a build without the console, a page that
// explains how to get it.
const ConsoleAsset& ConsolePage();
// Returns the page of a build without the console.
const ConsoleAsset& NoConsolePage();

// Whether an Accept-Encoding header allows gzip, with at least the weight of plain bytes.
bool AcceptsGzip(std::optional<std::string_view> accept_encoding);
// Whether an If-None-Match header lists the version or "*".
bool IsKnownVersion(std::optional<std::string_view> if_none_match, std::string_view version);

// The Cache-Control of files whose names contain a hash of their contents.
inline constexpr std::string_view kKeptForEver = "public, max-age=31536000, immutable";

// The header lines of a file that is sent as gzip, and of all other files. The page may run only
// its own scripts and call only its own server, and no other page may show it in a frame.
inline constexpr std::string_view kPackedConsoleHeaders =
    "Content-Encoding: gzip\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";
inline constexpr std::string_view kConsoleHeaders =
    kPackedConsoleHeaders.substr(kPackedConsoleHeaders.find('\n') + 1);

}  // namespace laurel::server
