#include "storage/manifest.h"

#include <charconv>
#include <cstdio>
#include <optional>

#include "base/assert.h"
#include "base/crc32c.h"
#include "base/time_text.h"
#include "storage/format.h"

namespace laurel::storage {
namespace {

constexpr std::string_view kFirstWord = "laurel-backup ";
constexpr std::string_view kVersion = "1";

std::string Hex(std::uint64_t value, int digits) {
  LAUREL_ASSERT(digits > 0 && digits <= 16);
  char text[17];
  std::snprintf(text, sizeof(text), "%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

// Removes the text up to the next `separator` from *rest and returns it. Drops the separator.
std::string_view SplitOff(std::string_view* rest, char separator) {
  const std::size_t at = rest->find(separator);
  const std::string_view part = rest->substr(0, at);
  rest->remove_prefix(at == std::string_view::npos ? rest->size() : at + 1);
  return part;
}

template <typename Number>
bool ReadNumber(std::string_view text, int base, Number* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsFileName(std::string_view name) {
  return NumberOfName(FileKind::kLog, name) || NumberOfName(FileKind::kSnapshot, name);
}

bool ReadFileLine(std::string_view line, Manifest* manifest) {
  Manifest::File file;
  file.name = SplitOff(&line, ' ');
  const bool sized = ReadNumber(SplitOff(&line, ' '), 10, &file.bytes);
  if (!IsFileName(file.name) || !sized || !ReadNumber(line, 16, &file.crc)) return false;
  manifest->files.push_back(file);
  return true;
}

bool ReadLine(std::string_view line, Manifest* manifest) {
  const std::string_view word = SplitOff(&line, ' ');
  if (word == "history") return ReadNumber(line, 16, &manifest->history);
  if (word == "record") return ReadNumber(line, 10, &manifest->record);
  if (word == "file") return ReadFileLine(line, manifest);
  if (word != "time") return false;
  const Result<Stamp> time = base::ParseTime(line);
  if (time.ok()) manifest->taken_us = *time;
  return time.ok();
}

}  // namespace

std::uint64_t Manifest::bytes() const {
  std::uint64_t all = 0;
  for (const File& file : files) all += file.bytes;
  return all;
}

std::string EncodeManifest(const Manifest& manifest) {
  std::string text = std::string(kFirstWord) + std::string(kVersion) + "\nhistory " +
                     Hex(manifest.history, 16) + "\nrecord " + std::to_string(manifest.record) +
                     "\ntime " + base::FormatIsoTime(manifest.taken_us) + "\n";
  for (const Manifest::File& file : manifest.files) {
    text += "file " + file.name + " " + std::to_string(file.bytes) + " " + Hex(file.crc, 8) + "\n";
  }
  return text + "end " + Hex(base::Crc32c(text), 8) + "\n";
}

Result<Manifest> ParseManifest(std::string_view text) {
  const auto refuse = [](std::string message) {
    return Error{ErrorCode::kErr, std::move(message)};
  };
  if (!text.starts_with(kFirstWord)) return refuse("it does not begin as a backup does");
  const std::size_t end = text.rfind("\nend ");
  // Compared as text, so that only one spelling of the checksum is accepted.
  if (end == std::string_view::npos ||
      text.substr(end + 5) != Hex(base::Crc32c(text.substr(0, end + 1)), 8) + "\n") {
    return refuse("its list of files is damaged");
  }
  std::string_view rest = text.substr(kFirstWord.size(), end + 1 - kFirstWord.size());
  const std::string_view version = SplitOff(&rest, '\n');
  if (version != kVersion) {
    return refuse("it has backup version " + std::string(version) + ", this program reads " +
                  std::string(kVersion));
  }
  Manifest manifest;
  while (!rest.empty()) {
    if (!ReadLine(SplitOff(&rest, '\n'), &manifest)) return refuse("a line of it is not known");
  }
  if (manifest.files.empty() || !NumberOfName(FileKind::kSnapshot, manifest.files[0].name)) {
    return refuse("it names no snapshot");
  }
  return manifest;
}

}  // namespace laurel::storage
