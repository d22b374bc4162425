#include "core/commands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/assert.h"
#include "core/decide.h"
#include "core/reads.h"
#include "core/store/spec_checks.h"

namespace laurel::core {
namespace {

// ApplyBatch for up to EntryStore::kBatch writes; `first` is the index of the first one.
void ApplyChunk(Board* board, std::span<const Write> writes, Moment moment, std::size_t first,
                EffectBatch* effects, const WriteVisitor& visit) {
  const EntryStore& entries = board->entries();
  const std::uint32_t generation = entries.generation();
  std::array<EntryStore::WriteHint, EntryStore::kBatch> hint;
  FindHints(*board, writes, moment.stamp, hint.data());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    effects->Clear();
    const Moment own{moment.now, moment.stamp + static_cast<Stamp>(i)};
    const Location found = ValidLocation(*board, writes[i].member, hint[i].location, generation);
    const Result<Verdict> verdict = DecideWrite(*board, writes[i], own, found, effects);
    board->Apply(*effects, &hint[i]);
    visit(first + i, verdict, *effects);
  }
}

}  // namespace

void FindHints(const Board& board, std::span<const Write> writes, Stamp stamp,
               EntryStore::WriteHint* hint) {
  LAUREL_ASSERT(writes.size() <= EntryStore::kBatch);
  const EntryStore& entries = board.entries();
  std::vector<MemberKey> keys;
  keys.reserve(writes.size());
  for (const Write& write : writes) keys.emplace_back(write.member);
  std::array<Location, EntryStore::kBatch> found;
  entries.FindMany(keys, found.data());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    hint[i].location = found[i];
    const Stamp own = stamp + static_cast<Stamp>(i);
    Probe to{{}, Probe::Among::kAtMember, writes[i].member};
    if (found[i] == kNowhere) {
      to.words = PredictWords(board, writes[i], nullptr, own);
    } else {
      hint[i].from.probe = {entries.WordsAt(found[i]), Probe::Among::kAtMember, writes[i].member};
      to.words = PredictWords(board, writes[i], &hint[i].from.probe.words, own);
    }
    hint[i].to.probe = to;
  }
  entries.FindRoutes({hint, writes.size()});
}

Location ValidLocation(const Board& board, std::string_view member, Location found,
                       std::uint32_t generation) {
  const EntryStore& entries = board.entries();
  const bool current = found != kNowhere && entries.generation() == generation;
  return current ? found : entries.Find(MemberKey(member));
}

void ApplyBatch(Board* board, std::span<const Write> writes, Moment moment,
                const WriteVisitor& visit) {
  EffectBatch effects;
  for (std::size_t start = 0; start < writes.size(); start += EntryStore::kBatch) {
    const std::size_t count = std::min<std::size_t>(EntryStore::kBatch, writes.size() - start);
    ApplyChunk(board, writes.subspan(start, count),
               {moment.now, moment.stamp + static_cast<Stamp>(start)}, start, &effects, visit);
  }
}

Status Load(Board* board, std::span<const Entry> sorted) {
  const auto refuse = [](const char* message) { return Error{ErrorCode::kErr, message}; };
  const KeyLayout& layout = board->layout();
  if (board->entries().size() + board->hidden_entries() > 0)
    return refuse("the board is not empty");
  MemberSet members(sorted.size(), board->hasher());
  std::uint64_t visible = 0;
  Words before{};
  std::string_view member_before;
  const std::size_t most_bytes = layout.is_double() ? kMaxSortedSetMemberBytes : kMaxMemberBytes;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Entry& entry = sorted[i];
    if (entry.score.size() != layout.fields()) {
      return WrongValueCount(board->spec(), entry.score.size());
    }
    if (layout.is_double() && std::isnan(entry.score.AsDouble())) return refuse("a score is NaN");
    if (entry.member.size() > most_bytes || entry.meta.size() > kMaxMetaBytes) {
      return Error{ErrorCode::kLimit, "a member or its meta is too long"};
    }
    if (layout.is_double() && !entry.meta.empty()) return refuse("a sorted set has no meta");
    const Words words = layout.Encode(entry.score, entry.stamp);
    const int order = layout.CompareOrder(before, words);
    if (i > 0 && (order > 0 || (order == 0 && member_before >= entry.member))) {
      return refuse("the entries are not in order");
    }
    if (!members.insert(entry.member).second) return refuse("a member occurs twice");
    if (!board->IsHidden(entry.member)) ++visible;
    before = words;
    member_before = entry.member;
  }
  if (board->spec().cap > 0 && visible > board->spec().cap) {
    return refuse("more entries than the cap");
  }
  EntryStore::Loader loader = board->Load();
  std::vector<const Entry*> hidden;
  for (const Entry& entry : sorted) {
    if (board->IsHidden(entry.member)) {
      hidden.push_back(&entry);
      continue;
    }
    if (!loader.Add(MemberKey(entry.member), layout.Encode(entry.score, entry.stamp), entry.meta)) {
      Effect clear;
      clear.kind = Effect::Kind::kClear;
      board->Apply(clear);
      return Error{ErrorCode::kLimit, "more than a board can hold"};
    }
  }
  loader.Finish();
  for (const Entry* entry : hidden) {
    Effect effect;
    effect.member = entry->member;
    effect.words = layout.Encode(entry->score, entry->stamp);
    effect.meta = entry->meta;
    board->Apply(effect);
  }
  LAUREL_ASSERT(board->entries().size() == visible);
  return Ok{};
}

}  // namespace laurel::core
