// Which templates the last start on a data folder was configured with.
//
// Templates of flags and of the configuration file are not stored with the data: they come with
// every start. A start that lacks one turns new keys into sorted sets without any error, so the
// patterns are kept in a small file beside the data, and the next start compares.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "laurel/result.h"

namespace laurel::engine {

inline constexpr std::string_view kTemplateNoteName = "configured-templates";

// Writes the patterns down, and returns those of the last start that are not among them. Writes
// nothing if they are the same. The note is advice only: it is not synced.
Result<std::vector<std::string>> UpdateTemplateNote(base::Folder* folder,
                                                    std::span<const std::string> patterns);

}  // namespace laurel::engine
