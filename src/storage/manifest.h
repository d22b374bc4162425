// Lists the contents of a backup, as text. It is the file `backup` in a backup folder, or stands at
// the end of a one-file backup (archive.h).
//
//   laurel-backup 1
//   history 1f3a…             16 hex digits: of the data folder
//   record 5000               the backup is exactly the state at this record
//   time 2026-11-16T02:14:43.000000Z
//   file snapshot-… 123456 89abcdef     name, bytes, CRC32C; the snapshot first, then the log
//   end 0a1b2c3d              CRC32C of all lines above
//
// It is written last, so a backup that has one is complete.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"

namespace laurel::storage {

inline constexpr std::string_view kManifestName = "backup";

struct Manifest {
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
  };

  std::uint64_t history = 0;
  std::uint64_t record = 0;
  std::int64_t taken_us = 0;
  std::vector<File> files;

  [[nodiscard]] std::uint64_t bytes() const;
};

std::string EncodeManifest(const Manifest& manifest);
// An error says what is wrong, without the name of the file.
Result<Manifest> ParseManifest(std::string_view text);

}  // namespace laurel::storage
