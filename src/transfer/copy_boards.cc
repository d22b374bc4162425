#include "transfer/copy_boards.h"

#include <memory>
#include <string_view>
#include <vector>

#include "base/count_text.h"
#include "base/text.h"
#include "leaderboard/answer.h"
#include "transfer/folder_board.h"
#include "transfer/loaded_boards.h"
#include "transfer/verify.h"

namespace laurel::transfer {
namespace {

// The instances of a board by name; one without a name if it has no periods.
std::vector<std::string> InstancesOf(const engine::NamedBoard& named) {
  if (!named.has_periods()) return {""};
  std::vector<std::string> names;
  for (const auto& stored : named.leaderboard()->instances()) {
    names.push_back(leaderboard::InstanceName("", stored->span).substr(1));
  }
  return names;
}

bool Same(const TableEntry& a, const TableEntry& b) {
  return a.member == b.member && a.score == b.score && a.stamp == b.stamp && a.meta == b.meta;
}

// Compares the visible entries of one instance. Returns the number of places that differ.
Result<std::uint64_t> CompareEntries(EntrySource* wanted, EntrySource* held) {
  std::uint64_t different = 0;
  for (;;) {
    TableEntry a;
    TableEntry b;
    const Result<bool> more_a = wanted->Next(&a);
    if (!more_a.ok()) return more_a.error();
    const Result<bool> more_b = held->Next(&b);
    if (!more_b.ok()) return more_b.error();
    if (!*more_a && !*more_b) return different;
    if (*more_a != *more_b || !Same(a, b)) ++different;
  }
}

}  // namespace

Status CopyBoards(std::span<const ChosenBoard> boards, Stamp last_stamp, FolderSink* folder,
                  Reporter* reporter) {
  for (const ChosenBoard& board : boards) {
    reporter->Begin("copying " + base::Quote(board.name), ProgressUnit::kRows);
    const std::uint64_t before = folder->report().entries;
    const Status copied = folder->Copy(*board.from, board.name,
                                       [&](std::uint64_t done) { reporter->Progress(done, 0); });
    reporter->End();
    if (!copied.ok()) return copied;
    reporter->Say(base::Quote(board.name) + ": " +
                  base::Counted(folder->report().entries - before, "entry", "entries") +
                  " copied, " + DescribeSpec(board.from->spec()));
  }
  folder->RaiseClock(last_stamp);
  return folder->Finish();
}

Result<std::uint64_t> CompareCopies(std::span<const ChosenBoard> boards, const std::string& folder,
                                    Reporter* reporter) {
  const Result<LoadedBoards> loaded = LoadedBoards::Open(folder, nullptr);
  if (!loaded.ok()) return loaded.error();
  std::uint64_t all = 0;
  for (const ChosenBoard& board : boards) {
    const engine::NamedBoard* copy = loaded->Find(board.name);
    if (copy == nullptr || copy->leaderboard() == nullptr) {
      return Error{ErrorCode::kErr, folder + ": " + base::Quote(board.name) + " is not there"};
    }
    std::uint64_t different = copy->spec() == board.from->spec() ? 0 : 1;
    FolderBoard wanted(*board.from);
    FolderBoard held(*copy);
    const std::vector<std::string> instances = InstancesOf(*board.from);
    if (InstancesOf(*copy) != instances) ++different;
    for (const std::string& instance : instances) {
      const auto a = wanted.Entries(instance);
      if (!a.ok()) return a.error();
      const auto b = held.Entries(instance);
      if (!b.ok()) return b.error();
      const Result<std::uint64_t> count = CompareEntries(a->get(), b->get());
      if (!count.ok()) return count.error();
      different += *count;
    }
    all += different;
    reporter->Say(base::Quote(board.name) +
                  (different == 0
                       ? ": verified: the copy is equal"
                       : ": the copy differs at " + base::Counted(different, "place", "places")));
  }
  return all;
}

}  // namespace laurel::transfer
