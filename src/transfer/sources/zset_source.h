// Sorted sets of a Redis or Valkey server as sources of an import.
//
// A set is read with ZSCAN. The client keeps the cursor, so after a broken connection it reconnects
// and continues the scan. ZSCAN may return a member twice.
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
#include "client/scan_guard.h"
#include "laurel/codecs.h"
#include "transfer/draft/draft.h"
#include "transfer/text/member_text.h"
#include "transfer/text/rejects.h"
#include "transfer/text/row.h"

namespace laurel::transfer {

// Returns the keys of this type that match the pattern, sorted. In a cluster: those of one node.
Result<std::vector<std::string>> FindKeys(client::PatientConnection* server,
                                          const std::string& pattern, const std::string& type);

// Figures of a scan.
struct ZsetFigures {
  std::uint64_t inexact = 0;         // scores that may stand for more than one value and time
  std::int64_t max_at_error_us = 0;  // largest possible error of the time of such a score
};

struct ZsetSourceOptions {
  std::string key;
  // Under `plain` the score is the value, fractions included.
  Codec codec;
  // Unwraps members that a client has serialised, before the codec decodes them.
  MemberEncoding member = MemberEncoding::kRaw;
  // Drops pairs that ZSCAN has returned before. Takes memory for every member of the set, so it is
  // only for rows that cannot be folded otherwise.
  bool drop_repeats = false;
  // Returns the rows in the order in which ZREVRANGE (kMemberDescending) or ZRANGE shows them,
  // instead of that of the scan. Holds the whole set in memory, so
  // it is only for codecs that lose a part of the order.
  std::optional<EqualRows> order;
  bool may_be_absent = false;  // an absent set has no rows; otherwise it is an error
  // The time of rows whose encoding has none. Rows of equal score then keep the order that Redis
  // shows, and a later scan gives them the same stamps again.
  std::optional<Stamp> untimed_at{};
};

class ZsetReader final : public RowReader {
 public:
  // Begins a scan. `server` and `rejects` must outlive the reader. ERR if the key is not a sorted
  // set.
  static Result<std::unique_ptr<ZsetReader>> Open(client::PatientConnection* server,
                                                  ZsetSourceOptions options, Rejects* rejects);

  Result<bool> Next(Row* row) override;
  // Counts entries instead of bytes. The total is ZCARD at the beginning.
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

  // Reads the next page into pairs_, and requests the page after it.
  Status ReadPage();
  // Reads all pages into held_, and puts pairs_ in the order of the options.
  Status ReadAll();
  // Waits for the requested page. Returns false after it has reconnected.
  Result<bool> AwaitPage();
  Status TakePage();
  void AskForPage();
  // Decodes a pair into a row; an error if the row must be rejected.
  Status Decode(std::string_view member, std::string_view score, Row* row);

  client::PatientConnection* server_;
  ZsetSourceOptions options_;
  Rejects* rejects_;
  bool is_plain_;
  MemberText members_;
  storage::Progress progress_;
  client::ScanGuard guard_;
  ZsetFigures figures_;
  std::string cursor_ = "0";  // cursor of the requested page
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

}  // namespace laurel::transfer
