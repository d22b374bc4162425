#include "transfer/import.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/count_text.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/time_text.h"
#include "laurel/score.h"
#include "leaderboard/entries.h"
#include "transfer/draft/placement.h"
#include "transfer/folders/board_rows.h"
#include "transfer/folders/loaded_boards.h"

namespace laurel::transfer {
namespace {

using base::Counted;

constexpr std::int64_t kNapUs = 20'000;

std::string Entries(std::uint64_t count) { return Counted(count, "entry", "entries"); }

// A digest of the rows of a board: visible and hidden entries of all instances, and marks. It is
// the sum of the rows' hashes, because hidden entries and marks have no order. The hash of a
// visible entry includes its rank, so the digest covers the order of visible entries.
struct RowsDigest {
  std::uint64_t rows = 0;
  std::uint64_t sum = 0;

  bool operator==(const RowsDigest&) const = default;
};

std::uint64_t HashOf(const BoardEntry& row) {
  std::uint64_t hash = base::HashInteger(row.rank, row.hidden ? 1 : 0);
  for (const std::string_view text : {row.instance, row.member, row.meta}) {
    hash = base::HashBytes(text, base::HashInteger(text.size(), hash));
  }
  if (row.is_mark()) return hash;
  for (std::size_t i = 0; i < row.score.size(); ++i) {
    hash = base::HashInteger(static_cast<std::uint64_t>(row.score[i]), hash);
  }
  return base::HashInteger(static_cast<std::uint64_t>(row.stamp), hash);
}

Result<RowsDigest> DigestOf(const engine::NamedBoard& board) {
  RowsDigest digest;
  const Status visited = ForEachRow(board, RowChoice(), [&](const BoardEntry& row) -> Status {
    ++digest.rows;
    digest.sum += HashOf(row);
    return Ok{};
  });
  if (!visited.ok()) return visited.error();
  return digest;
}

}  // namespace

Result<ImportResult> Import::Run() {
  const Result<std::vector<SourceBoard>> boards = source_->List();
  if (!boards.ok()) return boards.error();
  if (const Status unique = CheckNames(*boards); !unique.ok()) return unique.error();
  for (const SourceBoard& board : *boards) {
    if (const Status imported = ImportBoard(board); !imported.ok()) return imported.error();
  }
  result_.rejected = rejects_->count();
  if (options_.dry_run) return result_;
  if (const Status runs = reporter_->CheckStopped(); !runs.ok()) return runs.error();
  if (const Status finished = target_->sink()->Finish(); !finished.ok()) return finished.error();
  if (target_->folder != nullptr && options_.verify) {
    if (const Status verified = VerifyInFolder(); !verified.ok()) return verified.error();
  }
  result_.rejected = rejects_->count();
  return result_;
}

Status Import::CheckNames(std::span<const SourceBoard> boards) {
  std::set<std::string_view> names;
  for (const SourceBoard& board : boards) {
    if (names.insert(board.board).second) continue;
    return Err("two boards would get the name " + base::Quote(board.board) + ": use --rename");
  }
  return Ok{};
}

Result<Spec> Import::ChooseSpec(const SourceBoard& board) {
  std::optional<Spec> present;
  if (target_->sink() != nullptr) {
    Result<std::optional<Spec>> found = target_->sink()->Find(board.board);
    if (!found.ok()) return found.error();
    present = std::move(*found);
  }
  const std::optional<Spec>& wanted = options_.spec ? options_.spec : board.spec;
  if (present && wanted && *present != *wanted) {
    return Error{ErrorCode::kExists, target_->name + ": " + base::Quote(board.board) +
                                         " is there with " + DescribeSpec(*present) +
                                         ", not with " + DescribeSpec(*wanted)};
  }
  Spec spec = present ? *present : wanted.value_or(Spec());
  if (spec.kind != BoardKind::kLeaderboard) {
    return Err(board.name + ": " + base::Quote(board.board) +
               " is a sorted set: say with --spec what leaderboard to make of it");
  }
  if (options_.follow && (!spec.periods.empty() || options_.period)) {
    return Err(base::Quote(board.board) + " has periods, which --follow does not take");
  }
  const Status lasts = leaderboard::CheckLasts(spec, options_.now, options_.now);
  if (!lasts.ok()) return Err(base::Quote(board.board) + ": " + lasts.error().message);
  if (!spec.periods.empty() && !options_.period && source_->can_repeat()) {
    return Err(base::Quote(board.board) + " has periods: say with --period which one " +
               board.name + " fills");
  }
  if (!spec.periods.empty() || options_.period) {
    const Result<Placement> placement = Placement::Make(spec, options_.period, options_.now);
    if (!placement.ok()) {
      return Err(base::Quote(board.board) + ": " + placement.error().message);
    }
  }
  return spec;
}

Result<Import::Written> Import::Read(const SourceBoard& board, const Spec& spec, Rejects* rejects) {
  Written made{board, spec, {}, {}, 0, false};
  const std::uint64_t rejected = rejects->count();
  // A live source has newer times at each reading.
  const Stamp now = source_->can_repeat() ? SystemNow() : options_.now;
  const ReadContext context{&spec, options_.period, now, rejects, reporter_, !options_.force};
  Result<SourceDraft> read = source_->Read(board, context);
  if (!read.ok()) return read.error();
  made.read = std::move(*read);
  made.report = made.read.draft->Finish(now);
  // Follow compares two readings by their best entries.
  if (options_.follow) made.read.draft->Settle(now);
  made.rejected = rejects->count() - rejected;
  return made;
}

Status Import::ImportBoard(const SourceBoard& board) {
  const Result<Spec> spec = ChooseSpec(board);
  if (!spec.ok()) return spec.error();
  Result<Written> made = Read(board, *spec, rejects_);
  if (!made.ok()) return made.error();
  if (made->report.rows > 0) SayRead(*made);
  // The values may legitimately be equal in boards written by Laurel, and in boards that appear
  // while a source is followed.
  if (!options_.force && !board.spec && !follows_) {
    const Status good = CheckPlausible(made->read, made->report, options_.now, *source_);
    if (!good.ok()) return Err(board.name + ": " + good.error().message);
  }
  const std::string decimals = DecimalsHint(made->read, source_->can_repeat());
  if (made->report.rows == 0 && made->rejected > 0) {
    return Err(board.name + ": none of " + Counted(made->rejected, "row", "rows") +
               " can be used: " +
               (decimals.empty() ? "probably " + source_->suspects()
                                 : decimals + "; else probably " + source_->value_suspects()) +
               " is wrong");
  }
  if (!decimals.empty()) reporter_->Say("  " + decimals);
  if (options_.dry_run) return Ok{};
  // The rejects are flushed before the first write, so that a full disk is reported before the
  // target changes.
  if (const Status flushed = rejects_->Flush(); !flushed.ok()) return flushed;
  if (const Status runs = reporter_->CheckStopped(); !runs.ok()) return runs;
  if (const Status written = Write(&*made); !written.ok()) return written;
  if (options_.verify && target_->server != nullptr) {
    if (const Status verified = VerifyOnServer(*made); !verified.ok()) return verified;
  }
  const bool needed = options_.follow || (options_.verify && target_->folder != nullptr);
  if (needed) written_.push_back(std::move(*made));
  return Ok{};
}

// Writing -----------------------------------------------------------------------------------------

Status Import::Write(Written* made) {
  const Written& board = *made;
  if (target_->folder != nullptr) target_->folder->Advance(SystemNow());
  const Status begun = target_->sink()->Begin(board.board.board, board.spec, options_.period);
  if (!begun.ok()) return begun;
  const std::int64_t began_us = base::MonotonicMicros();
  reporter_->Begin("writing", ProgressUnit::kRows);
  const std::uint64_t total = board.report.entries;
  const std::uint64_t over_cap = target_->sink()->over_cap();
  const Status written = target_->sink()->Write(
      board.read.draft.get(), [&](std::uint64_t done) { reporter_->Progress(done, total); });
  reporter_->End();
  if (!written.ok()) return written;
  if (target_->server != nullptr) made->loaded = target_->server->loaded();
  const std::int64_t took_ms = (base::MonotonicMicros() - began_us) / 1000;
  std::string line = base::Quote(board.board.board) + ": " + Entries(total) + " written to " +
                     target_->name + " in " + std::to_string(took_ms / 1000) + "." +
                     std::to_string(took_ms / 100 % 10) + " s";
  if (target_->sink()->over_cap() > over_cap) {
    line += "; CAP " + std::to_string(board.spec.cap) + " leaves out " +
            base::Grouped(target_->sink()->over_cap() - over_cap);
  }
  reporter_->Say(line);
  return Ok{};
}

// Verifying ---------------------------------------------------------------------------------------

Status Import::VerifyOnServer(const Written& board) {
  if (board.loaded) {
    VerifyReport report;
    report.expected = report.found = board.loaded->entries;  // compared at the commit
    SayVerified(board, report);
  } else {
    reporter_->Begin("verifying", ProgressUnit::kRows);
    const Result<VerifyReport> report =
        Verify(*board.read.draft, &target_->server->server(), board.board.board);
    reporter_->End();
    if (!report.ok()) return report.error();
    SayVerified(board, *report);
  }
  return source_->can_repeat() ? CompareWithSource(board) : Ok{};
}

Status Import::VerifyInFolder() {
  target_->folder.reset();  // unlocks the folder
  reporter_->Begin("loading", ProgressUnit::kBytes);
  const Result<LoadedBoards> loaded = LoadedBoards::Open(target_->name, reporter_->Callback());
  reporter_->End();
  if (!loaded.ok()) return loaded.error();
  for (const Written& board : written_) {
    const engine::NamedBoard* named = loaded->Find(board.board.board);
    if (named == nullptr || !named->is_leaderboard()) {
      return Err(target_->name + ": " + base::Quote(board.board.board) + " is not there");
    }
    const Result<VerifyReport> report = Verify(*board.read.draft, named->board);
    if (!report.ok()) return report.error();
    SayVerified(board, *report);
    if (!source_->can_repeat()) continue;
    if (const Status compared = CompareWithSource(board); !compared.ok()) return compared;
  }
  return Ok{};
}

Status Import::CompareWithSource(const Written& board) {
  Rejects again(UINT64_MAX);
  const Result<Written> now = Read(board.board, board.spec, &again);
  if (!now.ok()) return now.error();
  const SourceChanges changes = FindChanges(*board.read.draft, *now->read.draft);
  const std::uint64_t count = changes.written + changes.vanished.size();
  if (count == 0) {
    reporter_->Say(base::Quote(board.board.board) + ": the source has not changed meanwhile");
    return Ok{};
  }
  result_.differences += count;
  reporter_->Say(base::Quote(board.board.board) +
                 ": meanwhile the source has changed: " + Entries(changes.written) +
                 " new or different, " + Entries(changes.vanished.size()) + " gone");
  for (const std::string& member : changes.examples) {
    reporter_->Say("  " + base::Quote(member) + " is new or different");
  }
  for (std::size_t i = 0; i < std::min(changes.vanished.size(), kMaxShown); ++i) {
    reporter_->Say("  " + base::Quote(changes.vanished[i]) + " is gone");
  }
  return Ok{};
}

void Import::SayVerified(const Written& board, const VerifyReport& report) {
  const std::string name = base::Quote(board.board.board);
  result_.differences += report.differences();
  if (report.equal()) {
    reporter_->Say(name + ": verified: " + Entries(report.found) +
                   ", the same members, scores, stamps and order");
  } else {
    reporter_->Say(name + ": not as in the source: " + std::to_string(report.missing) +
                   " missing, " + std::to_string(report.different) + " different, " +
                   std::to_string(report.misplaced) + " at another place, " +
                   std::to_string(report.extra) + " besides");
    for (const std::string& line : report.examples) reporter_->Say("  " + line);
  }
  if (board.read.tick_us <= 1 || !board.read.has_times) return;
  if (board.report.lost_groups == 0) return;
  reporter_->Say(name + ": " + Entries(board.report.ties) + " in " +
                 Counted(board.report.lost_groups, "group", "groups") + " share score and " +
                 base::FormatDuration(board.read.tick_us) +
                 ": who was first is lost, they stand as the source shows them");
  for (const std::string& line : board.report.lost_examples) reporter_->Say("  " + line);
}

void Import::SayRead(const Written& board) {
  const Draft::Report& report = board.report;
  std::string line = base::Quote(board.board.board) + ": " + Counted(report.rows, "row", "rows") +
                     " of " + board.board.name + ": " + Entries(report.entries);
  if (report.folded > 0) line += ", " + base::Grouped(report.folded) + " folded";
  if (board.read.earliest) {
    line += ", reached from " + base::FormatIsoTime(*board.read.earliest) + " to " +
            base::FormatIsoTime(*board.read.latest);
  } else if (report.rows > 0) {
    line += ", without times";
  }
  reporter_->Say(line);
  if (board.read.inexact > 0) {
    reporter_->Say("  " + Counted(board.read.inexact, "score is", "scores are") +
                   " beyond the exact range of the encoding: their times may be off by up to " +
                   base::FormatDuration(board.read.max_at_error_us));
  }
  if (report.crowded_ticks > 0 && board.read.tick_us > 1) {
    reporter_->Say("  " + Counted(report.crowded_ticks, "moment has", "moments have") +
                   " more entries of one score than microseconds: they reach into the next one");
  }
  if (report.outside > 0) {
    reporter_->Say("  " + Counted(report.outside, "row is", "rows are") +
                   " outside of the instances that the board keeps");
  }
  if (options_.dry_run) {
    reporter_->Say("  would be written to " + target_->name + " as " + DescribeSpec(board.spec));
    SayBest(board);
  }
}

// Shows a few entries, which reveal a wrong codec or column.
void Import::SayBest(const Written& board) {
  constexpr std::size_t kBest = 3;
  std::size_t shown = 0;
  ForEachEntry(board.read.draft->board(), [&](const BoardEntry& entry) {
    const std::string line = (shown == 0 ? "  the best: " : "            ") +
                             base::Quote(entry.member) + " " + ScoreText(board.spec, entry.score);
    reporter_->Say(board.read.has_times ? line + " at " + base::FormatIsoTime(entry.stamp) : line);
    return ++shown < kBest;
  });
}

// Following ---------------------------------------------------------------------------------------

Result<ImportResult> Import::Follow(std::int64_t interval_us, const std::atomic<bool>& finish) {
  follows_ = true;
  for (bool last = false; !last;) {
    const std::int64_t next_us = base::MonotonicMicros() + interval_us;
    while (!finish.load() && base::MonotonicMicros() < next_us) {
      std::this_thread::sleep_for(std::chrono::microseconds(kNapUs));
    }
    last = finish.load();
    if (const Status passed = Pass(); !passed.ok()) return passed.error();
  }
  reporter_->Say("a last pass is done");
  result_ = {};
  for (const Written& board : written_) {
    result_.rejected += board.rejected;
    if (const Status verified = VerifyOnServer(board); !verified.ok()) return verified.error();
  }
  return result_;
}

Status Import::Pass() {
  options_.now = SystemNow();
  Result<std::vector<SourceBoard>> boards = source_->List();
  if (!boards.ok()) return boards.error();
  // A board whose key has vanished is still followed, as an empty board.
  for (const Written& known : written_) {
    const bool listed = std::any_of(boards->begin(), boards->end(), [&](const SourceBoard& one) {
      return one.name == known.board.name;
    });
    if (!listed) boards->push_back(known.board);
  }
  if (const Status unique = CheckNames(*boards); !unique.ok()) return unique;
  for (const SourceBoard& board : *boards) {
    if (const Status passed = PassBoard(board); !passed.ok()) return passed;
  }
  return Ok{};
}

Status Import::PassBoard(const SourceBoard& board) {
  const auto known = std::find_if(written_.begin(), written_.end(),
                                  [&](const Written& one) { return one.board.name == board.name; });
  if (known == written_.end()) return ImportBoard(board);
  Rejects again(UINT64_MAX);
  Result<Written> now = Read(board, known->spec, &again);
  if (!now.ok()) return now.error();
  if (now->rejected != known->rejected) {
    reporter_->Say(base::Quote(board.board) + ": " + Counted(now->rejected, "row", "rows") +
                   " of the source cannot be used");
    for (const std::string& line : again.shown()) reporter_->Say("  " + line);
  }
  // A failing source could look the same, so the board must not be emptied.
  const bool gone = now->report.rows == 0 && now->rejected == 0 && known->read.draft->size() > 0;
  if (gone && !options_.force) {
    if (!known->gone) {
      reporter_->Say(base::Quote(board.board) + ": the source has no rows any more: the board " +
                     "keeps its entries; --force removes them");
    }
    known->gone = true;
    return Ok{};
  }
  if (const Status written = WriteChanges(*known, *now); !written.ok()) return written;
  *known = std::move(*now);
  return Ok{};
}

Status Import::WriteChanges(const Written& known, const Written& now) {
  const Draft& draft = *now.read.draft;
  SourceChanges changes = FindChanges(*known.read.draft, draft);
  // Members of rejected rows have not vanished.
  if (now.rejected > 0) changes.vanished.clear();
  if (changes.written == 0 && changes.vanished.empty()) return Ok{};
  const Status begun = target_->sink()->Begin(known.board.board, known.spec, std::nullopt);
  if (!begun.ok()) return begun;
  const std::vector<std::string_view> vanished(changes.vanished.begin(), changes.vanished.end());
  if (const Status removed = target_->server->Remove(vanished); !removed.ok()) {
    return removed;
  }
  const Status written =
      target_->server->WriteChanges(draft, known.read.draft.get(), [](std::uint64_t) {});
  if (!written.ok()) return written;
  reporter_->Say(base::Quote(known.board.board) + ": " + Entries(changes.written) + " written, " +
                 Entries(changes.vanished.size()) + " removed");
  return Ok{};
}

// Copying -----------------------------------------------------------------------------------------

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
  std::uint64_t different = 0;
  for (const ChosenBoard& board : boards) {
    const engine::NamedBoard* copy = loaded->Find(board.name);
    if (copy == nullptr || !copy->is_leaderboard()) {
      return Error{ErrorCode::kErr, folder + ": " + base::Quote(board.name) + " is not there"};
    }
    const Result<RowsDigest> wanted = DigestOf(*board.from);
    if (!wanted.ok()) return wanted.error();
    const Result<RowsDigest> held = DigestOf(*copy);
    if (!held.ok()) return held.error();
    const bool equal = copy->spec() == board.from->spec() && *wanted == *held;
    if (!equal) ++different;
    reporter->Say(base::Quote(board.name) +
                  (equal
                       ? ": verified: the copy is equal"
                       : ": the copy differs: it has " + base::Counted(held->rows, "row", "rows") +
                             ", and the source " + base::Grouped(wanted->rows)));
  }
  return different;
}

}  // namespace laurel::transfer
