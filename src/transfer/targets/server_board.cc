#include "transfer/targets/server_board.h"

#include <array>
#include <cstdint>
#include <vector>

#include "base/integer.h"
#include "laurel/limits.h"
#include "laurel/score.h"
#include "wire/reply_cursor.h"

namespace laurel::transfer {
namespace {

constexpr std::uint64_t kPageEntries = 1000;

Error Failed(const client::PatientConnection& server, std::string_view command) {
  return {ErrorCode::kErr, server.address() + ": " + std::string(command) + " answers no entries"};
}

// Parses an entry in RESP2, a flat array of names and values. The views refer to the reply.
bool ParseEntry(const Spec& spec, std::string_view reply, BoardEntry* entry) {
  if (!reply.starts_with('*')) return false;
  *entry = BoardEntry();
  entry->hidden = true;  // unless it has a rank
  bool has_score = false;
  wire::ReplyCursor cursor(reply);
  for (std::size_t pairs = cursor.EnterArray() / 2; pairs > 0; --pairs) {
    const auto name = client::TextOfReply(cursor.Next());
    if (name == "score" && cursor.next_type() == '*') {
      std::array<std::string_view, kMaxFields> texts;
      const std::size_t fields = cursor.EnterArray();
      for (std::size_t i = 0; i < fields; ++i) {
        const auto text = client::TextOfReply(cursor.Next());
        if (!text || i == kMaxFields) return false;
        texts[i] = *text;
      }
      const Result<Score> score = ParseScore(spec, std::span(texts).first(fields));
      if (!score.ok()) return false;
      entry->score = *score;
      has_score = true;
      continue;
    }
    const auto text = client::TextOfReply(cursor.Next());
    if (name == "rank") entry->hidden = !text.has_value();
    if (name == "member" && text) entry->member = *text;
    if (name == "meta" && text) entry->meta = *text;
    if (name == "stamp" && (!text || !base::ParseInteger(*text, &entry->stamp))) return false;
  }
  return has_score;
}

void AddPeriod(std::string_view instance, std::vector<std::string>* words) {
  if (!instance.empty()) words->insert(words->end(), {"PERIOD", std::string(instance)});
}

}  // namespace

Status ServerBoard::ForEach(std::string_view instance, const VisitEntry& visit) {
  std::string page;
  for (std::uint64_t first = 1;; first += kPageEntries) {
    const std::string last = std::to_string(first + kPageEntries - 1);
    std::vector<std::string> words = {"LB.RANGE", board_, std::to_string(first), last, "WITHMETA"};
    AddPeriod(instance, &words);
    if (const Status read = server_->AskRaw(words, &page); !read.ok()) return read;
    if (!page.starts_with('*')) return Failed(*server_, "LB.RANGE");
    wire::ReplyCursor cursor(page);
    const std::size_t entries = cursor.EnterArray();
    for (std::size_t left = entries; left > 0; --left) {
      BoardEntry entry;
      if (!ParseEntry(spec_, cursor.Next(), &entry)) return Failed(*server_, "LB.RANGE");
      if (!visit(entry)) return Ok{};
    }
    if (entries < kPageEntries) return Ok{};
  }
}

Result<std::optional<BoardEntry>> ServerBoard::Find(std::string_view instance,
                                                    std::string_view member) {
  std::vector<std::string> words = {"LB.GET", board_, std::string(member), "WITHMETA"};
  AddPeriod(instance, &words);
  const Status read = server_->AskRaw(words, &found_);
  if (!read.ok()) return read.error();
  if (found_.starts_with("*-1") || found_.starts_with("$-1")) return std::optional<BoardEntry>();
  BoardEntry entry;
  if (!ParseEntry(spec_, found_, &entry)) return Failed(*server_, "LB.GET");
  return std::optional<BoardEntry>(entry);
}

}  // namespace laurel::transfer
