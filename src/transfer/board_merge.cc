#include "transfer/board_merge.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_cursor.h"
#include "core/board.h"
#include "core/combine.h"
#include "core/decide.h"
#include "core/effects.h"
#include "core/store/member.h"
#include "laurel/entry.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/loader.h"
#include "leaderboard/no_answer.h"
#include "leaderboard/operation.h"
#include "transfer/table_runs.h"

namespace laurel::transfer {
namespace {

using leaderboard::InstanceRef;
using leaderboard::Leaderboard;

constexpr std::size_t kProgressStep = 16'384;  // entries
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kHiddenAtOnce = 10'000;

// The member's entry, visible or hidden.
core::Present Look(const core::Board& board, std::string_view member) {
  core::Present present;
  const core::Location found = board.entries().Find(core::MemberKey(member));
  present.hidden = board.IsHidden(member);
  if (found != core::kNowhere) {
    present.exists = true;
    present.words = board.entries().WordsAt(found);
    present.meta = board.entries().MetaAt(found);
  } else if (const core::Board::HiddenEntry* entry = board.FindHidden(member)) {
    present.exists = true;
    present.words = entry->words;
    present.meta = entry->meta;
  }
  return present;
}

class Merge {
 public:
  Merge(const RowTable& table, Leaderboard* board, Stamp now, const WriteProgress& progress)
      : table_(table),
        spec_(table.spec()),
        board_(*board),
        now_(now),
        progress_(progress),
        effects_(&bytes_) {}

  Result<TableWritten> Run() {
    if (const Status hidden = HideMembers(); !hidden.ok()) return hidden.error();
    if (table_.times().last_stamp > board_.last_stamp()) {
      effects_.Stamped(table_.times().last_stamp);
    }
    if (spec_.expire_us != 0 && !spec_.end) effects_.Written(now_);
    for (std::size_t i = 0; i < table_.size() && !any_meta_; ++i) {
      any_meta_ = !table_[i].meta.empty();
    }
    for (const TableRun& run : RunsOf(table_)) {
      if (const Status merged = MergeRun(run); !merged.ok()) return merged.error();
    }
    if (const Status applied = Apply(); !applied.ok()) return applied.error();
    if (progress_) progress_(table_.size());
    return written_;
  }

 private:
  Status HideMembers() {
    if (!table_.has_hidden() && table_.marks().empty()) return Ok{};
    std::vector<std::string_view> members;
    const auto hide = [&] {
      leaderboard::Decision decision;
      leaderboard::NoAnswer answer;
      leaderboard::Summary summary;
      board_.Decide(leaderboard::Hide{members}, {"", now_, now_}, &decision);
      if (decision.refusal()) return Status(*decision.refusal());
      board_.Commit(&decision, &answer, nullptr, &summary);
      members.clear();
      return Status(Ok{});
    };
    const auto add = [&](std::string_view member) {
      members.push_back(member);
      return members.size() < kHiddenAtOnce ? Status(Ok{}) : hide();
    };
    for (const std::string& member : table_.marks()) {
      if (Status hidden = add(member); !hidden.ok()) return hidden;
    }
    for (std::size_t i = 0; table_.has_hidden() && i < table_.size(); ++i) {
      const TableEntry entry = table_[i];
      if (!entry.hidden) continue;
      if (Status hidden = add(entry.member); !hidden.ok()) return hidden;
    }
    return members.empty() ? Status(Ok{}) : hide();
  }

  Status MergeRun(const TableRun& run) {
    instance_ = {};
    if (run.span != nullptr) {
      if (Status selected = SelectInstance(*run.span); !selected.ok()) return selected;
    }
    const core::Board& board = BoardOf(instance_.number);
    const bool was_empty = board.entries().size() == 0 && board.hidden_entries() == 0;
    for (std::size_t i = run.begin; i < run.end; ++i) {
      if (i % kProgressStep == 0 && progress_) progress_(i);
      if (Status put = Put(table_[i], was_empty ? nullptr : &board); !put.ok()) return put;
    }
    if (Status applied = Apply(); !applied.ok()) return applied;
    return ApplyCap(board);
  }

  // Selects the instance, and creates it if it is not there.
  Status SelectInstance(const Instance& span) {
    for (const auto& stored : board_.instances()) {
      if (stored->span.period != span.period || stored->span.label != span.label) continue;
      instance_ = {stored->number, span.period, leaderboard::BeginSeconds(stored->span)};
      effects_.Select(instance_);
      return Ok{};
    }
    instance_ = {board_.next_instance(), span.period, leaderboard::BeginSeconds(span)};
    effects_.CreateInstance(instance_.number, span);
    if (IsOver(span, spec_, now_)) {
      effects_.Close({});
      effects_.ClosedThrough(span.period, span.end);
      effects_.Turned(span.end + spec_.grace_us);
    }
    return Apply();
  }

  [[nodiscard]] const core::Board& BoardOf(std::uint32_t number) const {
    if (number == 0) return board_.board();
    const auto instances = board_.instances();
    return (*std::find_if(instances.begin(), instances.end(),
                          [&](const auto& stored) { return stored->number == number; }))
        ->board;
  }

  // Puts the entry as LB.SET does. If the table has meta, the entry also gets that of its row, or
  // loses it. `board`: null if the board was empty.
  Status Put(const TableEntry& entry, const core::Board* board) {
    ++written_.entries;
    core::Effect effect;
    effect.member = entry.member;
    effect.stamp_not_from_clock = true;
    if (board == nullptr) {
      effect.words = board_.board().layout().Encode(entry.score, entry.stamp);
      effect.meta = entry.meta;
    } else {
      Write write;
      write.member = entry.member;
      write.score = entry.score;
      write.mode = WriteMode::kSet;
      write.at = entry.stamp;
      if (!entry.meta.empty()) write.meta = entry.meta;
      const core::Present before = Look(*board, entry.member);
      const Result<core::Outcome> outcome =
          core::Combine(board->type(), before, write, entry.stamp);
      if (!outcome.ok()) return outcome.error();
      const bool other_meta = any_meta_ && before.exists && before.meta != entry.meta;
      if (!outcome->changed && !other_meta) return Ok{};
      effect.words = outcome->changed ? outcome->words : before.words;
      effect.meta = any_meta_ ? entry.meta : outcome->meta;
    }
    effects_.Entry(effect, board_.board().layout().words());
    if (bytes_.size() < kPieceBytes) return Ok{};
    return board == nullptr ? Load() : Apply();
  }

  // Reads the effects so far into an empty board or instance, in bulk.
  Status Load() {
    if (!loader_) loader_.emplace(&board_);
    base::ByteCursor cursor(bytes_);
    Status read = loader_->Read(&cursor);
    Restart();
    return read;
  }

  // Applies the effects so far.
  Status Apply() {
    if (loader_) {
      if (Status read = Load(); !read.ok()) return read;
      loader_->Finish();
      loader_.reset();
      return Ok{};
    }
    base::ByteCursor cursor(bytes_);
    leaderboard::Summary summary;
    Status applied = board_.Apply(&cursor, /*lenient=*/false, &summary);
    Restart();
    return applied;
  }

  void Restart() {
    bytes_.clear();
    effects_.Restart();
    effects_.Select(instance_);
  }

  Status ApplyCap(const core::Board& board) {
    if (spec_.cap == 0 || board.entries().size() <= spec_.cap) return Ok{};
    written_.over_cap += board.entries().size() - spec_.cap;
    core::EffectBatch evictions;
    core::DecideCap(board, spec_.cap, &evictions);
    for (const core::Effect& effect : evictions) {
      effects_.Entry(effect, board.layout().words());
    }
    return Apply();
  }

  const RowTable& table_;
  const Spec& spec_;
  Leaderboard& board_;
  const Stamp now_;
  const WriteProgress& progress_;
  std::string bytes_;
  leaderboard::EffectWriter effects_;
  std::optional<leaderboard::Loader> loader_;  // while an empty board is loaded
  InstanceRef instance_;
  bool any_meta_ = false;  // the table has meta
  TableWritten written_;
};

}  // namespace

Result<TableWritten> MergeIntoBoard(const RowTable& table, leaderboard::Leaderboard* board,
                                    Stamp now, const WriteProgress& progress) {
  return Merge(table, board, now, progress).Run();
}

}  // namespace laurel::transfer
