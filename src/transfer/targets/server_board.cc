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

class Pages final : public EntrySource {
 public:
  Pages(client::PatientConnection* server, const std::string& board, const Spec& spec,
        std::string_view instance)
      : server_(server), board_(board), spec_(spec), instance_(instance) {}

  Result<bool> Next(BoardEntry* entry) override {
    if (left_ == 0) {
      if (ended_) return false;
      if (const Status read = ReadPage(); !read.ok()) return read.error();
      if (left_ == 0) return false;
    }
    --left_;
    if (ParseEntry(spec_, cursor_->Next(), entry)) return true;
    return Failed(*server_, "LB.RANGE");
  }

 private:
  Status ReadPage() {
    const std::string last = std::to_string(first_ + kPageEntries - 1);
    std::vector<std::string> words = {"LB.RANGE", board_, std::to_string(first_), last, "WITHMETA"};
    AddPeriod(instance_, &words);
    const Status read = server_->AskRaw(words, &page_);
    if (!read.ok()) return read;
    if (!page_.starts_with('*')) return Failed(*server_, "LB.RANGE");
    cursor_.emplace(page_);
    left_ = cursor_->EnterArray();
    ended_ = left_ < kPageEntries;
    first_ += kPageEntries;
    return Ok{};
  }

  client::PatientConnection* server_;
  const std::string& board_;
  const Spec& spec_;
  const std::string instance_;
  std::uint64_t first_ = 1;
  std::string page_;
  std::optional<wire::ReplyCursor> cursor_;
  std::size_t left_ = 0;  // entries left in the page
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<EntrySource>> ServerBoard::Entries(std::string_view instance) {
  return std::unique_ptr<EntrySource>(std::make_unique<Pages>(server_, board_, spec_, instance));
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
