#include "server/logs/audit_log.h"

#include <algorithm>
#include <cstddef>

#include "base/base64.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "laurel/stamp_clock.h"
#include "wire/json_writer.h"

namespace laurel::server {
namespace {

// Writes the keys and values of one line.
class LineWriter {
 public:
  LineWriter(std::string* line, std::size_t fields) {
    json_.Begin(line);
    json_.Map(fields);
  }

  void Text(std::string_view key, std::string_view value) {
    json_.Key(key);
    json_.Bulk(value);
  }
  void TextIfAny(std::string_view key, std::string_view value) {
    if (!value.empty()) Text(key, value);
  }
  void Number(std::string_view key, std::size_t value) {
    json_.Key(key);
    json_.Integer(static_cast<std::int64_t>(value));
  }
  void Time(std::string_view key, Stamp time) {
    json_.Key(key);
    json_.Moment(time);
  }
  // A single element of an array cannot be marked as base64, so all are base64 if one must be.
  void Texts(std::string_view key, const std::vector<std::string>& values) {
    const bool plain = std::all_of(values.begin(), values.end(),
                                   [](const std::string& value) { return base::IsUtf8(value); });
    json_.Key(plain ? std::string(key) : std::string(key) + "_base64");
    json_.Array(values.size());
    for (const std::string& value : values) {
      std::string text;
      if (!plain) base::AppendBase64(value, &text);
      json_.Bulk(plain ? value : text);
    }
  }

 private:
  wire::JsonWriter json_;
};

}  // namespace

void AuditLog::Add(const AuditedClient& client, const AuditedWrite& write,
                   std::string_view outcome) {
  const bool several_boards = write.board_count > 1;
  const bool cut_boards = write.board_count > write.boards.size();
  const bool has_member = write.member_count > 0;
  const bool several_members = write.member_count > 1;
  constexpr std::size_t kAlways = 6;  // time, token, peer, protocol, command, outcome
  const std::size_t fields = kAlways + (write.boards.empty() ? 0 : 1) + (cut_boards ? 1 : 0) +
                             (has_member ? 1 : 0) + (several_members ? 1 : 0) +
                             (write.pattern.empty() ? 0 : 1) + (write.id.empty() ? 0 : 1);
  std::string line;
  LineWriter writer(&line, fields);
  writer.Time("time", SystemNow());
  writer.Text("token", client.token);
  writer.Text("peer", client.peer);
  writer.Text("protocol", client.protocol);
  writer.Text("command", write.command);
  if (several_boards) {
    writer.Texts("boards", write.boards);
  } else if (!write.boards.empty()) {
    writer.Text("board", write.boards[0]);
  }
  if (cut_boards) writer.Number("board_count", write.board_count);
  if (has_member) writer.Text("member", write.member);
  if (several_members) writer.Number("member_count", write.member_count);
  writer.TextIfAny("pattern", write.pattern);
  writer.TextIfAny("id", write.id);
  writer.Text("outcome", outcome);
  file_.Append(line);
}

}  // namespace laurel::server
