// Verify: compares a board of the target with the draft that was written to it, and two drafts of
// one source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/patient_connection.h"
#include "laurel/result.h"
#include "leaderboard/leaderboard.h"
#include "transfer/draft/draft.h"

namespace laurel::transfer {

struct VerifyReport {
  std::uint64_t expected = 0;         // visible entries that the board should hold
  std::uint64_t found = 0;            // visible entries of the board
  std::uint64_t missing = 0;          // in the draft, not on the board
  std::uint64_t different = 0;        // score, stamp or meta differs
  std::uint64_t misplaced = 0;        // equal, but at another place among the entries
  std::uint64_t extra = 0;            // on the board, not in the draft
  std::vector<std::string> examples;  // a line for each of the first differences

  [[nodiscard]] bool equal() const {
    return missing == 0 && different == 0 && misplaced == 0 && extra == 0;
  }
  [[nodiscard]] std::uint64_t differences() const {
    return missing + different + misplaced + extra;
  }
};

// Compares the board with the draft: members, scores, stamps, meta and order. Hidden entries are
// looked up one by one; marks on members without an entry are not compared. A capped board is
// expected to hold the best entries of the draft up to its cap. REQUIRES: no client writes the
// board meanwhile.
Result<VerifyReport> Verify(const Draft& draft, client::PatientConnection* server,
                            const std::string& board);
// The same for a board that was loaded from a data folder.
Result<VerifyReport> Verify(const Draft& draft, const leaderboard::Leaderboard& loaded);

// The changes of a source between two readings.
struct SourceChanges {
  std::uint64_t written = 0;          // entries of `now` that are new or differ
  std::vector<std::string> examples;  // members of the first of them
  std::vector<std::string> vanished;  // members that `now` does not have
};
SourceChanges FindChanges(const Draft& before, const Draft& now);

}  // namespace laurel::transfer
