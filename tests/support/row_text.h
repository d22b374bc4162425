// The rows of an import as text, for comparisons.
#pragma once

#include <string>
#include <string_view>

#include "base/time_text.h"
#include "transfer/text/row.h"

namespace laurel {

// "17: ann = 100 3 at 2026-11-15T13:00:00.000000Z meta x hidden in day:2026-11-15".
inline std::string RowText(const transfer::Row& row) {
  std::string text = std::to_string(row.line) + ": " + std::string(row.member) + " =";
  for (const std::string_view value : row.values) text += " " + std::string(value);
  if (row.at) text += " at " + base::FormatIsoTime(*row.at);
  if (!row.meta.empty()) text += " meta " + std::string(row.meta);
  if (row.hidden) text += " hidden";
  if (!row.instance.empty()) text += " in " + std::string(row.instance);
  return text;
}

}  // namespace laurel
