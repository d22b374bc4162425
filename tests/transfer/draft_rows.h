// Random rows for import, and drafts of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "transfer/draft/draft.h"

namespace laurel::testing {

// A row that owns its bytes.
struct OwnedRow {
  std::string member;
  std::vector<std::string> values;
  std::optional<Stamp> at{};
  std::string meta{};
  bool hidden = false;
  std::string instance{};
};

// `members`: how many members there are to draw from. Few values and times, so that many are equal.
// Times lie in the last two days before `now`.
std::vector<OwnedRow> RandomRows(const Spec& spec, std::size_t count, std::uint64_t members,
                                 Stamp now, base::Random* random);

// A finished draft of the rows. Throws std::runtime_error if it refuses one.
std::unique_ptr<transfer::Draft> DraftOf(const Spec& spec, const std::vector<OwnedRow>& rows,
                                         Stamp now,
                                         const std::optional<std::string>& period = std::nullopt);

}  // namespace laurel::testing
