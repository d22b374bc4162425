#include "transfer/targets/server_sink.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/integer.h"
#include "base/random.h"
#include "base/text.h"
#include "base/words.h"
#include "client/slot.h"
#include "transfer/draft/draft.h"
#include "wire/reply_cursor.h"
#include "wire/spec_arguments.h"

namespace laurel::transfer {
namespace {

constexpr std::size_t kMembersAtOnce = 500;  // per LB.HIDE or LB.REMOVE

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

}  // namespace

// Loading a board ---------------------------------------------------------------------------------

// BoardLoad: fills a new board of a server by LB.LOAD. The board appears as a whole or not at all.
//
// A draft's entries are sent as chunks of effects, one request each. The load has a random id and
// its chunks have numbers, so a step whose reply was lost can be repeated. If the server was
// restarted and has lost the load, the load starts over, at most kMaxAttempts times.
class BoardLoad {
 public:
  // `server` must outlive the load. `replace`: the commit replaces a board of that name.
  BoardLoad(client::PatientConnection* server, std::string board, const Spec& spec, bool replace)
      : server_(*server), board_(std::move(board)), spec_(spec), replace_(replace) {}
  // Aborts a load that was not committed. Uses a new connection, because the current one may be
  // stopped by a signal or await a reply.
  ~BoardLoad() {
    if (id_.empty()) return;
    client::ConnectOptions options = server_.options();
    options.waits = {kAbortTimeoutMs, nullptr};
    const auto connection = client::RedisConnection::Connect(options);
    if (connection.ok()) (void)(*connection)->Ask({"LB.LOAD", board_, "ABORT", id_}).ok();
  }
  BoardLoad(const BoardLoad&) = delete;
  BoardLoad& operator=(const BoardLoad&) = delete;

  // Begins the load. *refusal is set to the text of an error reply, otherwise to empty.
  Status Begin(std::string* refusal) {
    id_ = NewId(board_);
    figures_ = {};
    const std::string line = DescribeSpec(spec_);
    const std::vector<std::string_view> words = base::WordsOf(line);
    const Result<client::RespValue> begun = Ask("BEGIN", {words.begin(), words.end()}, refusal);
    if (begun.ok()) return Ok{};
    if (!refusal->empty()) id_.clear();
    return begun.error();
  }

  // Sends the draft and commits. ERR if the server's entries differ from the draft. REQUIRES: Begin
  // returned Ok; not called before.
  Status Write(const Draft& draft, const WriteProgress& progress) {
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

  // The figures that the reply to the commit has confirmed.
  [[nodiscard]] const leaderboard::LoadFigures& figures() const { return figures_; }

 private:
  // Sends one step of the load and its arguments.
  Result<client::RespValue> Ask(std::string_view step, std::vector<std::string> arguments,
                                std::string* refusal) {
    std::vector<std::string> words = {"LB.LOAD", board_, std::string(step), id_};
    std::move(arguments.begin(), arguments.end(), std::back_inserter(words));
    return server_.Ask(words, refusal);
  }

  Status Send(const Draft& draft, const WriteProgress& progress, std::string* refusal) {
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

  Status Commit() {
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

  client::PatientConnection& server_;
  std::string board_;
  Spec spec_;
  bool replace_;
  std::string id_;  // empty: there is no load to abort
  leaderboard::LoadFigures figures_;
};

// Sink --------------------------------------------------------------------------------------------

ServerSink::ServerSink(client::PatientConnection server, bool replace)
    : server_(std::move(server)), replace_(replace) {}

ServerSink::~ServerSink() = default;

Result<std::unique_ptr<ServerSink>> ServerSink::Open(const client::ConnectOptions& options,
                                                     bool replace) {
  Result<client::PatientConnection> server = client::PatientConnection::Open(options);
  if (!server.ok()) return server.error();
  return std::unique_ptr<ServerSink>(new ServerSink(std::move(*server), replace));
}

Result<std::optional<Spec>> ServerSink::Find(const std::string& board) {
  if (replace_ && !written_.contains(board)) return std::optional<Spec>();
  std::string refusal;
  const Result<client::RespValue> reply = server_.Ask({"LB.DESCRIBE", board}, &refusal);
  if (refusal.starts_with("NOBOARD")) return std::optional<Spec>();
  if (refusal.starts_with("ERR unknown command")) {
    return Err(server_.address() + " knows no LB commands: it is neither Laurel nor Redis " +
               "with the module laurel.so");
  }
  if (refusal.starts_with("WRONGTYPE")) {
    return Error{ErrorCode::kWrongType,
                 server_.address() + ": " + base::Quote(board) + " is there and is no leaderboard"};
  }
  if (!reply.ok()) return reply.error();
  const client::RespValue* create = reply->Find("create");
  if (create == nullptr) return Err(server_.address() + ": LB.DESCRIBE answers no spec");
  const Result<wire::SpecArguments> spec = wire::ParseSpecLine(create->text);
  if (!spec.ok()) return Err(server_.address() + ": " + spec.error().message);
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
  return Err(server_.address() + " has no LB.LOAD: it is older than this import");
}

Status ServerSink::Write(Draft* draft, const WriteProgress& progress) {
  const Status written =
      load_ != nullptr ? WriteLoad(draft, progress) : WriteChanges(*draft, nullptr, progress);
  if (written.ok()) written_.insert(board_);
  return written;
}

Status ServerSink::WriteLoad(Draft* draft, const WriteProgress& progress) {
  const Result<Stamp> now = Now();
  if (!now.ok()) return now.error();
  const std::uint64_t over_cap = draft->Settle(*now);
  const Status written = load_->Write(*draft, progress);
  if (written.ok()) {
    over_cap_ += over_cap;
    loaded_ = load_->figures();
  }
  load_.reset();
  return written;
}

Status ServerSink::WriteChanges(const Draft& draft, const Draft* since,
                                const WriteProgress& progress) {
  const std::vector<std::string_view> hidden = HiddenMembers(draft);
  if (const Status done = ForMembers("LB.HIDE", hidden); !done.ok()) return done;
  EffectBlocks blocks([this, with_meta = HasMeta(draft)](std::string_view chunk) {
    return Restore(chunk, with_meta);
  });
  Status written = WriteEntries(draft, since, progress, &blocks);
  if (written.ok() && progress) progress(draft.size());
  return written;
}

Status ServerSink::Restore(std::string_view chunk, bool with_meta) {
  leaderboard::LoadFigures given;
  if (Status counted = leaderboard::AddChunk(chunk, INT64_MAX, &given); !counted.ok()) {
    return counted;
  }
  std::vector<std::string> words = {"LB.RESTORE", board_, std::string(chunk)};
  if (with_meta) words.emplace_back("META");
  std::string refusal;
  const Result<client::RespValue> stored = server_.Ask(words, &refusal);
  if (refusal.starts_with("ERR unknown command")) {
    return Err(server_.address() + " has no LB.RESTORE: it is older than this import");
  }
  if (!stored.ok()) return stored.error();
  over_cap_ += given.entries - static_cast<std::uint64_t>(stored->integer);
  return Ok{};
}

Status ServerSink::ForMembers(std::string_view command, std::span<const std::string_view> members) {
  const std::size_t calls = (members.size() + kMembersAtOnce - 1) / kMembersAtOnce;
  return server_.Pipelined(
      calls,
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

Status ServerSink::Remove(std::span<const std::string_view> members) {
  return ForMembers("LB.REMOVE", members);
}

Result<Stamp> ServerSink::Now() {
  const Result<client::RespValue> reply = server_.Ask({"TIME"});
  if (!reply.ok()) return reply.error();
  std::int64_t seconds = 0;
  std::int64_t micros = 0;
  if (reply->elements.size() != 2 || !base::ParseInteger(reply->elements[0].text, &seconds) ||
      !base::ParseInteger(reply->elements[1].text, &micros)) {
    return Err(server_.address() + ": TIME answers no time");
  }
  return seconds * 1'000'000 + micros;
}

}  // namespace laurel::transfer
