#include "engine/disk/template_note.h"

#include <algorithm>
#include <memory>

namespace laurel::engine {
namespace {

constexpr std::string_view kTemporaryName = "configured-templates.tmp";

// One pattern a line: patterns have no control characters (server/config).
std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Status Replace(base::Folder* folder, std::span<const std::string> patterns) {
  if (patterns.empty()) return base::RemoveIfThere(folder, kTemplateNoteName);
  std::string text;
  for (const std::string& pattern : patterns) text += pattern + "\n";
  if (Status removed = base::RemoveIfThere(folder, kTemporaryName); !removed.ok()) return removed;
  const Result<std::unique_ptr<base::File>> file =
      folder->Open(kTemporaryName, base::Folder::Mode::kCreate);
  if (!file.ok()) return file.error();
  if (Status written = (*file)->WriteAt(0, text); !written.ok()) return written;
  return folder->Rename(kTemporaryName, kTemplateNoteName);
}

}  // namespace

Result<std::vector<std::string>> UpdateTemplateNote(base::Folder* folder,
                                                    std::span<const std::string> patterns) {
  const Result<std::vector<std::string>> names = folder->List();
  if (!names.ok()) return names.error();
  std::vector<std::string> before;
  if (std::find(names->begin(), names->end(), kTemplateNoteName) != names->end()) {
    const Result<std::string> text = base::ReadWhole(folder, kTemplateNoteName);
    if (!text.ok()) return text.error();
    before = Lines(*text);
  }
  if (std::equal(before.begin(), before.end(), patterns.begin(), patterns.end())) {
    return std::vector<std::string>();
  }
  if (const Status replaced = Replace(folder, patterns); !replaced.ok()) return replaced.error();
  std::erase_if(before, [&](const std::string& pattern) {
    return std::find(patterns.begin(), patterns.end(), pattern) != patterns.end();
  });
  return before;
}

}  // namespace laurel::engine
