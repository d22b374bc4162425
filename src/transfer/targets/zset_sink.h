// ZsetSink: writes the entries of a leaderboard into a sorted set of Redis, in the encoding of a
// codec.
//
// All entries are encoded before the first one is written, so nothing is written if the codec
// cannot hold one. With `lossy` such entries are left out, and times out of the codec's range are
// moved to its nearest end. Redis shows entries of equal score that share a tick by member,
// descending; the sink counts the entries that change places because of this.
//
// The set may already exist. Its other members stay, except older members of the same id under
// member-time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client/patient_connection.h"
#include "laurel/codecs.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "transfer/draft/board_entries.h"

namespace laurel::transfer {

struct ZsetSinkOptions {
  std::string key;
  Codec codec;
  bool lossy = false;
};

struct ZsetReport {
  std::uint64_t written = 0;
  std::uint64_t left_out = 0;   // values that the codec cannot hold
  std::uint64_t moved = 0;      // times that were moved into the codec's range
  std::uint64_t reordered = 0;  // neighbours in another order in Redis than on the board
  std::uint64_t removed = 0;    // older members, under member-time
};

using VisitOrFail = std::function<Status(const BoardEntry&)>;
// Visits the entries to write, best first, until the visitor fails. Called twice: to check them,
// and to write them.
using WalkEntries = std::function<Status(const VisitOrFail&)>;

// ERR if the codec cannot hold the board at all: it has several fields or fractions, or it ranks
// less before more, or later before earlier.
Status CheckEncodable(const Spec& spec, const Codec& codec);

// Writes the entries. `server` must outlive the call. BADSCORE, BADTIME or ERR for the first entry
// that the codec cannot hold; then nothing is written.
Result<ZsetReport> WriteZset(const WalkEntries& entries, const Spec& spec,
                             const ZsetSinkOptions& options, client::PatientConnection* server,
                             const std::function<void(std::uint64_t done)>& progress);

}  // namespace laurel::transfer
