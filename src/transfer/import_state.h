// ImportState: how far an import of a file into a server has come, in a small file, so that an
// import that was interrupted can go on (--resume).
//
// The file is read again, which takes little of the time of an import, and gives the same table;
// entries that are written already are left out. So the state has what the table depends on besides
// the file, and the number of entries that the server has acknowledged:
//
//   laurel import state 1
//   source /data/scores.csv 123456 1794804800000000000     path, bytes, time of change
//   target 127.0.0.1:7600 lb FIELDS 1 score:int:desc …
//   now 1794804800000000
//   done 50000
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::transfer {

struct ImportState {
  std::string source;  // one line, as `target`: StateLine
  std::string target;
  Stamp now = 0;
  std::uint64_t done = 0;

  bool operator==(const ImportState&) const = default;
};

// The text with bytes that a line cannot hold, and backslashes, written as \xNN in quotes.
std::string StateLine(std::string_view text);

// The state that is stored; none if there is no such file. ERR if it is none of an import.
Result<std::optional<ImportState>> LoadImportState(const std::string& path);
// Replaces the file.
Status StoreImportState(const std::string& path, const ImportState& state);
// No error if there is no file.
void RemoveImportState(const std::string& path);

// "/data/scores.csv 123456 1794804800000000000". ERR if the file cannot be examined.
Result<std::string> IdentifyFile(const std::string& path);

}  // namespace laurel::transfer
