#include "transfer/verify.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "laurel/score.h"
#include "transfer/table_index.h"
#include "transfer/table_runs.h"

namespace laurel::transfer {
namespace {

bool Same(const TableEntry& a, const TableEntry& b) {
  return a.member == b.member && a.score == b.score && a.stamp == b.stamp && a.meta == b.meta;
}

std::string ScoreText(const Spec& spec, const Score& score) {
  std::string text;
  for (const std::string& value : FormatScore(spec, score))
    text += (text.empty() ? "" : " ") + value;
  return text;
}

std::string Describe(const Spec& spec, const TableEntry& entry) {
  return ScoreText(spec, entry.score) + " at " + std::to_string(entry.stamp) + " us" +
         (entry.meta.empty() ? "" : " with meta " + base::Quote(entry.meta));
}

class Verifier {
 public:
  Verifier(const RowTable& table, const Spec& spec, TargetBoard* board)
      : table_(table), spec_(spec), board_(board) {}

  Result<VerifyReport> Run() {
    if (table_.size() == 0 && spec_.periods.empty()) {
      if (const Status found = FindDifferences({}, ""); !found.ok()) return found.error();
    }
    for (const TableRun& run : RunsOf(table_)) {
      if (const Status compared = Compare(run); !compared.ok()) return compared.error();
    }
    return std::move(report_);
  }

 private:
  // The numbers of the visible entries that the board should hold, in order.
  [[nodiscard]] std::vector<std::size_t> Expected(const TableRun& run) const {
    std::vector<std::size_t> expected;
    for (std::size_t i = run.begin; i < run.end; ++i) {
      if (spec_.cap > 0 && expected.size() == spec_.cap) break;
      if (!table_[i].hidden) expected.push_back(i);
    }
    return expected;
  }

  Status Compare(const TableRun& run) {
    const std::vector<std::size_t> expected = Expected(run);
    const std::string_view instance = table_[run.begin].instance;
    report_.expected += expected.size();
    const Result<bool> equal = CompareInOrder(expected, instance);
    if (!equal.ok()) return equal.error();
    if (!*equal) {
      if (const Status found = FindDifferences(expected, instance); !found.ok()) return found;
    }
    for (std::size_t i = run.begin; i < run.end; ++i) {
      if (!table_[i].hidden) continue;
      if (const Status compared = CompareHidden(table_[i]); !compared.ok()) return compared;
    }
    return Ok{};
  }

  // The fast way: whether the board has exactly these entries in this order.
  Result<bool> CompareInOrder(const std::vector<std::size_t>& expected, std::string_view instance) {
    const auto entries = board_->Entries(instance);
    if (!entries.ok()) return entries.error();
    std::size_t at = 0;
    for (TableEntry held;; ++at) {
      const Result<bool> more = (*entries)->Next(&held);
      if (!more.ok()) return more.error();
      if (!*more) break;
      if (at == expected.size() || !Same(table_[expected[at]], held)) return false;
    }
    if (at != expected.size()) return false;
    report_.found += at;
    return true;
  }

  // Reads the board again and classifies every difference.
  Status FindDifferences(const std::vector<std::size_t>& expected, std::string_view instance) {
    if (!index_) index_.emplace(table_);
    std::vector<bool> met(table_.size());
    const auto entries = board_->Entries(instance);
    if (!entries.ok()) return entries.error();
    std::size_t last = 0;  // 1 + the number of the entry that was met last
    for (TableEntry held;;) {
      const Result<bool> more = (*entries)->Next(&held);
      if (!more.ok()) return more.error();
      if (!*more) break;
      ++report_.found;
      const std::optional<std::size_t> number = index_->Find(instance, held.member);
      if (!number) {
        Note(&report_.extra, held.member, "is on the board and not in the source");
        continue;
      }
      met[*number] = true;
      const TableEntry wanted = table_[*number];
      if (wanted.hidden) {
        Note(&report_.different, held.member, "should be hidden");
      } else if (!Same(wanted, held)) {
        Note(&report_.different, held.member,
             "has " + Describe(spec_, held) + ", not " + Describe(spec_, wanted));
      } else if (*number + 1 <= last) {
        Note(&report_.misplaced, held.member,
             "stands behind " + base::Quote(table_[last - 1].member));
      } else {
        last = *number + 1;
      }
    }
    for (const std::size_t i : expected) {
      if (!met[i]) Note(&report_.missing, table_[i].member, "is missing");
    }
    return Ok{};
  }

  Status CompareHidden(const TableEntry& wanted) {
    const Result<std::optional<TableEntry>> held = board_->Find(wanted.instance, wanted.member);
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

  const RowTable& table_;
  const Spec& spec_;
  TargetBoard* board_;
  std::optional<TableIndex> index_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> Verify(const RowTable& table, const Spec& spec, TargetBoard* board) {
  return Verifier(table, spec, board).Run();
}

LostTies FindLostTies(const RowTable& table, const Spec& spec, std::int64_t tick_us) {
  LostTies ties;
  for (std::size_t begin = 0; begin < table.size();) {
    // Within a tick the table gives neighbours stamps one microsecond apart.
    const TableEntry first = table[begin];
    std::size_t end = begin + 1;
    for (Stamp stamp = first.stamp; end < table.size(); ++end) {
      const TableEntry next = table[end];
      if (next.instance != first.instance || next.score != first.score) break;
      if (std::abs(next.stamp - stamp) > 1 || tick_us <= 1) break;
      stamp = next.stamp;
    }
    if (end - begin > 1) {
      ties.entries += end - begin;
      ++ties.groups;
      if (ties.examples.size() < kMaxShown) {
        const std::size_t more = end - begin - 2;
        ties.examples.push_back(ScoreText(spec, first.score) + ": " + base::Quote(first.member) +
                                ", " + base::Quote(table[begin + 1].member) +
                                (more > 0 ? " and " + std::to_string(more) + " more" : ""));
      }
    }
    begin = end;
  }
  return ties;
}

SourceChanges FindChanges(const RowTable& before, const RowTable& now) {
  SourceChanges changes;
  const TableIndex old(before);
  std::vector<bool> still_there(before.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    const TableEntry entry = now[i];
    const std::optional<std::size_t> found = old.Find(entry.instance, entry.member);
    if (found) still_there[*found] = true;
    const bool same = found && Same(before[*found], entry) && before[*found].hidden == entry.hidden;
    if (!same) changes.written.push_back(i);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!still_there[i]) changes.vanished.emplace_back(before[i].member);
  }
  return changes;
}

}  // namespace laurel::transfer
