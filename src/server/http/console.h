// How the files of the web console are answered. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "server/http/console_assets.h"

namespace laurel::server {

// The file of a path, "assets/main-3f2c.js"; null if there is none.
const ConsoleAsset* FindConsoleAsset(std::string_view path);
// What / shows: the console's index.html or, in a program that was built without the console, a
// page that says how to get it.
const ConsoleAsset& ConsolePage();
// The page of a program without the console.
const ConsoleAsset& NoConsolePage();

// Whether an Accept-Encoding header prefers gzip to the plain bytes, or at least allows it without
// preferring those.
bool AcceptsGzip(std::optional<std::string_view> accept_encoding);
// Whether an If-None-Match header names the version, or any ("*").
bool IsKnownVersion(std::optional<std::string_view> if_none_match, std::string_view version);

// The Cache-Control of files whose names change with their contents.
inline constexpr std::string_view kKeptForEver = "public, max-age=31536000, immutable";

// Header lines of a file that is sent as gzip, and of all others. The page runs only its own
// scripts, calls only its own server, and no other page can show it in a frame.
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
