#include "transfer/import_state.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>

#include <sys/stat.h>

#include "base/integer.h"
#include "base/text.h"

namespace laurel::transfer {
namespace {

constexpr std::string_view kTitle = "laurel import state 1";

Error Failed(const std::string& path, const std::string& what) {
  return {ErrorCode::kErr, path + ": " + what};
}

// The rest of the next line, which must begin with `name` and a blank.
bool TakeLine(std::istream* in, std::string_view name, std::string* rest) {
  std::string line;
  if (!std::getline(*in, line) || !line.starts_with(std::string(name) + " ")) return false;
  *rest = line.substr(name.size() + 1);
  return true;
}

}  // namespace

std::string StateLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= ' ' && c != '\\';
    line += plain ? std::string(1, c) : base::Quote(std::string_view(&c, 1));
  }
  return line;
}

Result<std::optional<ImportState>> LoadImportState(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    if (errno == ENOENT) return std::optional<ImportState>();
    return Failed(path, std::strerror(errno));
  }
  std::string title;
  std::string now;
  std::string done;
  std::int64_t count = 0;
  ImportState state;
  const bool whole = std::getline(in, title) && title == kTitle &&
                     TakeLine(&in, "source", &state.source) &&
                     TakeLine(&in, "target", &state.target) && TakeLine(&in, "now", &now) &&
                     TakeLine(&in, "done", &done) && base::ParseInteger(now, &state.now) &&
                     base::ParseInteger(done, &count) && count >= 0;
  if (!whole) return Failed(path, "it is not the state of an import");
  state.done = static_cast<std::uint64_t>(count);
  return std::optional(state);
}

Status StoreImportState(const std::string& path, const ImportState& state) {
  const std::string unfinished = path + ".new";
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  out << kTitle << "\nsource " << state.source << "\ntarget " << state.target << "\nnow "
      << state.now << "\ndone " << state.done << "\n";
  out.close();
  if (!out || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return Failed(path, std::strerror(errno));
  }
  return Ok{};
}

void RemoveImportState(const std::string& path) { (void)std::remove(path.c_str()); }

Result<std::string> IdentifyFile(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return Failed(path, std::strerror(errno));
  const std::unique_ptr<char, void (*)(void*)> whole(realpath(path.c_str(), nullptr), std::free);
  const std::int64_t changed_ns = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec;
  return StateLine((whole != nullptr ? whole.get() : path) + std::string(" ") +
                   std::to_string(found.st_size) + " " + std::to_string(changed_ns));
}

}  // namespace laurel::transfer
