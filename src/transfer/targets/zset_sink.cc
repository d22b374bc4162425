#include "transfer/targets/zset_sink.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "client/scan_guard.h"
#include "laurel/score.h"
#include "wire/reply_cursor.h"

namespace laurel::transfer {
namespace {

constexpr std::size_t kPairsAtOnce = 200;  // per ZADD or ZREM

// Encodes entries; with `lossy`, leaves out or moves those that do not fit.
class Encoder {
 public:
  Encoder(const Spec& spec, const ZsetSinkOptions& options)
      : options_(options), is_plain_(options.codec.name() == "plain"), spec_(spec) {}

  // Returns none if the entry is left out.
  Result<std::optional<EncodedEntry>> Encode(const BoardEntry& entry, ZsetReport* report) const {
    Result<EncodedEntry> encoded = EncodeAt(entry, entry.stamp);
    if (!encoded.ok() && encoded.error().code == ErrorCode::kBadTime && options_.lossy) {
      const CodecRange& range = options_.codec.range();
      ++report->moved;
      encoded = EncodeAt(entry, std::clamp(entry.stamp, range.first_time, range.last_time));
    }
    if (encoded.ok()) return std::optional(std::move(*encoded));
    if (options_.lossy) {
      ++report->left_out;
      return std::optional<EncodedEntry>();
    }
    return Error{encoded.error().code, base::Quote(entry.member) + ": " + encoded.error().message +
                                           "; --lossy leaves such entries out"};
  }

 private:
  [[nodiscard]] Result<EncodedEntry> EncodeAt(const BoardEntry& entry, Stamp at) const {
    const int decimals = spec_.fields[0].decimals;
    if (!is_plain_ || decimals == 0) return options_.codec.Encode(entry.score[0], at, entry.member);
    const std::string text = FormatNumber(entry.score[0], decimals);
    const Result<double> number = ParseDouble(text);
    // Fifteen digits always survive a double.
    const Result<std::int64_t> again =
        number.ok() ? ParseNumber(FormatDouble(*number), decimals) : number.error();
    if (again.ok() && *again == entry.score[0]) {
      return EncodedEntry{*number, std::string(entry.member), std::nullopt};
    }
    return Error{ErrorCode::kBadScore, text + " is not exact in a double"};
  }

  const ZsetSinkOptions& options_;
  bool is_plain_;
  const Spec& spec_;
};

// The members of the set by id, for member-time.
using OldMembers = std::unordered_map<std::string, std::vector<std::string>>;

// Reads the members of the set, for member-time.
Result<OldMembers> ReadOldMembers(client::PatientConnection* server,
                                  const ZsetSinkOptions& options) {
  OldMembers old;
  const Result<client::RespValue> size = server->Ask({"ZCARD", options.key});
  if (!size.ok()) return size.error();
  client::ScanGuard guard(server->address(),
                          static_cast<std::uint64_t>(std::max<std::int64_t>(size->integer, 0)));
  std::string cursor = "0";
  do {
    const Result<client::RespValue> page =
        server->Ask({"ZSCAN", options.key, cursor, "COUNT", "1000"});
    if (!page.ok()) return page.error();
    if (page->elements.size() != 2 || page->elements[1].elements.size() % 2 != 0) {
      return Err(server->address() + ": ZSCAN answers no page");
    }
    cursor = page->elements[0].text;
    const std::vector<client::RespValue>& pairs = page->elements[1].elements;
    const Status taken = guard.Take(cursor, pairs.size() / 2);
    if (!taken.ok()) return taken.error();
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const Result<double> score = ParseDouble(pairs[i + 1].text);
      if (!score.ok()) continue;
      const Result<DecodedEntry> entry = options.codec.Decode(*score, pairs[i].text);
      if (entry.ok()) old[std::string(entry->member)].push_back(pairs[i].text);
    }
  } while (cursor != "0");
  return old;
}

class Writer {
 public:
  Writer(const ZsetSinkOptions& options, client::PatientConnection* server, ZsetReport* report)
      : options_(options), server_(server), report_(report) {}

  Status Add(EncodedEntry entry, std::string_view id, OldMembers* old) {
    if (const auto found = old->find(std::string(id)); found != old->end()) {
      for (std::string& member : found->second) {
        if (member != entry.member) removed_.push_back(std::move(member));
      }
    }
    added_.push_back(FormatDouble(entry.score));
    added_.push_back(std::move(entry.member));
    ++report_->written;
    return added_.size() >= kBatchPairs * 2 ? Flush() : Status(Ok{});
  }

  Status Flush() {
    report_->removed += removed_.size();
    if (const Status done = Send("ZREM", removed_, 1); !done.ok()) return done;
    if (const Status done = Send("ZADD", added_, 2); !done.ok()) return done;
    removed_.clear();
    added_.clear();
    return Ok{};
  }

 private:
  static constexpr std::size_t kBatchPairs = 20'000;

  // Sends the words, pipelined, in commands of kPairsAtOnce times `width` words.
  Status Send(std::string_view command, const std::vector<std::string>& words, std::size_t width) {
    const std::size_t step = kPairsAtOnce * width;
    return server_->Pipelined(
        (words.size() + step - 1) / step,
        [&](std::size_t call) {
          const auto first = words.begin() + static_cast<std::ptrdiff_t>(call * step);
          const auto last = words.begin() +
                            static_cast<std::ptrdiff_t>(std::min(words.size(), (call + 1) * step));
          std::vector<std::string_view> request = {command, options_.key};
          request.insert(request.end(), first, last);
          (*server_)->Queue(request);
        },
        [&](std::size_t, std::string_view reply) -> Status {
          if (wire::IsErrorReply(reply)) return server_->Refused(reply);
          return Ok{};
        });
  }

  const ZsetSinkOptions& options_;
  client::PatientConnection* server_;
  ZsetReport* report_;
  std::vector<std::string> added_;  // score, member, …
  std::vector<std::string> removed_;
};

// Whether Redis shows `a` before `b`: ZREVRANGE is descending by score, then by member.
bool ShownBefore(const EncodedEntry& a, const EncodedEntry& b, bool ascending) {
  if (a.score != b.score) return ascending ? a.score < b.score : a.score > b.score;
  return ascending ? a.member < b.member : a.member > b.member;
}

// Calls visit(encoded, id) for each entry that is not left out.
Status ForEach(const WalkEntries& entries, const Encoder& encoder, ZsetReport* report,
               const std::function<Status(EncodedEntry, std::string_view)>& visit) {
  return entries([&](const BoardEntry& entry) -> Status {
    Result<std::optional<EncodedEntry>> encoded = encoder.Encode(entry, report);
    if (!encoded.ok()) return encoded.error();
    return *encoded ? visit(std::move(**encoded), entry.member) : Status(Ok{});
  });
}

}  // namespace

Status CheckEncodable(const Spec& spec, const Codec& codec) {
  const auto refuse = [&](const std::string& why) {
    return Err(std::string(codec.name()) + " cannot hold this board: " + why);
  };
  if (!codec.info().encodes) return Err(std::string(codec.name()) + " is for import only");
  if (spec.fields.size() != 1) {
    return refuse("it has " + std::to_string(spec.fields.size()) + " fields");
  }
  if (codec.name() == "plain") return Ok{};
  if (spec.fields[0].decimals > 0) return refuse("its scores have fractions; plain can hold them");
  if (spec.fields[0].direction == Direction::kAsc) {
    return refuse("less is better on it, and the codec puts more before less");
  }
  if (spec.tie == Tie::kLast) {
    return refuse("TIE last, and the codec puts earlier before later");
  }
  return Ok{};
}

Result<ZsetReport> WriteZset(const WalkEntries& entries, const Spec& spec,
                             const ZsetSinkOptions& options, client::PatientConnection* server,
                             const std::function<void(std::uint64_t done)>& progress) {
  if (const Status can = CheckEncodable(spec, options.codec); !can.ok()) return can.error();
  const Encoder encoder(spec, options);
  const bool ascending = spec.fields[0].direction == Direction::kAsc;
  ZsetReport report;
  std::optional<EncodedEntry> before;
  const Status checked =
      ForEach(entries, encoder, &report, [&](EncodedEntry entry, std::string_view) -> Status {
        if (before && !ShownBefore(*before, entry, ascending)) ++report.reordered;
        before = std::move(entry);
        return Ok{};
      });
  if (!checked.ok()) return checked.error();
  Result<OldMembers> old = options.codec.range().time_in_member ? ReadOldMembers(server, options)
                                                                : Result<OldMembers>(OldMembers());
  if (!old.ok()) return old.error();
  ZsetReport ignored;
  Writer writer(options, server, &report);
  const Status written =
      ForEach(entries, encoder, &ignored, [&](EncodedEntry entry, std::string_view id) -> Status {
        progress(report.written);
        return writer.Add(std::move(entry), id, &*old);
      });
  if (!written.ok()) return written.error();
  if (const Status flushed = writer.Flush(); !flushed.ok()) return flushed.error();
  return report;
}

}  // namespace laurel::transfer
