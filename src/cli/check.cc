#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/clock.h"
#include "base/count_text.h"
#include "base/text.h"
#include "base/time_text.h"
#include "cli/arguments.h"
#include "cli/program_commands.h"
#include "engine/disk/snapshot_walk.h"
#include "engine/disk/template_note.h"
#include "leaderboard/load.h"
#include "storage/inspection.h"
#include "storage/manifest.h"
#include "storage/repair.h"
#include "transfer/folders/loaded_boards.h"
#include "transfer/report/load_progress.h"

namespace laurel::cli {
namespace {

constexpr std::string_view kHelp = R"(usage: laurel check DIR [--repair [--exact]] [--yes]

Reads every file of the data folder DIR, verifies it, loads the boards as a start would, and
says what there is. No server may be using the folder. Nothing is changed without --repair.

options:
  --repair    if it is damaged: says what will be lost, asks, and makes the folder loadable
              again with every record and snapshot that is whole; files that are damaged are
              kept in DIR/damaged-<time>/
  --exact     with --repair: go back to the last exact state instead, which loses everything
              behind the first record that cannot be read
  --yes       do not ask

exit code: 0 whole (a torn tail is no damage: that write was never acknowledged), 1 damaged
or unreadable, 2 wrong arguments
)";

constexpr std::size_t kShownBoards = 20;

std::string Age(std::int64_t created_us) {
  const std::int64_t seconds = std::max<std::int64_t>(SystemNow() - created_us, 0) / 1'000'000;
  constexpr std::int64_t kDay = 86'400;
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  if (seconds < 2 * kDay) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / kDay) + " days";
}

// Printing files --------------------------------------------------------------------------------

std::string RecordText(const storage::RecordRange& range) {
  std::string text = std::to_string(range.first);
  if (range.last > range.first) text += " to " + std::to_string(range.last);
  return text;
}

void PrintSegment(const storage::SegmentState& segment, std::ostream& out) {
  out << "  " << segment.name << "  ";
  if (!segment.header) {
    out << base::Counted(segment.bytes, "byte", "bytes") << ": " << segment.problem << "\n";
    return;
  }
  if (segment.records == 0) {
    out << "no records";
  } else {
    out << base::Counted(segment.records, "record", "records") << ", "
        << RecordText({segment.header->first, segment.last});
  }
  out << ", " << base::Counted(segment.end, "byte", "bytes") << ", epoch " << segment.header->epoch;
  if (!segment.holes.empty()) {
    out << "; record " << RecordText(segment.holes[0]) << " is not whole, at offset "
        << segment.hole_offset;
  }
  if (segment.holes.size() > 1) out << ", and others";
  if (segment.content > segment.end) {
    out << "; not whole from offset " << segment.end << " on, "
        << base::Counted(segment.content - segment.end, "byte", "bytes");
  }
  if (segment.is_cut_short) {
    out << "; it had " << base::Counted(segment.extent, "byte", "bytes") << " once";
  }
  out << "\n";
}

void PrintSnapshot(const storage::SnapshotState& snapshot, std::ostream& out) {
  out << "  " << snapshot.name << "  ";
  if (!snapshot.footer) {
    out << base::Counted(snapshot.bytes, "byte", "bytes") << ": " << snapshot.problem << "\n";
    return;
  }
  const storage::Footer& footer = *snapshot.footer;
  out << "written from record " << footer.started_at << " to " << footer.ended_at << ", "
      << base::Counted(footer.boards, "board", "boards") << ", "
      << base::Counted(footer.entries, "entry", "entries") << ", "
      << base::Counted(snapshot.bytes, "byte", "bytes") << ", " << Age(snapshot.header->created_us)
      << " old\n";
}

std::string_view MeaningOf(std::string_view name) {
  if (name == storage::kManifestName) return "says what a backup holds";
  if (name == storage::kUnfinishedSnapshot) {
    return "left of a snapshot that was interrupted; a start removes it";
  }
  if (name == storage::kUnfinishedSegment) {
    return "left of a segment that was being made; a start removes it";
  }
  if (name == engine::kTemplateNoteName) return "the templates that the last start was given";
  return "no file of Laurel's";
}

void PrintFiles(const storage::Inspection& inspection, std::ostream& out) {
  if (!inspection.segments.empty()) out << "log\n";
  for (const storage::SegmentState& segment : inspection.segments) PrintSegment(segment, out);
  if (!inspection.snapshots.empty()) out << "snapshots\n";
  for (const storage::SnapshotState& snapshot : inspection.snapshots) PrintSnapshot(snapshot, out);
  if (!inspection.others.empty()) out << "other files\n";
  for (const std::string& name : inspection.others) {
    out << "  " << name << "  " << MeaningOf(name) << "\n";
  }
}

// Printing a state ------------------------------------------------------------------------------

std::uint64_t HiddenOf(const engine::NamedBoard& named) {
  return named.board.marks() != nullptr ? named.board.marks()->size() : 0;
}

std::string DescribeInstances(std::uint64_t count, std::uint64_t closed) {
  return base::Counted(count, "instance", "instances") +
         (closed > 0 ? ", " + base::Grouped(closed) + " of them closed" : "");
}

std::string DescribeBoard(const engine::NamedBoard& named) {
  const engine::Leaderboard& board = named.board;
  std::string line = base::Quote(named.name) + "  " +
                     (named.is_leaderboard() ? "leaderboard " + DescribeSpec(board.spec())
                                             : std::string("sorted set")) +
                     "  " + base::Counted(named.board.visible_entries(), "entry", "entries");
  if (named.has_periods()) {
    const auto instances = board.instances();
    const auto closed = std::count_if(instances.begin(), instances.end(),
                                      [](const auto& stored) { return stored->closed; });
    line += " in " + DescribeInstances(instances.size(), static_cast<std::uint64_t>(closed));
  }
  if (HiddenOf(named) > 0) line += ", " + base::Grouped(HiddenOf(named)) + " hidden";
  if (board.requests() != nullptr && board.requests()->size() > 0) {
    line += ", " + base::Counted(board.requests()->size(), "request", "requests") + " remembered";
  }
  if (named.expires_at_ms > 0 && named.expires_at_ms <= base::kMaxTime / 1000) {
    line += ", expires " + base::FormatIsoTime(named.expires_at_ms * 1000);
  }
  return line;
}

// Prints a line for each of the first twenty boards by name, and one for all others. A board's line
// includes its instances.
void PrintBoards(engine::Keyspace* keys, std::ostream& out) {
  std::vector<const engine::NamedBoard*> boards;
  for (const engine::NamedBoard* named = keys->catalog().FirstById(); named != nullptr;
       named = engine::Catalog::NextById(named)) {
    boards.push_back(named);
  }
  if (boards.empty()) return;
  std::sort(
      boards.begin(), boards.end(),
      [](const engine::NamedBoard* a, const engine::NamedBoard* b) { return a->name < b->name; });
  out << "boards\n";
  const std::size_t shown = std::min(boards.size(), kShownBoards);
  for (std::size_t i = 0; i < shown; ++i) out << "  " << DescribeBoard(*boards[i]) << "\n";
  if (shown == boards.size()) return;
  std::uint64_t entries = 0;
  std::uint64_t hidden = 0;
  for (std::size_t i = shown; i < boards.size(); ++i) {
    entries += boards[i]->board.visible_entries();
    hidden += HiddenOf(*boards[i]);
  }
  out << "  and " << base::Grouped(boards.size() - shown) << " more with "
      << base::Counted(entries, "entry", "entries");
  if (hidden > 0) out << ", " << base::Grouped(hidden) << " hidden";
  out << "\n";
}

// Returns "state at record 5: 2 boards, 7 entries, 1 hidden, digest 0123456789abcdef", with
// instances and requests if there are any.
std::string DescribeState(const transfer::LoadedState& state) {
  const engine::Digest& counts = state.digest;
  std::string text = "state at record " + std::to_string(state.recovery.last) + ": " +
                     base::Counted(counts.boards, "board", "boards");
  if (counts.instances > 0) text += ", " + DescribeInstances(counts.instances, counts.closed);
  text += ", " + base::Counted(counts.entries, "entry", "entries") + ", " +
          base::Grouped(counts.hidden) + " hidden";
  if (counts.requests > 0) {
    text += ", " + base::Counted(counts.requests, "request", "requests") + " remembered";
  }
  return text + ", digest " + leaderboard::DigestText(counts.value);
}

// Inspecting ------------------------------------------------------------------------------------

// A way to make a folder loadable again, and the state that results.
struct Choice {
  std::string options;  // the options of `laurel check` that select it
  storage::RepairPlan plan;
  transfer::LoadedState state;
  bool is_exact = false;  // the server once had exactly this state
};

// The result of inspecting a folder: its state, and the possible repairs.
struct Findings {
  storage::Inspection inspection;
  std::optional<transfer::LoadedState> state;  // the state that a start loads
  std::string refusal;                         // the reason why a start does not load the folder
  // Empty if the folder is whole. The first choice keeps the most.
  std::vector<Choice> choices;
  std::string no_choice;  // the reason why a damaged folder has no choice

  [[nodiscard]] bool whole() const { return state && choices.empty() && no_choice.empty(); }
};

// Returns the message without the advice to run `laurel check`.
std::string Explanation(const std::string& message) {
  return message.substr(0, message.find("; 'laurel check"));
}

// Loads the latest exact state: that of the newest snapshot whose required log exists.
Result<transfer::LoadedState> LoadExact(base::Folder* folder, const storage::Inspection& inspection,
                                        storage::RecoverOptions how) {
  how.holes = storage::Holes::kStopBefore;
  Result<transfer::LoadedState> loaded = transfer::LoadState(folder, how);
  for (const storage::SnapshotState& snapshot : inspection.snapshots) {
    const auto end = storage::NumberOfName(storage::FileKind::kSnapshot, snapshot.name);
    if (loaded.ok() || !end || *end == 0) break;
    how.newest_snapshot = *end - 1;
    loaded = transfer::LoadState(folder, how);
  }
  return loaded;
}

void FindChoices(base::Folder* folder, const storage::ProgressCallback& progress, Findings* found) {
  const storage::Inspection& inspection = found->inspection;
  if (!inspection.other_version.empty()) {
    found->no_choice = folder->path(inspection.other_version[0]) +
                       " was written by another version of Laurel: this one does not touch it; "
                       "use that version, or move the file away";
    return;
  }
  storage::RecoverOptions how;
  how.progress = progress;
  how.history = inspection.history;
  how.holes = storage::Holes::kSkip;
  Result<transfer::LoadedState> most = transfer::LoadState(folder, how);
  if (!most.ok()) {
    found->no_choice = Explanation(most.error().message);
    return;
  }
  storage::RepairPlan plan = storage::PlanRepair(inspection, most->recovery);
  // With an empty plan there is nothing to repair.
  if (plan.empty()) return;
  found->choices.push_back({"--repair", std::move(plan), std::move(*most), false});
  found->choices[0].is_exact = found->choices[0].state.recovery.lost.empty();
  if (found->choices[0].is_exact) return;
  Result<transfer::LoadedState> exact = LoadExact(folder, inspection, how);
  if (!exact.ok()) return;
  plan = storage::PlanRepair(inspection, exact->recovery);
  Choice other{"--repair --exact", std::move(plan), std::move(*exact), true};
  if (other.state.digest.value == found->choices[0].state.digest.value) {
    found->choices[0].is_exact = true;
  } else {
    found->choices.push_back(std::move(other));
  }
}

Result<Findings> LookAt(base::Folder* folder, std::ostream& err) {
  Findings found;
  Result<storage::Inspection> inspection =
      storage::Inspect(folder, transfer::LoadProgress(err).Callback());
  if (!inspection.ok()) return inspection.error();
  found.inspection = std::move(*inspection);
  transfer::LoadProgress loading(err);
  storage::RecoverOptions how;
  how.progress = loading.Callback();
  Result<transfer::LoadedState> loaded = transfer::LoadState(folder, how);
  if (loaded.ok()) {
    found.state = std::move(*loaded);
  } else {
    found.refusal = Explanation(loaded.error().message);
  }
  const bool whole = found.state && found.state->recovery.warnings.empty() &&
                     storage::PlanRepair(found.inspection, found.state->recovery).empty();
  if (!whole) FindChoices(folder, loading.Callback(), &found);
  if (!whole && found.choices.empty() && found.no_choice.empty()) {
    found.no_choice = "there is nothing that a repair could do";
  }
  return found;
}

// Printing the findings -------------------------------------------------------------------------

void PrintState(const transfer::LoadedState& state, std::ostream& out) {
  PrintBoards(state.keys.get(), out);
  out << DescribeState(state) << "\n";
}

// Prints the incomplete end of the log.
void PrintTail(const storage::Tail& tail, std::ostream& out) {
  out << "torn tail: " << tail.file << " at offset " << tail.offset << ", "
      << base::Counted(tail.bytes, "byte", "bytes") << ", record " << tail.record
      << ": a write that was under way when the server ended, never acknowledged; a start clears "
         "it\n";
}

// Prints what a start would report about the folder.
void PrintVerdict(const Findings& found, std::ostream& out) {
  if (!found.state) {
    out << "damaged: " << found.refusal << "\n";
    return;
  }
  const storage::Recovery& recovery = found.state->recovery;
  PrintState(*found.state, out);
  if (recovery.torn) PrintTail(*recovery.torn, out);
  for (const std::string& warning : recovery.warnings) {
    out << "damaged: " << Explanation(warning) << "\n";
  }
}

void PrintLoss(const Choice& choice, std::ostream& out) {
  const storage::Recovery& recovery = choice.state.recovery;
  if (!recovery.lost.empty()) {
    const bool one = recovery.lost.size() == 1 && recovery.lost[0].first == recovery.lost[0].last;
    out << "  LOST: " << (one ? "record " : "records ");
    for (std::size_t i = 0; i < recovery.lost.size(); ++i) {
      out << (i > 0 ? ", " : "") << RecordText(recovery.lost[i]);
    }
    out << "\n";
  }
  if (recovery.lost_end) {
    out << "  LOST: whatever was behind record " << recovery.last
        << "; nobody knows how much that is\n";
  }
  if (recovery.lost.empty() && !recovery.lost_end) out << "  no record is lost\n";
}

void PrintChoice(const Choice& choice, std::ostream& out) {
  const storage::RepairPlan& plan = choice.plan;
  if (plan.writes_snapshot) {
    out << "  write " << storage::SnapshotName(plan.record) << ", of what can be read\n";
  }
  for (const storage::RepairPlan::SetAside& aside : plan.aside) {
    out << (aside.is_copied ? "  keep a copy of " : "  set ") << aside.file
        << (aside.is_copied ? ": " : " aside: ") << aside.reason << "\n";
  }
  if (!plan.ended.empty()) out << "  end " << plan.ended << " behind its last whole record\n";
  PrintLoss(choice, out);
  out << "  leaving the " << DescribeState(choice.state) << "\n";
  const bool exact = choice.state.recovery.lost.empty() || choice.options != "--repair";
  if (!exact) {
    out << "  which is each entry as the records that are left say: not a state that ever was, "
           "and\n"
           "  without what they say of boards that a lost record created\n";
  }
}

// Repairing -------------------------------------------------------------------------------------

bool Confirmed(std::ostream& out) {
  out << "repair it? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

std::string AsideName() {
  std::string name = "damaged-" + base::FormatIsoTime(SystemNow());
  std::replace(name.begin(), name.end(), ':', '-');
  return name;
}

int RepairFolder(base::Folder* folder, const Choice& choice, bool sure, std::ostream& out,
                 std::ostream& err) {
  if (!sure) {
    if (isatty(STDIN_FILENO) != 1) {
      err << "laurel: nothing is repaired without --yes where nobody can be asked\n";
      return kExitUsage;
    }
    if (!Confirmed(out)) {
      out << "nothing is changed\n";
      return kExitFailed;
    }
  }
  const std::string aside = AsideName();
  const transfer::LoadedState& state = choice.state;
  const Status done = storage::Repair(
      folder, state.recovery, choice.plan, aside, [&](storage::SnapshotWriter* writer) {
        return engine::WriteWholeSnapshot(state.keys.get(), choice.plan.record, state.last_stamp,
                                          writer);
      });
  if (!done.ok()) return Refuse(err, done.error());
  if (!choice.plan.aside.empty()) out << "kept in " << folder->path(aside) << "\n";
  const Result<Findings> after = LookAt(folder, err);
  if (!after.ok()) return Refuse(err, after.error());
  PrintVerdict(*after, out);
  const bool as_promised = after->whole() && after->state->recovery.last == choice.plan.record &&
                           after->state->digest.value == state.digest.value;
  out << (as_promised ? "repaired\n" : "still damaged\n");
  return as_promised ? kExitOk : kExitFailed;
}

struct CheckOptions {
  bool repair = false;
  bool exact = false;
  bool sure = false;
};

int Report(base::Folder* folder, const CheckOptions& options, std::ostream& out,
           std::ostream& err) {
  const Result<Findings> found = LookAt(folder, err);
  if (!found.ok()) return Refuse(err, found.error());
  PrintFiles(found->inspection, out);
  PrintVerdict(*found, out);
  if (found->whole()) {
    out << "whole\n";
    return kExitOk;
  }
  if (found->choices.empty()) {
    out << "it cannot be repaired: " << found->no_choice << "\n";
    return kExitFailed;
  }
  // If the single choice is exact, --exact selects it too.
  const Choice& chosen = options.exact ? found->choices.back() : found->choices.front();
  if (options.repair && options.exact && !chosen.is_exact) {
    return Refuse(err,
                  Err("no exact state is left; --repair without --exact keeps all that is whole"));
  }
  for (const Choice& choice : found->choices) {
    const bool is_chosen = options.repair && &choice == &chosen;
    out << (is_chosen ? "the repair will\n" : "laurel check " + choice.options + " would\n");
    PrintChoice(choice, out);
  }
  if (!options.repair) return kExitFailed;
  return RepairFolder(folder, chosen, options.sure, out, err);
}

Result<int> Run(const ParsedArguments& arguments, std::ostream& out, std::ostream& err) {
  const std::string& path = arguments.others[0];
  const Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(path, false);
  if (!folder.ok()) return folder.error();
  if (!transfer::HasData(folder->get())) return Err(path + " holds no data of Laurel");
  const Result<std::unique_ptr<base::FolderLock>> lock = (*folder)->Lock();
  if (!lock.ok()) return lock.error();
  const CheckOptions options{arguments.Has("--repair"), arguments.Has("--exact"),
                             arguments.Has("--yes")};
  if (options.exact && !options.repair) {
    return RefuseUsage(err, "laurel check", "--exact goes with --repair");
  }
  return Report(folder->get(), options, out, err);
}

}  // namespace

int ShowFolder(base::Folder* folder, std::ostream& out, std::ostream& err) {
  return Report(folder, {}, out, err);
}

Command CheckCommand() {
  return {"check", std::string(kHelp), {{"--repair"}, {"--exact"}, {"--yes"}},
          1,       "one data folder",  Run};
}

}  // namespace laurel::cli
