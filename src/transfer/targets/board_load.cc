#include "transfer/targets/board_load.h"

#include <algorithm>
#include <iterator>

#include "base/random.h"
#include "base/text.h"
#include "client/slot.h"
#include "transfer/targets/draft_chunks.h"

namespace laurel::transfer {
namespace {

constexpr int kMaxAttempts = 3;
constexpr int kAbortTimeoutMs = 2'000;

// In the module the id is a key, which must be in the board's slot. Takes about 16,000 tries, a
// millisecond.
std::string NewId(std::string_view board) {
  const std::uint16_t slot = client::SlotOf(board);
  std::uint64_t number = base::SystemEntropy();
  std::string id;
  do {
    id = "load:" + leaderboard::DigestText(number++);
  } while (client::SlotOf(id) != slot);
  return id;
}

// The arguments of LB.CREATE for a spec.
std::vector<std::string> SpecWords(const Spec& spec) {
  const std::string line = DescribeSpec(spec);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

// Uses a new connection, because the current one may be stopped by a signal or await a reply.
BoardLoad::~BoardLoad() {
  if (id_.empty()) return;
  client::ConnectOptions options = server_.options();
  options.waits = {kAbortTimeoutMs, nullptr};
  const auto connection = client::RedisConnection::Connect(options);
  if (connection.ok()) (void)(*connection)->Ask({"LB.LOAD", board_, "ABORT", id_}).ok();
}

Result<client::RespValue> BoardLoad::Ask(std::string_view step, std::vector<std::string> arguments,
                                         std::string* refusal) {
  std::vector<std::string> words = {"LB.LOAD", board_, std::string(step), id_};
  std::move(arguments.begin(), arguments.end(), std::back_inserter(words));
  return server_.Ask(words, refusal);
}

Status BoardLoad::Begin(std::string* refusal) {
  id_ = NewId(board_);
  figures_ = {};
  const Result<client::RespValue> begun = Ask("BEGIN", SpecWords(spec_), refusal);
  if (begun.ok()) return Ok{};
  if (!refusal->empty()) id_.clear();
  return begun.error();
}

Status BoardLoad::Write(const Draft& draft, const WriteProgress& progress) {
  for (int attempt = 1;; ++attempt) {
    std::string refusal;
    Status sent = Send(draft, progress, &refusal);
    if (sent.ok()) {
      if (Status committed = Commit(); !committed.ok()) return committed;
      id_.clear();
      return sent;
    }
    if (!refusal.starts_with("NOBOARD") || attempt == kMaxAttempts) return sent;
    if (Status begun = Begin(&refusal); !begun.ok()) return begun;
  }
}

Status BoardLoad::Send(const Draft& draft, const WriteProgress& progress, std::string* refusal) {
  std::uint64_t number = 0;
  EffectBlocks blocks([&](std::string_view chunk) -> Status {
    if (Status counted = leaderboard::AddChunk(chunk, INT64_MAX, &figures_); !counted.ok()) {
      return counted;
    }
    const Result<client::RespValue> added =
        Ask("CHUNK", {std::to_string(++number), std::string(chunk)}, refusal);
    return added.ok() ? Status(Ok{}) : Status(added.error());
  });
  const Result<std::uint64_t> written = WriteWalk(draft.board(), progress, &blocks);
  return written.ok() ? blocks.Pass() : Status(written.error());
}

Status BoardLoad::Commit() {
  std::string refusal;
  const Result<client::RespValue> done =
      Ask("COMMIT", replace_ ? std::vector<std::string>{"REPLACE"} : std::vector<std::string>(),
          &refusal);
  if (!done.ok()) return done.error();
  const client::RespValue* count = done->Find("count");
  const client::RespValue* digest = done->Find("digest");
  const bool is_equal = count != nullptr && digest != nullptr &&
                        count->integer == static_cast<std::int64_t>(figures_.entries) &&
                        digest->text == leaderboard::DigestText(figures_.digest);
  if (is_equal) return Ok{};
  return Error{ErrorCode::kErr, server_.address() + ": " + base::Quote(board_) +
                                    " is there, but not with the entries that were sent"};
}

}  // namespace laurel::transfer
