// The files of the web console, compiled into the program.
//
// web/embed.mjs writes the table, build/console/console_assets.cc, from the output of Vite. Without
// that file, CMake compiles no_console_assets.cc, whose table is empty.
#pragma once

#include <span>
#include <string_view>

namespace laurel::server {

struct ConsoleAsset {
  std::string_view path;          // "index.html", or "assets/NAME-HASH.js": relative to the console
  std::string_view content_type;  // with its charset
  std::string_view version;       // hex digits of the hash of `plain`
  std::string_view plain;
  std::string_view gzip;  // `plain` compressed; empty if that is not smaller
};

// Returns all files, sorted by path. The list is empty or contains "index.html". Names below
// "assets/" change with the contents, so clients may cache those files forever. The bytes are
// static.
std::span<const ConsoleAsset> ConsoleAssets();

}  // namespace laurel::server
