// The files of the web console, compiled into the program.
//
// web/embed.mjs writes the table, build/console/console_assets.cc, from what Vite has built. Where
// that file does not exist CMake compiles no_console_assets.cc instead, whose table is empty.
#pragma once

#include <span>
#include <string_view>

namespace laurel::server {

struct ConsoleAsset {
  std::string_view path;          // "index.html", or "assets/NAME-HASH.js": relative to the console
  std::string_view content_type;  // with its charset
  std::string_view version;       // hex digits of the hash of `plain`
  std::string_view plain;
  std::string_view gzip;  // the same, compressed; empty: compression does not make it smaller
};

// All files, sorted by path. If there are any, "index.html" is among them. Names below "assets/"
// change with the contents, so a client may keep those files for ever. The bytes are static.
std::span<const ConsoleAsset> ConsoleAssets();

}  // namespace laurel::server
