// Sorted sets of a Redis or Valkey server as sources of an import.
//
// A set is read with ZSCAN. The cursor is kept by the client, so a connection that breaks is made
// again and the scan goes on. ZSCAN may return a member twice: FoldingOf says how such rows are
// folded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "client/patient_connection.h"
#include "laurel/codecs.h"
#include "laurel/spec.h"
#include "transfer/draft.h"
#include "transfer/member_text.h"
#include "transfer/rejects.h"
#include "transfer/row_reader.h"
#include "transfer/scan_guard.h"

namespace laurel::transfer {

// The keys of sorted sets that match the pattern, sorted.
Result<std::vector<std::string>> FindSortedSets(client::PatientConnection* server,
                                                const std::string& pattern);

// What a scan has met besides rows.
struct ZsetFigures {
  std::uint64_t inexact = 0;         // scores that more than one value and time may have
  std::int64_t max_at_error_us = 0;  // how far the time of such a score may be off
};

// How the service shows the set: by ZREVRANGE or, if less is better, by ZRANGE.
enum class ShownOrder : std::uint8_t { kHighestFirst, kLowestFirst };

struct ZsetSourceOptions {
  std::string key;
  // Under `plain` the score is the value, fractions included.
  Codec codec;
  // Unwraps members that a client has serialised, before they are decoded.
  MemberEncoding member = MemberEncoding::kRaw;
  // Leaves out pairs that ZSCAN has returned before. Takes memory for every member of the set, so
  // it is for rows that cannot be folded otherwise (NeedsUniqueRows).
  bool drop_repeats = false;
  // Returns the rows in this order instead of that of the scan. Holds the whole set in memory, so
  // it is for codecs that drop a part of the order (DropsOrder).
  std::optional<ShownOrder> order;
  bool may_be_absent = false;  // a set that is not there has no rows; otherwise it is an error
};

class ZsetReader final : public RowReader {
 public:
  // Begins a scan. `server` and `rejects` must outlive the reader. ERR if the key is no
  // sorted set.
  static Result<std::unique_ptr<ZsetReader>> Open(client::PatientConnection* server,
                                                  ZsetSourceOptions options, Rejects* rejects);

  Result<bool> Next(Row* row) override;
  // Entries instead of bytes. The total is ZCARD at the beginning.
  [[nodiscard]] storage::Progress progress() const override { return progress_; }
  [[nodiscard]] const ZsetFigures& figures() const { return figures_; }

 private:
  ZsetReader(client::PatientConnection* server, ZsetSourceOptions options, Rejects* rejects,
             std::uint64_t entries)
      : server_(server),
        options_(std::move(options)),
        rejects_(rejects),
        is_plain_(options_.codec.name() == "plain"),
        members_(options_.member),
        guard_(server->address(), entries) {
    progress_.total_bytes = entries;
  }

  struct Held {
    double number = 0;  // the score
    std::string member;
    std::string score;
  };

  // Reads the next page into pairs_, and asks for the one after it.
  Status ReadPage();
  // Reads all pages into held_, and puts pairs_ in the order of the options.
  Status ReadAll();
  // Waits for the page that was asked for. Returns false after a broken connection was made again.
  Result<bool> AwaitPage();
  Status TakePage();
  void AskForPage();
  // The row of a pair; an error if it is to be rejected.
  Status Decode(std::string_view member, std::string_view score, Row* row);

  client::PatientConnection* server_;
  ZsetSourceOptions options_;
  Rejects* rejects_;
  bool is_plain_;
  MemberText members_;
  storage::Progress progress_;
  ScanGuard guard_;
  ZsetFigures figures_;
  std::string cursor_ = "0";  // of the page that is asked for
  bool last_page_ = false;
  std::string page_;  // the reply: a copy, because the next page arrives while this one is used
  std::vector<std::pair<std::string_view, std::string_view>>
      pairs_;               // member, score: of page_ or held_
  std::vector<Held> held_;  // all pairs, if they are put in order
  std::size_t next_ = 0;
  std::unordered_set<std::string> seen_;
  std::string value_;
  std::string_view value_view_;
};

// How the rows of a sorted set are folded. Under member-time several members of the set may be one
// member of the board: the board's rules fold them. Otherwise a member has one row, and several
// rows of it come from the scan.
Folding FoldingOf(const Codec& codec);
// Whether scores that differ may decode to the same value without a time: their order is then known
// to Redis alone.
bool DropsOrder(const Codec& codec);
// Whether the reader must drop repeats: rows of one member add up.
bool NeedsUniqueRows(const Spec& spec, const Codec& codec);

}  // namespace laurel::transfer
