// Parses the arguments that SCAN, ZSCAN and LB.LIST share.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/commands/context.h"

namespace laurel::engine {

// A board's own scan cursor is a 64-bit hash whose low bits are zero (core::MemberIndex::Scan).
// Clients get its high 52 bits, so that clients that keep numbers in doubles do not round them.
inline constexpr unsigned kMemberCursorShift = 12;

struct ScanOptions {
  base::Glob pattern{"*"};
  std::size_t count = 10;   // at most kMaxScanned
  std::string_view type{};  // SCAN only
};

// Each function replies the error and returns false if the arguments are invalid.
bool TakeCursor(Context& context, std::string_view argument, std::uint64_t* cursor);
// MATCH, COUNT and, for SCAN, TYPE, from argument `first` on.
bool TakeScanOptions(Context& context, std::size_t first, ScanOptions* options);
// The values of MATCH and COUNT.
bool TakeMatch(Context& context, std::string_view argument, ScanOptions* options,
               std::size_t word = wire::kNoWord);
bool TakeCount(Context& context, std::string_view argument, ScanOptions* options);

}  // namespace laurel::engine
