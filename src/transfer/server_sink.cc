#include "transfer/server_sink.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/integer.h"
#include "base/text.h"
#include "base/time_text.h"
#include "laurel/score.h"
#include "transfer/row_table.h"
#include "wire/reply_cursor.h"
#include "wire/spec_arguments.h"

namespace laurel::transfer {
namespace {

constexpr std::size_t kProgressEntries = 512;
constexpr std::size_t kMembersAtOnce = 500;  // of LB.HIDE and LB.REMOVE

Error Failed(const std::string& message) { return {ErrorCode::kErr, message}; }

// Whether an error reply is about the row, so that the others may still be written.
bool IsAboutTheRow(std::string_view code) {
  for (const std::string_view row : {"BADSCORE", "BADTIME", "OVERFLOW", "CLOSED", "LIMIT", "ERR"}) {
    if (code == row) return true;
  }
  return false;
}

// Appends the words of a line that blanks separate.
void AppendWords(std::string_view line, std::vector<std::string>* words) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words->emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
}

// What the sink needs of a verdict.
struct Verdict {
  bool is_verdict = false;
  bool not_ranked = false;
  bool was_there = false;   // the member had an entry
  bool same_score = false;  // and this score
};

Verdict ReadVerdict(std::string_view reply) {
  Verdict verdict;
  if (reply.empty() || reply[0] != '*') return verdict;
  wire::ReplyCursor cursor(reply);
  std::string_view score;
  for (std::size_t pairs = cursor.EnterArray() / 2; pairs > 0; --pairs) {
    const auto name = client::TextOfReply(cursor.Next());
    const std::string_view value = cursor.Next();
    if (name == "status") {
      verdict.is_verdict = true;
      verdict.not_ranked = client::TextOfReply(value) == "not-ranked";
    } else if (name == "score") {
      score = value;
    } else if (name == "previous_score") {
      verdict.was_there = value.starts_with('*') && !value.starts_with("*-1");
      verdict.same_score = !score.empty() && value == score;
    }
  }
  return verdict;
}

// The words of LB.SET for an entry. Reused, so that a row allocates nothing.
class SetWords {
 public:
  SetWords(std::string_view board, const Spec& spec) : board_(board), spec_(spec) {}

  std::span<const std::string_view> For(const TableEntry& entry) {
    words_.clear();
    words_.insert(words_.end(), {"LB.SET", board_, entry.member});
    for (std::size_t field = 0; field < spec_.fields.size(); ++field) {
      words_.push_back(FormatNumber(entry.score[field], spec_.fields[field].decimals,
                                    std::span<char, kMaxNumberText>(numbers_[field])));
    }
    at_ = std::to_string(entry.stamp);
    at_ += "us";
    words_.insert(words_.end(), {"AT", at_});
    if (!entry.meta.empty()) words_.insert(words_.end(), {"META", entry.meta});
    return words_;
  }

 private:
  std::string_view board_;
  const Spec& spec_;
  std::vector<std::string_view> words_;
  std::array<std::array<char, kMaxNumberText>, kMaxFields> numbers_{};
  std::string at_;
};

}  // namespace

Spec WithoutWindow(const Spec& spec) {
  Spec open = spec;
  open.start.reset();
  open.end.reset();
  open.grace_us = 0;
  open.expire_us = 0;
  return open;
}

Result<std::unique_ptr<ServerSink>> ServerSink::Open(const client::ConnectOptions& options,
                                                     Rejects* rejects) {
  Result<client::PatientConnection> server = client::PatientConnection::Open(options);
  if (!server.ok()) return server.error();
  return std::unique_ptr<ServerSink>(new ServerSink(std::move(*server), rejects));
}

Result<std::optional<Spec>> ServerSink::Find(const std::string& board) {
  std::string refusal;
  const Result<client::RespValue> reply = server_.Ask({"LB.DESCRIBE", board}, &refusal);
  if (refusal.starts_with("NOBOARD")) return std::optional<Spec>();
  if (refusal.starts_with("ERR unknown command")) {
    return Failed(server_.address() + " knows no LB commands: it is neither Laurel nor Redis " +
                  "with the module laurel.so");
  }
  if (refusal.starts_with("WRONGTYPE")) {
    return Error{ErrorCode::kWrongType,
                 server_.address() + ": " + base::Quote(board) + " is there and is no leaderboard"};
  }
  if (!reply.ok()) return reply.error();
  const client::RespValue* create = reply->Find("create");
  if (create == nullptr) return Failed(server_.address() + ": LB.DESCRIBE answers no spec");
  const Result<wire::SpecArguments> spec = wire::ParseSpecLine(create->text);
  if (!spec.ok()) return Failed(server_.address() + ": " + spec.error().message);
  return std::optional<Spec>(spec->spec);
}

Status ServerSink::Begin(const std::string& board, const Spec& spec,
                         const std::optional<std::string>& period) {
  if (!spec.periods.empty() || period) {
    return Failed(
        base::Quote(board) +
        " has periods: import it into a data folder (--data), because a server takes no " +
        "writes for periods that are over");
  }
  const Result<std::optional<Spec>> present = Find(board);
  if (!present.ok()) return present.error();
  board_ = board;
  spec_ = spec;
  const Spec open = WithoutWindow(spec);
  sets_window_ = open != spec && (!*present || **present == open);
  if (*present) {
    if (**present == spec || sets_window_) return Ok{};
    return Error{ErrorCode::kExists, server_.address() + ": " + base::Quote(board) +
                                         " is there with " + DescribeSpec(**present) +
                                         ", not with " + DescribeSpec(spec)};
  }
  std::vector<std::string> words = {"LB.CREATE", board};
  AppendWords(DescribeSpec(open), &words);
  const Result<client::RespValue> made = server_.Ask(words);
  if (!made.ok()) return made.error();
  return Ok{};
}

Status ServerSink::SetWindow() {
  if (!sets_window_) return Ok{};
  std::vector<std::string> words = {"LB.ALTER", board_};
  if (spec_.start) words.insert(words.end(), {"START", base::FormatIsoTime(*spec_.start)});
  if (spec_.end) words.insert(words.end(), {"END", base::FormatIsoTime(*spec_.end)});
  if (spec_.grace_us > 0) {
    words.insert(words.end(), {"GRACE", base::FormatDuration(spec_.grace_us)});
  }
  if (spec_.expire_us > 0) {
    words.insert(words.end(), {"EXPIRE", base::FormatDuration(spec_.expire_us)});
  }
  const Result<client::RespValue> altered = server_.Ask(words);
  if (!altered.ok()) return altered.error();
  sets_window_ = false;
  return Ok{};
}

Status ServerSink::Reject(std::string_view reply, std::string_view member) {
  if (!IsAboutTheRow(wire::CodeOfError(reply))) return server_.Refused(reply);
  return rejects_->Add({0, client::TextOfError(reply), member});
}

Status ServerSink::Write(const RowTable& table, const WriteProgress& progress) {
  return WriteFrom(table, 0, progress);
}

Status ServerSink::WriteFrom(const RowTable& table, std::size_t first,
                             const WriteProgress& progress) {
  return WriteEntries(
      table, first, table.size(), [](std::size_t index) { return index; }, progress);
}

Status ServerSink::WriteSome(const RowTable& table, std::span<const std::size_t> numbers,
                             const WriteProgress& progress) {
  return WriteEntries(
      table, 0, numbers.size(), [&](std::size_t index) { return numbers[index]; }, progress);
}

Status ServerSink::WriteEntries(const RowTable& table, std::size_t first, std::size_t count,
                                const std::function<std::size_t(std::size_t index)>& number,
                                const WriteProgress& progress) {
  std::vector<std::string> hidden;
  bool any_meta = false;
  for (std::size_t i = 0; i < count; ++i) {
    const TableEntry entry = table[number(i)];
    any_meta = any_meta || !entry.meta.empty();
    if (entry.hidden) hidden.emplace_back(entry.member);
  }
  hidden.insert(hidden.end(), table.marks().begin(), table.marks().end());
  if (const Status done = ForMembers("LB.HIDE", hidden); !done.ok()) return done;
  // Meta of entries before `first` may still be missing (below).
  if (any_meta) first = 0;
  SetWords words(board_, spec_);
  std::vector<std::size_t> needs_meta;
  const Status written = server_.Pipelined(
      first, count, [&](std::size_t i) { server_->Queue(words.For(table[number(i)])); },
      [&](std::size_t i, std::string_view reply) -> Status {
        const TableEntry entry = table[number(i)];
        if (wire::IsErrorReply(reply)) {
          if (const Status rejected = Reject(reply, entry.member); !rejected.ok()) return rejected;
        } else {
          const Verdict verdict = ReadVerdict(reply);
          if (!verdict.is_verdict) {
            return Failed(server_.address() + ": LB.SET answers no verdict");
          }
          if (verdict.not_ranked) ++over_cap_;
          // LB.SET keeps the meta if the score stays, or if it has no META.
          const bool keeps_meta = verdict.same_score || (verdict.was_there && entry.meta.empty());
          if (any_meta && keeps_meta) needs_meta.push_back(number(i));
        }
        if (i + 1 == count || (i + 1) % kProgressEntries == 0) progress(i + 1);
        return Ok{};
      });
  if (!written.ok()) return written;
  if (const Status done = WriteMeta(table, needs_meta); !done.ok()) return done;
  return SetWindow();
}

Status ServerSink::WriteMeta(const RowTable& table, std::span<const std::size_t> entries) {
  return server_.Pipelined(
      0, entries.size(),
      [&](std::size_t i) {
        const TableEntry entry = table[entries[i]];
        const std::string_view words[] = {"LB.META", board_, entry.member, entry.meta};
        server_->Queue(words);
      },
      [&](std::size_t i, std::string_view reply) -> Status {
        if (wire::IsErrorReply(reply)) return Reject(reply, table[entries[i]].member);
        return Ok{};
      });
}

Status ServerSink::ForMembers(std::string_view command, std::span<const std::string> members) {
  const std::size_t calls = (members.size() + kMembersAtOnce - 1) / kMembersAtOnce;
  return server_.Pipelined(
      0, calls,
      [&](std::size_t call) {
        const std::size_t first = call * kMembersAtOnce;
        const auto some = members.subspan(first, std::min(kMembersAtOnce, members.size() - first));
        std::vector<std::string_view> words = {command, board_};
        words.insert(words.end(), some.begin(), some.end());
        server_->Queue(words);
      },
      [&](std::size_t, std::string_view reply) -> Status {
        if (wire::IsErrorReply(reply)) return server_.Refused(reply);
        return Ok{};
      });
}

Status ServerSink::Remove(std::span<const std::string> members) {
  return ForMembers("LB.REMOVE", members);
}

Result<Stamp> ServerSink::Now() {
  const Result<client::RespValue> reply = server_.Ask({"TIME"});
  if (!reply.ok()) return reply.error();
  std::int64_t seconds = 0;
  std::int64_t micros = 0;
  if (reply->elements.size() != 2 || !base::ParseInteger(reply->elements[0].text, &seconds) ||
      !base::ParseInteger(reply->elements[1].text, &micros)) {
    return Failed(server_.address() + ": TIME answers no time");
  }
  return seconds * 1'000'000 + micros;
}

}  // namespace laurel::transfer
