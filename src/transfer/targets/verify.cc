#include "transfer/targets/verify.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "transfer/targets/draft_chunks.h"
#include "transfer/targets/folder_board.h"

namespace laurel::transfer {
namespace {

bool Same(const BoardEntry& a, const BoardEntry& b) {
  return a.member == b.member && a.score == b.score && a.stamp == b.stamp && a.meta == b.meta;
}

std::string Describe(const Spec& spec, const BoardEntry& entry) {
  return ScoreText(spec, entry.score) + " at " + std::to_string(entry.stamp) + " us" +
         (entry.meta.empty() ? "" : " with meta " + base::Quote(entry.meta));
}

class Verifier {
 public:
  Verifier(const Draft& draft, TargetBoard* board)
      : draft_(draft), spec_(draft.spec()), board_(board) {}

  Result<VerifyReport> Run() {
    for (const Draft::Part& part : draft_.parts()) {
      const Result<bool> equal = CompareInOrder(part);
      if (!equal.ok()) return equal.error();
      if (*equal) continue;
      if (const Status found = FindDifferences(part); !found.ok()) return found.error();
    }
    Status compared = Ok{};
    draft_.ForEach([&](const BoardEntry& entry) {
      if (entry.hidden) compared = CompareHidden(entry);
      return compared.ok();
    });
    if (!compared.ok()) return compared.error();
    return std::move(report_);
  }

 private:
  // Returns how many visible entries the board should hold.
  [[nodiscard]] std::uint64_t Expected(const Draft::Part& part) const {
    const std::uint64_t size = part.standings->entries().size();
    return spec_.cap > 0 ? std::min(spec_.cap, size) : size;
  }

  // Fast check: whether the board has exactly these entries in this order.
  Result<bool> CompareInOrder(const Draft::Part& part) {
    const auto entries = board_->Entries(part.instance);
    if (!entries.ok()) return entries.error();
    const std::unique_ptr<EntrySource> wanted = EntriesOf(part.standings);
    const std::uint64_t expected = Expected(part);
    std::uint64_t equal = 0;
    report_.expected += expected;
    for (BoardEntry held;; ++equal) {
      const Result<bool> more = (*entries)->Next(&held);
      if (!more.ok()) return more.error();
      if (!*more) break;
      BoardEntry entry;
      if (equal == expected || !*wanted->Next(&entry) || !Same(entry, held)) return false;
    }
    if (equal != expected) return false;
    report_.found += equal;
    return true;
  }

  // Reads the board again and classifies every difference.
  Status FindDifferences(const Draft::Part& part) {
    const core::EntryStore& store = part.standings->entries();
    std::vector<bool> met(store.size());
    const auto entries = board_->Entries(part.instance);
    if (!entries.ok()) return entries.error();
    std::string last_member;
    std::uint64_t last = 0;  // 1 + the index of the last matching entry
    for (BoardEntry held;;) {
      const Result<bool> more = (*entries)->Next(&held);
      if (!more.ok()) return more.error();
      if (!*more) break;
      ++report_.found;
      const std::optional<BoardEntry> wanted = draft_.Find(part.instance, held.member);
      if (!wanted) {
        Note(&report_.extra, held.member, "is on the board and not in the source");
        continue;
      }
      if (wanted->hidden) {
        Note(&report_.different, held.member, "should be hidden");
        continue;
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
    }
    const std::unique_ptr<EntrySource> wanted = EntriesOf(part.standings);
    BoardEntry entry;
    for (std::uint64_t i = 0; i < Expected(part) && *wanted->Next(&entry); ++i) {
      if (!met[i]) Note(&report_.missing, entry.member, "is missing");
    }
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

Result<VerifyReport> Verify(const Draft& draft, TargetBoard* board) {
  return Verifier(draft, board).Run();
}

SourceChanges FindChanges(const Draft& before, const Draft& now) {
  SourceChanges changes;
  now.ForEach([&](const BoardEntry& entry) {
    if (Has(before, entry)) return true;
    ++changes.written;
    if (changes.examples.size() < kMaxShown) changes.examples.emplace_back(entry.member);
    return true;
  });
  before.ForEach([&](const BoardEntry& entry) {
    if (!now.Find(entry.instance, entry.member)) changes.vanished.emplace_back(entry.member);
    return true;
  });
  return changes;
}

}  // namespace laurel::transfer
