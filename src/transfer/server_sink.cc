#include "transfer/server_sink.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/integer.h"
#include "base/text.h"
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

Result<std::unique_ptr<ServerSink>> ServerSink::Open(const client::ConnectOptions& options,
                                                     bool replace, Rejects* rejects) {
  Result<client::PatientConnection> server = client::PatientConnection::Open(options);
  if (!server.ok()) return server.error();
  return std::unique_ptr<ServerSink>(new ServerSink(std::move(*server), replace, rejects));
}

Result<std::optional<Spec>> ServerSink::Find(const std::string& board) {
  if (replace_ && !written_.contains(board)) return std::optional<Spec>();
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
                         const std::optional<std::string>& /*period*/) {
  load_.reset();
  loaded_.reset();
  const Result<std::optional<Spec>> present = Find(board);
  if (!present.ok()) return present.error();
  board_ = board;
  spec_ = spec;
  if (!*present) return BeginNew();
  if (**present == spec) return Ok{};
  return Error{ErrorCode::kExists, server_.address() + ": " + base::Quote(board) +
                                       " is there with " + DescribeSpec(**present) + ", not with " +
                                       DescribeSpec(spec)};
}

Status ServerSink::BeginNew() {
  load_ = std::make_unique<BoardLoad>(&server_, board_, spec_, replace_);
  std::string refusal;
  const Status begun = load_->Begin(&refusal);
  if (begun.ok()) return Ok{};
  load_.reset();
  if (!refusal.starts_with("ERR unknown command")) return begun;
  return Failed(server_.address() +
                " has no LB.LOAD: its module laurel.so is older than this import");
}

Status ServerSink::Reject(std::string_view reply, std::string_view member) {
  if (!IsAboutTheRow(wire::CodeOfError(reply))) return server_.Refused(reply);
  return rejects_->Add({0, client::TextOfError(reply), member});
}

Status ServerSink::Write(const RowTable& table, const WriteProgress& progress) {
  const Status written = load_ != nullptr ? WriteLoad(table, progress)
                                          : WriteEntries(
                                                table, table.size(),
                                                [](std::size_t index) { return index; }, progress);
  if (written.ok()) written_.insert(board_);
  return written;
}

Status ServerSink::WriteLoad(const RowTable& table, const WriteProgress& progress) {
  const Result<Stamp> now = Now();
  if (!now.ok()) return now.error();
  const Result<TableWritten> written = load_->Write(table, *now, progress);
  if (written.ok()) {
    over_cap_ += written->over_cap;
    loaded_ = load_->figures();
  }
  load_.reset();
  return written.ok() ? Status(Ok{}) : Status(written.error());
}

Status ServerSink::WriteSome(const RowTable& table, std::span<const std::size_t> numbers,
                             const WriteProgress& progress) {
  return WriteEntries(
      table, numbers.size(), [&](std::size_t index) { return numbers[index]; }, progress);
}

Status ServerSink::WriteEntries(const RowTable& table, std::size_t count,
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
  SetWords words(board_, spec_);
  std::vector<std::size_t> needs_meta;
  const Status written = server_.Pipelined(
      0, count, [&](std::size_t i) { server_->Queue(words.For(table[number(i)])); },
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
  return WriteMeta(table, needs_meta);
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
