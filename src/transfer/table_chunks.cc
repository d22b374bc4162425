#include "transfer/table_chunks.h"

#include <algorithm>
#include <array>

#include "core/effects.h"
#include "core/store/score_key.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/load.h"
#include "transfer/table_runs.h"

namespace laurel::transfer {
namespace {

constexpr std::size_t kProgressStep = 16'384;  // entries

class NewBoard {
 public:
  NewBoard(const RowTable& table, Stamp now, const WriteProgress& progress, EffectBlocks* blocks)
      : table_(table),
        spec_(table.spec()),
        layout_(table.spec()),
        now_(now),
        progress_(progress),
        blocks_(*blocks),
        effects_(blocks->writer().effects()) {}

  Result<TableWritten> Write() {
    const std::vector<TableRun> runs = RunsOf(table_);
    const BoardTimes& times = table_.times();
    if (times.last_stamp != 0) effects_.Stamped(times.last_stamp);
    if (spec_.expire_us != 0 && !spec_.end) {
      effects_.Written(times.written_at != 0 ? times.written_at : now_);
    }
    WriteCalendar(runs);
    if (const Status marked = WriteMarks(); !marked.ok()) return marked.error();
    for (const TableRun& run : runs) {
      if (const Status written = WriteRun(run); !written.ok()) return written.error();
    }
    if (progress_) progress_(table_.size());
    return written_;
  }

 private:
  // What the board's calendar knows of instances that are over.
  void WriteCalendar(const std::vector<TableRun>& runs) {
    std::array<Stamp, kPeriods> through;
    through.fill(INT64_MIN);
    Stamp turned = table_.times().turned_at != 0 ? table_.times().turned_at : INT64_MIN;
    for (const TableRun& run : runs) {
      if (run.span == nullptr || !IsOver(*run.span, spec_, now_)) continue;
      Stamp& end = through[static_cast<std::size_t>(run.span->period)];
      end = std::max(end, run.span->end);
      turned = std::max(turned, run.span->end + spec_.grace_us);
    }
    if (turned != INT64_MIN) effects_.Turned(turned);
    for (const Period period : spec_.periods) {
      const Stamp end = through[static_cast<std::size_t>(period)];
      if (end != INT64_MIN) effects_.ClosedThrough(period, end);
    }
  }

  // Marks come before entries (invariant 6 of docs/log-format.md).
  Status WriteMarks() {
    for (const std::string& member : table_.marks()) {
      if (Status marked = Mark(member); !marked.ok()) return marked;
    }
    if (!table_.has_hidden()) return Ok{};
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const TableEntry entry = table_[i];
      if (!entry.hidden || table_.marks().contains(entry.member)) continue;
      if (Status marked = Mark(entry.member); !marked.ok()) return marked;
    }
    return Ok{};
  }
  Status Mark(std::string_view member) {
    effects_.Mark(member);
    bool passed = false;
    return blocks_.PassIfFull(&passed);
  }

  Status WriteRun(const TableRun& run) {
    instance_ = {};
    if (run.span != nullptr) {
      instance_ = {++instances_, run.span->period, leaderboard::BeginSeconds(*run.span)};
      effects_.CreateInstance(instance_.number, *run.span);
      if (IsOver(*run.span, spec_, now_)) effects_.Close({});
    }
    std::uint64_t visible = 0;
    for (std::size_t i = run.begin; i < run.end; ++i) {
      if (i % kProgressStep == 0 && progress_) progress_(i);
      const TableEntry entry = table_[i];
      if (entry.hidden) continue;
      if (spec_.cap > 0 && visible == spec_.cap) {
        ++written_.over_cap;
        continue;
      }
      ++visible;
      if (Status put = Put(entry, core::Effect::Kind::kPut); !put.ok()) return put;
    }
    if (!table_.has_hidden()) return Ok{};
    // A loader reads entries in bulk up to the first effect that is no put.
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const TableEntry entry = table_[i];
      if (!entry.hidden) continue;
      if (Status put = Put(entry, core::Effect::Kind::kHide); !put.ok()) return put;
    }
    return Ok{};
  }

  Status Put(const TableEntry& entry, core::Effect::Kind kind) {
    core::Effect effect;
    effect.kind = kind;
    effect.member = entry.member;
    effect.words = layout_.Encode(entry.score, entry.stamp);
    effect.meta = entry.meta;
    effect.stamp_not_from_clock = true;
    effects_.Entry(effect, layout_.words());
    ++written_.entries;
    bool passed = false;
    if (Status full = blocks_.PassIfFull(&passed); !full.ok()) return full;
    if (passed) effects_.Select(instance_);
    return Ok{};
  }

  const RowTable& table_;
  const Spec& spec_;
  const core::KeyLayout layout_;
  const Stamp now_;
  const WriteProgress& progress_;
  EffectBlocks& blocks_;
  leaderboard::EffectWriter& effects_;
  leaderboard::InstanceRef instance_;
  std::uint32_t instances_ = 0;
  TableWritten written_;
};

// Calls visit(entry) for the entries until it returns an error.
template <typename Visit>
Status ForEach(const RowTable& table, const SomeEntries& some, const Visit& visit) {
  const std::size_t count = some ? some->size() : table.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (Status visited = visit(i, table[some ? (*some)[i] : i]); !visited.ok()) return visited;
  }
  return Ok{};
}

// The blocks of WriteEntries.
class Entries {
 public:
  Entries(const RowTable& table, EffectBlocks* blocks)
      : layout_(table.spec()), blocks_(*blocks), effects_(blocks->writer().effects()) {}

  Status Put(const TableEntry& entry) {
    if (entry.span != span_ || named_ == 0) {
      if (Status named = NameInstance(entry.span); !named.ok()) return named;
    }
    core::Effect effect;
    effect.member = entry.member;
    effect.words = layout_.Encode(entry.score, entry.stamp);
    effect.meta = entry.meta;
    effect.stamp_not_from_clock = true;
    effects_.Entry(effect, layout_.words());
    bool passed = false;
    if (Status full = blocks_.PassIfFull(&passed); !full.ok()) return full;
    if (passed) named_ = 0;
    return Ok{};
  }

 private:
  Status NameInstance(const Instance* span) {
    span_ = span;
    if (span == nullptr) return Ok{};
    if (named_ == leaderboard::kMaxChunkInstances) {
      if (Status passed = blocks_.Pass(); !passed.ok()) return passed;
      named_ = 0;
    }
    effects_.CreateInstance(++named_, *span);
    return Ok{};
  }

  const core::KeyLayout layout_;
  EffectBlocks& blocks_;
  leaderboard::EffectWriter& effects_;
  const Instance* span_ = nullptr;  // of the entry before
  std::uint32_t named_ = 0;         // instances that the block names
};

}  // namespace

Result<TableWritten> WriteTable(const RowTable& table, Stamp now, const WriteProgress& progress,
                                EffectBlocks* blocks) {
  Result<TableWritten> written = NewBoard(table, now, progress, blocks).Write();
  if (!written.ok()) return written;
  if (const Status passed = blocks->Pass(); !passed.ok()) return passed.error();
  return written;
}

Result<TableWritten> WriteNewBoard(const RowTable& table, std::uint64_t id, std::string_view name,
                                   Stamp now, const WriteProgress& progress, EffectBlocks* blocks) {
  blocks->writer().Create(id, name, table.spec());
  return WriteTable(table, now, progress, blocks);
}

Status WriteEntries(const RowTable& table, const SomeEntries& some, const WriteProgress& progress,
                    EffectBlocks* blocks) {
  Entries entries(table, blocks);
  Status written = ForEach(table, some, [&](std::size_t i, const TableEntry& entry) {
    if (i % kProgressStep == 0 && progress) progress(i);
    return entries.Put(entry);
  });
  return written.ok() ? blocks->Pass() : written;
}

std::vector<std::string_view> HiddenMembers(const RowTable& table, const SomeEntries& some) {
  std::vector<std::string_view> members(table.marks().begin(), table.marks().end());
  if (!table.has_hidden()) return members;
  (void)ForEach(table, some, [&](std::size_t, const TableEntry& entry) {
    if (entry.hidden) members.push_back(entry.member);
    return Status(Ok{});
  }).ok();
  return members;
}

bool HasMeta(const RowTable& table) {
  std::size_t i = 0;
  while (i < table.size() && table[i].meta.empty()) ++i;
  return i < table.size();
}

}  // namespace laurel::transfer
