#include "transfer/targets/verify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/integer.h"
#include "base/text.h"
#include "core/reads.h"
#include "laurel/limits.h"
#include "laurel/score.h"
#include "transfer/draft/board_entries.h"
#include "transfer/targets/draft_chunks.h"
#include "wire/reply_cursor.h"

namespace laurel::transfer {
namespace {

constexpr std::uint64_t kPageEntries = 1000;

// `Wanted`: a BoardEntry, or an Entry of a page.
template <typename Wanted>
bool Same(const Wanted& a, const BoardEntry& b) {
  return a.member == b.member && a.score == b.score && a.stamp == b.stamp && a.meta == b.meta;
}

std::string Describe(const Spec& spec, const BoardEntry& entry) {
  return ScoreText(spec, entry.score) + " at " + std::to_string(entry.stamp) + " us" +
         (entry.meta.empty() ? "" : " with meta " + base::Quote(entry.meta));
}

// The visible entries of a part of the draft, one after the other.
class Pages {
 public:
  explicit Pages(const core::Standings& standings) : standings_(standings) {}

  // REQUIRES: there is a further entry.
  const Entry& Next() {
    if (next_ == page_.size()) {
      page_ = core::Page(standings_, first_, kPageEntries, RankKind::kOrdinal);
      first_ += page_.size();
      next_ = 0;
    }
    return page_[next_++];
  }

 private:
  const core::Standings& standings_;
  std::uint64_t first_ = 0;
  std::vector<Entry> page_;
  std::size_t next_ = 0;
};

// A board of a target, to compare with a draft. Used by one thread.
class TargetBoard {
 public:
  virtual ~TargetBoard() = default;
  // Visits the visible entries, best first. `instance` is empty for a board without periods.
  virtual Status ForEach(std::string_view instance, const VisitEntry& visit) = 0;
  // Returns the entry of a member, visible or hidden; none if there is none. The views are valid
  // until the next call.
  virtual Result<std::optional<BoardEntry>> Find(std::string_view instance,
                                                 std::string_view member) = 0;
};

class LoadedBoard final : public TargetBoard {
 public:
  explicit LoadedBoard(const leaderboard::Leaderboard& board) : board_(board) {}

  Status ForEach(std::string_view instance, const VisitEntry& visit) override {
    const std::optional<BoardPart> part = PartOf(board_, instance);
    if (part) ForEachVisible(*part, {0, UINT64_MAX}, visit);
    return Ok{};
  }
  Result<std::optional<BoardEntry>> Find(std::string_view instance,
                                         std::string_view member) override {
    return FindEntry(board_, instance, member);
  }

 private:
  const leaderboard::Leaderboard& board_;
};

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

// A board of a running server.
class ServerBoard final : public TargetBoard {
 public:
  ServerBoard(client::PatientConnection* server, const std::string& board, const Spec& spec)
      : server_(server), board_(board), spec_(spec) {}

  Status ForEach(std::string_view instance, const VisitEntry& visit) override {
    std::string page;
    for (std::uint64_t first = 1;; first += kPageEntries) {
      const std::string last = std::to_string(first + kPageEntries - 1);
      std::vector<std::string> words = {"LB.RANGE", board_, std::to_string(first), last,
                                        "WITHMETA"};
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

  Result<std::optional<BoardEntry>> Find(std::string_view instance,
                                         std::string_view member) override {
    std::vector<std::string> words = {"LB.GET", board_, std::string(member), "WITHMETA"};
    AddPeriod(instance, &words);
    const Status read = server_->AskRaw(words, &found_);
    if (!read.ok()) return read.error();
    if (found_.starts_with("*-1") || found_.starts_with("$-1")) return std::optional<BoardEntry>();
    BoardEntry entry;
    if (!ParseEntry(spec_, found_, &entry)) return Failed(*server_, "LB.GET");
    return std::optional<BoardEntry>(entry);
  }

 private:
  client::PatientConnection* server_;
  const std::string& board_;
  const Spec& spec_;
  std::string found_;  // the reply of LB.GET
};

class Verifier {
 public:
  Verifier(const Draft& draft, TargetBoard* board)
      : draft_(draft), spec_(draft.spec()), board_(board) {}

  Result<VerifyReport> Run() {
    for (const BoardPart& part : PartsOf(draft_.board())) {
      const Result<bool> equal = CompareInOrder(part);
      if (!equal.ok()) return equal.error();
      if (*equal) continue;
      if (const Status found = FindDifferences(part); !found.ok()) return found.error();
    }
    Status compared = Ok{};
    ForEachEntry(draft_.board(), [&](const BoardEntry& entry) {
      if (entry.hidden) compared = CompareHidden(entry);
      return compared.ok();
    });
    if (!compared.ok()) return compared.error();
    return std::move(report_);
  }

 private:
  // Returns how many visible entries the board should hold.
  [[nodiscard]] std::uint64_t Expected(const BoardPart& part) const {
    const std::uint64_t size = part.standings->entries().size();
    return spec_.cap > 0 ? std::min(spec_.cap, size) : size;
  }

  // Fast check: whether the board has exactly these entries in this order.
  Result<bool> CompareInOrder(const BoardPart& part) {
    Pages wanted(*part.standings);
    const std::uint64_t expected = Expected(part);
    std::uint64_t equal = 0;
    bool all_equal = true;
    report_.expected += expected;
    const Status read = board_->ForEach(part.instance, [&](const BoardEntry& held) {
      all_equal = equal < expected && Same(wanted.Next(), held);
      if (all_equal) ++equal;
      return all_equal;
    });
    if (!read.ok()) return read.error();
    if (!all_equal || equal != expected) return false;
    report_.found += equal;
    return true;
  }

  // Reads the board again and classifies every difference.
  Status FindDifferences(const BoardPart& part) {
    const core::EntryStore& store = part.standings->entries();
    std::vector<bool> met(store.size());
    std::string last_member;
    std::uint64_t last = 0;  // 1 + the index of the last matching entry
    const auto compare = [&](const BoardEntry& held) {
      ++report_.found;
      const std::optional<BoardEntry> wanted =
          FindEntry(draft_.board(), part.instance, held.member);
      if (!wanted) {
        Note(&report_.extra, held.member, "is on the board and not in the source");
        return;
      }
      if (wanted->hidden) {
        Note(&report_.different, held.member, "should be hidden");
        return;
      }
      const std::uint64_t index = store.IndexOf(store.Find(core::MemberKey(held.member)));
      met[index] = true;
      if (!Same(*wanted, held)) {
        Note(&report_.different, held.member,
             "has " + Describe(spec_, held) + ", not " + Describe(spec_, *wanted));
      } else if (index < last) {
        Note(&report_.misplaced, held.member, "stands behind " + base::Quote(last_member));
      } else {
        last = index + 1;
        last_member = held.member;
      }
    };
    const Status read = board_->ForEach(part.instance, [&](const BoardEntry& held) {
      compare(held);
      return true;
    });
    if (!read.ok()) return read;
    ForEachVisible(part, {0, Expected(part)}, [&](const BoardEntry& entry) {
      if (!met[entry.rank - 1]) Note(&report_.missing, entry.member, "is missing");
      return true;
    });
    return Ok{};
  }

  Status CompareHidden(const BoardEntry& wanted) {
    const Result<std::optional<BoardEntry>> held = board_->Find(wanted.instance, wanted.member);
    if (!held.ok()) return held.error();
    if (!*held) {
      Note(&report_.missing, wanted.member, "is missing (hidden)");
    } else if (!(*held)->hidden) {
      Note(&report_.different, wanted.member, "should be hidden");
    } else if (!Same(**held, wanted)) {
      Note(&report_.different, wanted.member,
           "has " + Describe(spec_, **held) + ", not " + Describe(spec_, wanted));
    }
    return Ok{};
  }

  void Note(std::uint64_t* count, std::string_view member, const std::string& what) {
    ++*count;
    if (report_.examples.size() < kMaxShown) {
      report_.examples.push_back(base::Quote(member) + " " + what);
    }
  }

  const Draft& draft_;
  const Spec& spec_;
  TargetBoard* board_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> Verify(const Draft& draft, client::PatientConnection* server,
                            const std::string& board) {
  ServerBoard held(server, board, draft.spec());
  return Verifier(draft, &held).Run();
}

Result<VerifyReport> Verify(const Draft& draft, const leaderboard::Leaderboard& loaded) {
  LoadedBoard held(loaded);
  return Verifier(draft, &held).Run();
}

SourceChanges FindChanges(const Draft& before, const Draft& now) {
  SourceChanges changes;
  ForEachEntry(now.board(), [&](const BoardEntry& entry) {
    if (Has(before, entry)) return true;
    ++changes.written;
    if (changes.examples.size() < kMaxShown) changes.examples.emplace_back(entry.member);
    return true;
  });
  ForEachEntry(before.board(), [&](const BoardEntry& entry) {
    if (!FindEntry(now.board(), entry.instance, entry.member)) {
      changes.vanished.emplace_back(entry.member);
    }
    return true;
  });
  return changes;
}

}  // namespace laurel::transfer
