#include "calendar/zone.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "laurel/limits.h"

namespace laurel::calendar {
namespace {

bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }

bool IsZoneByte(char c) {
  return IsCapital(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '+' ||
         c == '-' || c == '/';
}

// Names have no dots, so no name leads out of the zoneinfo folder. Files there that do not begin
// with a capital are not zones of the database: localtime, posixrules, posix/… and right/…, which
// counts leap seconds.
bool IsZoneName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxZoneNameBytes && IsCapital(name[0]) &&
         std::all_of(name.begin(), name.end(), IsZoneByte) && !name.ends_with('/') &&
         name.find("//") == std::string_view::npos;
}

// The folder in which Abseil looks for zones.
std::filesystem::path ZoneFolder() {
  const char* folder = std::getenv("TZDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/usr/share/zoneinfo";
}

}  // namespace

Result<absl::TimeZone> LoadZone(std::string_view name) {
  if (name == "UTC") return absl::UTCTimeZone();
  const Error unknown = Err("unknown time zone " + base::Quote(name) +
                            ": expected a name of the IANA database, such as Europe/Berlin");
  if (!IsZoneName(name)) return unknown;
  const std::filesystem::path folder = ZoneFolder();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return Err("time zone " + base::Quote(name) + " cannot be read: there is no folder " +
               base::Quote(folder.native()) + ", install tzdata");
  }
  // Abseil keeps every name that it was ever asked for, so ask it only for names that exist.
  if (!std::filesystem::is_regular_file(folder / name, ignored)) return unknown;
  absl::TimeZone zone;
  if (!absl::LoadTimeZone({name.data(), name.size()}, &zone)) {
    return Err("time zone " + base::Quote(name) + " cannot be read from " +
               base::Quote(folder.native()));
  }
  return zone;
}

}  // namespace laurel::calendar
