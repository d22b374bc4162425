#include "cli/check.h"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/clock.h"
#include "base/time_text.h"
#include "cli/arguments.h"
#include "cli/load_progress.h"
#include "cli/loaded_state.h"
#include "storage/inspection.h"
#include "storage/manifest.h"
#include "storage/repair.h"

namespace laurel::cli {
namespace {

constexpr std::string_view kHelp =
    "usage: laurel check DIR [--repair] [--yes]\n"
    "\n"
    "Reads every file of the data folder DIR, verifies it, loads the boards as a start would, and\n"
    "says what there is. No server may be using the folder. Nothing is changed without --repair.\n"
    "\n"
    "options:\n"
    "  --repair    if it is damaged: says what will be lost, asks, and makes the folder loadable\n"
    "              again; what is taken out is kept in DIR/damaged-<time>/\n"
    "  --yes       do not ask\n"
    "\n"
    "exit code: 0 whole (a torn tail is no damage: that write was never acknowledged), 1 damaged\n"
    "or unreadable, 2 wrong arguments\n";

constexpr OptionName kOptions[] = {{"--repair"}, {"--yes"}};

std::string Age(std::int64_t created_us) {
  const std::int64_t seconds = std::max<std::int64_t>(SystemNow() - created_us, 0) / 1'000'000;
  constexpr std::int64_t kDay = 86'400;
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min";
  if (seconds < 2 * kDay) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / kDay) + " days";
}

// Printing what was found -----------------------------------------------------------------------

void PrintSegment(const storage::SegmentState& segment, std::ostream& out) {
  out << "  " << segment.name << "  ";
  if (!segment.header) {
    out << Counted(segment.bytes, "byte", "bytes") << ": " << segment.problem << "\n";
    return;
  }
  const std::uint64_t first = segment.header->first;
  if (segment.last < first) {
    out << "no records";
  } else {
    out << Counted(segment.last - first + 1, "record", "records") << ", " << first << " to "
        << segment.last;
  }
  out << ", " << Counted(segment.end, "byte", "bytes") << ", epoch " << segment.header->epoch;
  if (segment.content > segment.end) {
    out << "; not whole from offset " << segment.end << " on, "
        << Counted(segment.content - segment.end, "byte", "bytes");
  }
  out << "\n";
}

void PrintSnapshot(const storage::SnapshotState& snapshot, std::ostream& out) {
  out << "  " << snapshot.name << "  ";
  if (!snapshot.footer) {
    out << Counted(snapshot.bytes, "byte", "bytes") << ": " << snapshot.problem << "\n";
    return;
  }
  const storage::Footer& footer = *snapshot.footer;
  out << "written from record " << footer.started_at << " to " << footer.ended_at << ", "
      << Counted(footer.boards, "board", "boards") << ", "
      << Counted(footer.entries, "entry", "entries") << ", "
      << Counted(snapshot.bytes, "byte", "bytes") << ", " << Age(snapshot.header->created_us)
      << " old\n";
}

std::string_view MeaningOf(std::string_view name) {
  if (name == storage::kManifestName) return "says what a backup holds";
  if (name == storage::kUnfinishedSnapshot) {
    return "left of a snapshot that was interrupted; a start removes it";
  }
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

void PrintState(const LoadedState& state, std::ostream& out) {
  PrintBoards(state.keys.get(), out);
  out << DescribeState(state) << "\n";
}

bool IsTornTail(const storage::RepairPlan& plan) {
  return plan.aside.empty() && plan.cut && !plan.cut->acknowledged;
}

void PrintPlan(const storage::RepairPlan& plan, std::ostream& out) {
  if (plan.cut) {
    out << "  cut " << plan.cut->file << " at offset " << plan.cut->offset << ": "
        << Counted(plan.cut->bytes, "byte", "bytes")
        << (plan.cut->acknowledged ? ", of which a copy is kept" : ", never acknowledged") << "\n";
  }
  for (const storage::RepairPlan::SetAside& aside : plan.aside) {
    out << "  set " << aside.file << " aside: " << aside.reason << "\n";
  }
  if (plan.lost_through > 0) {
    out << "  LOST: " << (plan.lost_through == plan.record + 1 ? "record " : "records ")
        << plan.record + 1;
    if (plan.lost_through > plan.record + 1) out << " to " << plan.lost_through;
    out << "\n";
  } else {
    out << "  no record is lost\n";
  }
}

// Finding out -----------------------------------------------------------------------------------

// A folder looked at: how it is, and how it could be.
struct Findings {
  storage::Inspection inspection;
  LoadOutcome loaded;
  std::optional<storage::RepairPlan> plan;
  std::optional<LoadedState> repaired;  // what the plan leads to, if not to what is loaded
  std::string no_plan;                  // why there is none

  // What is there is whole, but for a write that was under way.
  [[nodiscard]] bool whole() const {
    return loaded.state && plan && (plan->empty() || IsTornTail(*plan)) &&
           plan->record == loaded.state->recovery.last;
  }
  // REQUIRES: plan.
  [[nodiscard]] const LoadedState& outcome() const { return repaired ? *repaired : *loaded.state; }
};

storage::ProgressCallback Shown(LoadProgress* progress) {
  return [progress](const storage::Progress& at) {
    progress->Show(at);
    return true;
  };
}

// Without the advice to ask `laurel check`.
std::string Explanation(const std::string& message) {
  return message.substr(0, message.find("; 'laurel check"));
}

// A plan is good if what it leaves loads, and as the state that it promises. What turns out not to
// load is left out, and another plan made.
void MakePlan(base::Folder* folder, const storage::ProgressCallback& progress, Findings* found) {
  storage::RepairLimits limits;
  for (;;) {
    Result<storage::RepairPlan> plan = storage::PlanRepair(folder, found->inspection, limits);
    if (!plan.ok()) {
      found->no_plan = plan.error().message;
      return;
    }
    const auto promised = [&](const std::optional<LoadedState>& state) {
      return state && state->recovery.last == plan->record &&
             state->recovery.snapshot == plan->snapshot;
    };
    if ((plan->empty() || IsTornTail(*plan)) && promised(found->loaded.state)) {
      found->plan = std::move(*plan);
      return;
    }
    const std::unique_ptr<base::Folder> after = storage::AfterRepair(folder, *plan);
    LoadOutcome tried = LoadState(after.get(), progress);
    if (promised(tried.state)) {
      found->plan = std::move(*plan);
      found->repaired = std::move(tried.state);
      return;
    }
    const auto& refused = limits.refused_snapshots;
    const bool known = std::find(refused.begin(), refused.end(), plan->snapshot) != refused.end();
    if (tried.failure.batch && *tried.failure.batch <= limits.last) {
      limits.last = *tried.failure.batch - 1;
    } else if (!plan->snapshot.empty() && !known) {
      limits.refused_snapshots.push_back(plan->snapshot);
    } else {
      found->no_plan = tried.state ? "what can be read does not make a state"
                                   : Explanation(tried.failure.error.message);
      return;
    }
  }
}

Result<Findings> LookAt(base::Folder* folder, std::ostream& err) {
  Findings found;
  LoadProgress reading(err);
  Result<storage::Inspection> inspection = storage::Inspect(folder, Shown(&reading));
  reading.Finish();
  if (!inspection.ok()) return inspection.error();
  found.inspection = std::move(*inspection);
  LoadProgress loading(err);
  found.loaded = LoadState(folder, Shown(&loading));
  MakePlan(folder, Shown(&loading), &found);
  loading.Finish();
  return found;
}

// What is not whole at the end of the log. Up to where the snapshot began nobody needs it.
void PrintTail(const storage::Tail& tail, std::uint64_t snapshot_began, std::ostream& out) {
  const bool torn = tail.record > snapshot_began;
  out << (torn ? "torn tail: " : "damaged: ") << tail.file << " at offset " << tail.offset << ", "
      << Counted(tail.bytes, "byte", "bytes") << ", record " << tail.record
      << (torn ? ": a write that was under way when the server ended, never acknowledged; a start "
                 "cuts it\n"
               : ": the snapshot holds what is lost there\n");
}

// What a start would say of the folder.
void PrintVerdict(const Findings& found, std::ostream& out) {
  if (found.loaded.state) {
    const storage::Recovery& recovery = found.loaded.state->recovery;
    PrintState(*found.loaded.state, out);
    if (recovery.torn) PrintTail(*recovery.torn, recovery.footer.started_at, out);
    for (const std::string& warning : recovery.warnings)
      out << "damaged: " << Explanation(warning) << "\n";
  } else {
    out << "damaged: " << Explanation(found.loaded.failure.error.message) << "\n";
  }
}

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

// REQUIRES: found.plan, and it is not empty.
int RepairFolder(base::Folder* folder, const Findings& found, bool sure, std::ostream& out,
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
  if (const Status done = storage::Repair(folder, *found.plan, aside); !done.ok()) {
    err << "laurel: " << done.error().message << "\n";
    return kExitFailed;
  }
  if (!IsTornTail(*found.plan)) out << "kept in " << folder->path(aside) << "\n";
  const Result<Findings> after = LookAt(folder, err);
  if (!after.ok()) {
    err << "laurel: " << after.error().message << "\n";
    return kExitFailed;
  }
  PrintVerdict(*after, out);
  const bool as_promised = after->whole() && after->plan->record == found.plan->record &&
                           after->loaded.state->digest.value == found.outcome().digest.value;
  out << (as_promised ? "repaired\n" : "still damaged\n");
  return as_promised ? kExitOk : kExitFailed;
}

int Report(base::Folder* folder, bool repair, bool sure, std::ostream& out, std::ostream& err) {
  const Result<Findings> found = LookAt(folder, err);
  if (!found.ok()) {
    err << "laurel: " << found.error().message << "\n";
    return kExitFailed;
  }
  PrintFiles(found->inspection, out);
  PrintVerdict(*found, out);
  const bool nothing_to_do = found->whole() && found->plan->empty();
  if (nothing_to_do || (found->whole() && !repair)) {
    out << "whole\n";
    return kExitOk;
  }
  if (!found->plan) {
    out << "it cannot be repaired: " << found->no_plan << "\n";
    return kExitFailed;
  }
  // A file that a load passes over and a repair leaves where it is cannot be helped by one.
  if (found->plan->empty()) {
    out << "there is nothing that a repair could do\n";
    return kExitFailed;
  }
  out << (repair ? "the repair will\n" : "laurel check --repair would\n");
  PrintPlan(*found->plan, out);
  out << "  leaving the " << DescribeState(found->outcome()) << "\n";
  if (!repair) return kExitFailed;
  return RepairFolder(folder, *found, sure, out, err);
}

bool HasData(base::Folder* folder) {
  const Result<std::vector<std::string>> names = folder->List();
  return names.ok() && std::any_of(names->begin(), names->end(), [](const std::string& name) {
           return storage::NumberOfName(storage::FileKind::kLog, name) ||
                  storage::NumberOfName(storage::FileKind::kSnapshot, name);
         });
}

}  // namespace

int ShowFolder(base::Folder* folder, std::ostream& out, std::ostream& err) {
  return Report(folder, false, false, out, err);
}

int Check(std::span<const std::string_view> arguments, std::ostream& out, std::ostream& err) {
  const auto refuse = [&](const std::string& message, int exit_code) {
    err << "laurel: " << message
        << (exit_code == kExitUsage ? "; see laurel check --help\n" : "\n");
    return exit_code;
  };
  const Result<ParsedArguments> parsed = ParseArguments(arguments, kOptions);
  if (!parsed.ok()) return refuse(parsed.error().message, kExitUsage);
  if (parsed->Has("--help")) {
    out << kHelp;
    return out.flush() ? kExitOk : kExitFailed;
  }
  if (parsed->others.size() != 1) return refuse("check takes one data folder", kExitUsage);
  const Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(parsed->others[0], false);
  if (!folder.ok()) return refuse(folder.error().message, kExitFailed);
  if (!HasData(folder->get())) {
    return refuse(parsed->others[0] + " holds no data of Laurel", kExitFailed);
  }
  const Result<std::unique_ptr<base::FolderLock>> lock = (*folder)->Lock();
  if (!lock.ok()) return refuse(lock.error().message, kExitFailed);
  const int exit_code =
      Report(folder->get(), parsed->Has("--repair"), parsed->Has("--yes"), out, err);
  return out.flush() ? exit_code : kExitFailed;
}

}  // namespace laurel::cli
