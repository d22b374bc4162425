#include "transfer/text/row_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/base64.h"
#include "base/time_text.h"
#include "base/utf8.h"
#include "base/words.h"
#include "transfer/text/columns.h"
#include "wire/json_writer.h"
#include "wire/reply.h"

namespace laurel::transfer {
namespace {

// Passes the text of each field of the score to `take`.
template <typename Take>
void ForEachValue(const Spec& spec, const Score& score, const Take& take) {
  LAUREL_ASSERT(score.size() == spec.fields.size());
  if (spec.kind == BoardKind::kSortedSet) {
    take(FormatDouble(score.AsDouble()));
    return;
  }
  std::array<char, kMaxNumberText> buffer{};
  for (std::size_t i = 0; i < score.size(); ++i) {
    take(FormatNumber(score[i], spec.fields[i].decimals, std::span<char, kMaxNumberText>(buffer)));
  }
}

// CSV ---------------------------------------------------------------------------------------------

bool NeedsBase64(std::string_view bytes) {
  return bytes.find('\0') != std::string_view::npos || !base::IsUtf8(bytes);
}

void AppendCell(std::string_view text, std::string* out) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) {
    out->append(text);
    return;
  }
  *out += '"';
  for (std::size_t quote = text.find('"'); quote != std::string_view::npos;
       quote = text.find('"')) {
    out->append(text.substr(0, quote + 1));
    *out += '"';
    text.remove_prefix(quote + 1);
  }
  out->append(text);
  *out += '"';
}

class CsvWriter final : public RowWriter {
 public:
  [[nodiscard]] bool needs_survey() const override { return true; }

  void Survey(const BoardEntry& row) override {
    // With this column, an empty member is not mistaken for a missing one.
    has_member_base64_ = has_member_base64_ || NeedsBase64(row.member) || row.member.empty();
    has_meta_base64_ = has_meta_base64_ || NeedsBase64(row.meta);
    has_hidden_ = has_hidden_ || row.hidden;
    has_instance_ = has_instance_ || !row.instance.empty();
  }

  Status Begin(std::string_view /*board*/, const Spec& spec, const BoardTimes& /*times*/,
               std::string* out) override {
    spec_ = spec;
    *out += "rank,member";
    if (has_member_base64_) *out += ",member_base64";
    for (const Field& field : spec.fields) {
      *out += ',';
      AppendCell(FieldColumnName(field), out);
    }
    if (spec.kind == BoardKind::kLeaderboard) {
      *out += ",reached,meta";
      if (has_meta_base64_) *out += ",meta_base64";
    }
    if (has_hidden_) *out += ",hidden";
    if (has_instance_) *out += ",instance";
    *out += '\n';
    return Ok{};
  }

  void Write(const BoardEntry& row, std::string* out) override {
    if (row.rank > 0) *out += std::to_string(row.rank);
    AppendBytes(row.member, has_member_base64_, out);
    if (!row.is_mark()) {
      ForEachValue(spec_, row.score, [out](std::string_view number) {
        *out += ',';
        out->append(number);
      });
    } else {
      out->append(spec_.fields.size(), ',');
    }
    if (spec_.kind == BoardKind::kLeaderboard) {
      *out += ',';
      if (!row.is_mark()) AppendTime(row.stamp, out);
      AppendBytes(row.meta, has_meta_base64_, out);
    }
    if (has_hidden_) *out += row.hidden ? ",true" : ",";
    if (has_instance_) {
      *out += ',';
      AppendCell(row.instance, out);
    }
    *out += '\n';
  }

 private:
  static void AppendTime(Stamp stamp, std::string* out) {
    const std::size_t at = out->size();
    out->resize(at + base::kIsoTimeBytes);
    base::WriteIsoTime(stamp, out->data() + at);
  }

  // Appends the cell of the bytes and, if the table has one, the cell of their base64.
  static void AppendBytes(std::string_view bytes, bool has_base64, std::string* out) {
    const bool needs_base64 = has_base64 && NeedsBase64(bytes);
    *out += ',';
    if (!needs_base64) AppendCell(bytes, out);
    if (has_base64) *out += ',';
    if (needs_base64) base::AppendBase64(bytes, out);
  }

  Spec spec_;
  bool has_member_base64_ = false;
  bool has_meta_base64_ = false;
  bool has_hidden_ = false;
  bool has_instance_ = false;
};

// JSON lines --------------------------------------------------------------------------------------

class JsonlWriter final : public RowWriter {
 public:
  Status Begin(std::string_view board, const Spec& spec, const BoardTimes& times,
               std::string* out) override {
    spec_ = spec;
    json_.Begin(out);
    const std::pair<std::string_view, Stamp> moments[] = {{"last_stamp", times.last_stamp},
                                                          {"written_at", times.written_at},
                                                          {"turned_at", times.turned_at}};
    const auto known = [](const auto& moment) { return moment.second != 0; };
    json_.Map(std::size_t{2} + static_cast<std::size_t>(std::ranges::count_if(moments, known)));
    json_.Pair("board", board);
    json_.Pair("spec", DescribeSpec(spec));
    for (const auto& moment : moments) {
      if (!known(moment)) continue;
      json_.Pair(moment.first, base::FormatIsoTime(moment.second));
    }
    *out += '\n';
    return Ok{};
  }

  void Write(const BoardEntry& row, std::string* out) override {
    const bool has_stamp = !row.is_mark() && spec_.kind == BoardKind::kLeaderboard;
    json_.Begin(out);
    json_.Map(std::size_t{1} + (!row.is_mark() ? 1 : 0) + (has_stamp ? 1 : 0) +
              (row.meta.empty() ? 0 : 1) + (row.hidden ? 1 : 0) + (row.instance.empty() ? 0 : 1));
    json_.Pair("member", row.member);
    if (!row.is_mark()) {
      json_.Key("score");
      json_.Array(row.score.size());
      ForEachValue(spec_, row.score, [this](std::string_view number) { json_.Bulk(number); });
    }
    if (has_stamp) {
      json_.Key("reached");
      json_.Moment(row.stamp);
    }
    if (!row.meta.empty()) json_.Pair("meta", row.meta);
    if (row.hidden) json_.Pair("hidden", true);
    if (!row.instance.empty()) json_.Pair("instance", row.instance);
    *out += '\n';
  }

 private:
  Spec spec_;
  wire::JsonWriter json_;
};

// Commands ----------------------------------------------------------------------------------------

// Appends a command whose arguments after the board are those of `line`.
void AppendLine(std::string_view command, std::string_view board, std::string_view line,
                std::string* out) {
  const std::vector<std::string_view> words = base::WordsOf(line);
  wire::Reply request(out, wire::Protocol::kResp2);
  request.Array(2 + words.size());
  request.Bulk(command);
  request.Bulk(board);
  for (const std::string_view word : words) request.Bulk(word);
}

class RespWriter final : public RowWriter {
 public:
  Status Begin(std::string_view board, const Spec& spec, const BoardTimes& /*times*/,
               std::string* out) override {
    if (!spec.periods.empty()) {
      return Error{ErrorCode::kErr,
                   "the board has periods, whose closed instances take no commands: export it as "
                   "archive or jsonl"};
    }
    board_ = board;
    spec_ = spec;
    if (spec.kind == BoardKind::kSortedSet) return Ok{};
    Spec open = spec;
    open.start.reset();
    open.end.reset();
    open.grace_us = 0;
    open.expire_us = 0;
    AppendLine("LB.CREATE", board_, DescribeSpec(open), out);
    return Ok{};
  }

  // A client sends a command in the form of a reply, an array of words.
  void Write(const BoardEntry& row, std::string* out) override {
    wire::Reply request(out, wire::Protocol::kResp2);
    const auto begin = [&](std::string_view command, std::size_t arguments) {
      request.Array(2 + arguments);
      request.Bulk(command);
      request.Bulk(board_);
    };
    const auto add_number = [&](std::string_view number) { request.Bulk(number); };
    if (spec_.kind == BoardKind::kSortedSet) {
      begin("ZADD", 2);
      ForEachValue(spec_, row.score, add_number);
      request.Bulk(row.member);
      return;
    }
    if (row.hidden) {
      begin("LB.HIDE", 1);
      request.Bulk(row.member);
    }
    if (row.is_mark()) return;
    begin("LB.SET", 1 + row.score.size() + 2 + (row.meta.empty() ? 0 : 2));
    request.Bulk(row.member);
    ForEachValue(spec_, row.score, add_number);
    request.Bulk("AT");
    request.Bulk(std::to_string(row.stamp) + "us");
    if (!row.meta.empty()) {
      request.Bulk("META");
      request.Bulk(row.meta);
    }
  }

  void End(std::string* out) override {
    std::string window;
    if (spec_.start) window += " START " + base::FormatIsoTime(*spec_.start);
    if (spec_.end) window += " END " + base::FormatIsoTime(*spec_.end);
    if (spec_.grace_us > 0) window += " GRACE " + base::FormatDuration(spec_.grace_us);
    if (spec_.expire_us > 0) window += " EXPIRE " + base::FormatDuration(spec_.expire_us);
    if (!window.empty()) AppendLine("LB.ALTER", board_, window.substr(1), out);
  }

 private:
  std::string board_;
  Spec spec_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeRowWriter(RowFormat format) {
  if (format == RowFormat::kCsv) return std::make_unique<CsvWriter>();
  if (format == RowFormat::kJsonl) return std::make_unique<JsonlWriter>();
  return std::make_unique<RespWriter>();
}

}  // namespace laurel::transfer
